"""How can a delivery fail? Three ways, and each is dealt with differently."""


class Trouble(Exception):
    """The message says what the other side said."""


class ServerAway(Trouble):
    """The way out itself: no connection, no login, no answer. Nothing was wrong with the notice; all of them wait."""


class NotNow(Trouble):
    """This one, for now: greylisted, a full mailbox, a receiver that is down."""


class Refused(Trouble):
    """This one, for good: no such mailbox, an address that is not allowed."""
