"""What does a page of metrics say: the samples of Prometheus' text format whose names are wanted.

Format: prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4 (and what OpenMetrics has in common with it).
"""

from __future__ import annotations

from collections.abc import Iterator

ESCAPES = {"n": "\n", '"': '"', "\\": "\\"}


class ExpositionError(ValueError):
    """Text that is no page of metrics; the message holds the line."""


def samples(text: str, prefixes: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str], float]]:
    """(name, labels, value) of every sample whose name begins with one of `prefixes`, in order. Raises ExpositionError.

    Other lines are not looked at: an exporter shows thousands, and forty of them are about disks.
    """
    for line in text.split("\n"):
        if line.startswith(prefixes):
            try:
                yield _sample(line)
            except (ValueError, IndexError, KeyError) as error:
                raise ExpositionError(f"not a sample of Prometheus' text format: {line[:120]!r}") from error


def _sample(line: str) -> tuple[str, dict[str, str], float]:
    brace = line.find("{")
    space = line.find(" ")
    labels: dict[str, str] = {}
    if brace >= 0 and (space < 0 or brace < space):
        name = line[:brace]
        at = brace + 1
        while line[at] != "}":
            equals = line.index("=", at)
            label = line[at:equals].strip(" ,")
            labels[label], at = _quoted(line, line.index('"', equals) + 1)
            while line[at] in ", ":
                at += 1
        rest = line[at + 1 :].split()
    else:
        name, *rest = line.split()
    return name, labels, float(rest[0])


def _quoted(line: str, at: int) -> tuple[str, int]:
    """A label's value from the character after its opening quote, and the place after the closing one."""
    end = line.index('"', at)
    if "\\" not in line[at:end]:
        return line[at:end], end + 1
    out = ""
    while line[at] != '"':
        if line[at] == "\\":
            at += 1
            out += ESCAPES[line[at]]
        else:
            out += line[at]
        at += 1
    return out, at + 1
