"""How does a reader check a printed page? A code of 80 bits of the statement's digest, in letters that read aloud."""

# Crockford's base 32: no I, L, O, U.
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 16
READ_AS = str.maketrans({"I": "1", "L": "1", "O": "0", "U": "V", "-": "", " ": ""})


def code_of(digest: str) -> str:
    """'7K3F-9QXM-2B4T-HW8Z' of a SHA-256 in hex."""
    value = int(digest[:20], 16)
    letters = "".join(LETTERS[value >> 5 * place & 31] for place in range(LENGTH - 1, -1, -1))
    return "-".join(letters[at : at + 4] for at in range(0, LENGTH, 4))


def typed_code(text: str) -> str | None:
    """The code that somebody typed, in its own form; None where it is none."""
    letters = text.upper().translate(READ_AS)
    if len(letters) != LENGTH or any(letter not in LETTERS for letter in letters):
        return None
    return "-".join(letters[at : at + 4] for at in range(0, LENGTH, 4))
