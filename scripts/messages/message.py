"""A string that was marked for translation, and where."""

from dataclasses import dataclass, field

# What marks a string, and at which places its context, singular and plural stand.
MARKS: dict[str, tuple[int | None, int, int | None]] = {
    "_": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}


@dataclass(slots=True)
class Message:
    """`context` and `plural` are None where there is none; `places` are paths below the checkout, in order."""

    context: str | None
    singular: str
    plural: str | None = None
    places: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[str | None, str]:
        """By what gettext looks it up."""
        return self.context, self.singular


def marked(mark: str, arguments: list[str | None], place: str) -> Message | None:
    """The message of a call; None where the mark is none of ours or a string is not written out."""
    if mark not in MARKS:
        return None
    context, singular, plural = MARKS[mark]
    wanted = [at for at in (context, singular, plural) if at is not None]
    if any(at >= len(arguments) or arguments[at] is None for at in wanted):
        return None
    return Message(
        arguments[context] if context is not None else None,
        arguments[singular] or "",
        arguments[plural] if plural is not None else None,
        [place],
    )
