"""Did the agents fall silent, or did we? When most of a fleet goes quiet at once, the fault is on our side."""

# Below this a fleet is too small to tell: half of three machines is one cable.
MIN_MACHINES = 5


def our_fault(silent: int, live: int) -> bool:
    """`silent`: machines that went quiet; `live`: all that sent something within the last day, those among them."""
    return live >= MIN_MACHINES and 2 * silent > live
