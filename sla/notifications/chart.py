"""How slow was the worst disk in its last hour? One small picture that can be read on light and on dark paper."""

import io
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cache, lru_cache

from PIL import Image, ImageDraw, ImageFont

# Drawn twice as large and shrunk: lines come out smooth. Its letters are large enough for a phone 360 wide, where it is
# shown at two fifths of this.
WIDTH, HEIGHT, LARGER = 800, 380, 2
LEFT, RIGHT, TOP, BOTTOM = 100, 12, 56, 52
LETTERS = 26
MINUTES = 60
# Middle tones: 4.5 : 1 on white and on near-black alike, as far as one colour can be both.
TEXT, GRID, MEAN, TAIL, LIMIT = "#6f7b8a", "#8b95a355", "#2f7de1", "#9b6fe0", "#e0484f"
STEPS = (1, 2, 4, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class Point:
    """A minute (Unix seconds); None where there was no request, or nobody looked."""

    start: int
    await_ms: float | None
    p99_ms: float | None


@lru_cache(maxsize=16)  # the people of one zone who are told of one disk get one picture
def draw(points: tuple[Point, ...], threshold_ms: float | None, end: int, zone: tzinfo) -> bytes | None:
    """PNG; None where there is nothing to draw. Gaps stay gaps."""
    seen = [v for p in points for v in (p.await_ms, p.p99_ms) if v is not None]
    if not seen:
        return None
    top = nice_top(max([*seen, (threshold_ms or 0) * 1.25]))
    image = Image.new("RGBA", (WIDTH * LARGER, HEIGHT * LARGER), (0, 0, 0, 0))
    pen = _Pen(ImageDraw.Draw(image), end - MINUTES * 60, top)
    pen.grid(end, zone)
    pen.line([(p.start + 30, p.p99_ms) for p in points], TAIL, 3)
    pen.line([(p.start + 30, p.await_ms) for p in points], MEAN, 5)
    if threshold_ms:
        pen.limit(threshold_ms)
    pen.legend(threshold_ms)
    out = io.BytesIO()
    image.reduce(LARGER).quantize(64, method=Image.Quantize.FASTOCTREE).save(out, "PNG")
    return out.getvalue()


def nice_top(most: float) -> float:
    """The next of 1, 2, 4, 6, 8, 10, 20 …: four even steps below it."""
    size = 1e-3
    while True:
        for step in STEPS:
            if step * size >= most:
                return step * size
        size *= 10


def labels_of(top: float) -> list[str]:
    """From 0 to `top` ms, short enough to stand left of the picture: in the unit of its size."""
    unit, size = ("µs", 1e-3) if top < 1 else ("ms", 1.0) if top < 1000 else ("s", 1000.0)
    return [f"{top * step / 4 / size:g}" + (f" {unit}" if step == 4 else "") for step in range(5)]


def width_of(words: str) -> float:
    """Pixels of the picture that a label takes."""
    return _font(LETTERS).getlength(words) / LARGER


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.load_default(size * LARGER)


class _Pen:
    """Minutes and milliseconds to pixels."""

    def __init__(self, draw: ImageDraw.ImageDraw, start: int, top: float) -> None:
        self.draw, self.start, self.top = draw, start, top

    def at(self, t: float, ms: float) -> tuple[float, float]:
        across = (t - self.start) / (MINUTES * 60)
        up = min(1.0, ms / self.top)
        x = LEFT + across * (WIDTH - LEFT - RIGHT)
        return x * LARGER, (HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)) * LARGER

    def text(self, xy: tuple[float, float], words: str, anchor: str, fill: str = TEXT, size: int = LETTERS) -> None:
        self.draw.text(xy, words, fill=fill, font=_font(size), anchor=anchor)

    def grid(self, end: int, zone: tzinfo) -> None:
        labels = labels_of(self.top)
        for step in range(5):
            ms = self.top * step / 4
            left, right = self.at(self.start, ms), self.at(end, ms)
            self.draw.line([left, right], fill=GRID, width=2)
            self.text((left[0] - 12 * LARGER, left[1]), labels[step], "rm")
        first = -(-self.start // 900) * 900
        for t in range(first, end + 1, 900):
            x, y = self.at(t, 0)
            if x < (WIDTH - 130) * LARGER:
                self.text((x, y + 12 * LARGER), f"{datetime.fromtimestamp(t, zone):%H:%M}", "mt")
        name = datetime.fromtimestamp(end, zone).tzname() or ""
        self.text(((WIDTH - RIGHT) * LARGER, self.at(end, 0)[1] + 12 * LARGER), name, "rt")

    def line(self, points: list[tuple[float, float | None]], colour: str, width: int) -> None:
        run: list[tuple[float, float]] = []
        for t, ms in [*points, (0, None)]:
            if ms is not None and (not run or self.at(t, 0)[0] - run[-1][0] < self._minutes(1.5)):
                run.append(self.at(t, ms))
                continue
            self._stroke(run, colour, width)
            run = [] if ms is None else [self.at(t, ms)]

    def _minutes(self, count: float) -> float:
        return self.at(self.start + 60 * count, 0)[0] - self.at(self.start, 0)[0]

    def _stroke(self, run: list[tuple[float, float]], colour: str, width: int) -> None:
        half = width * LARGER / 2
        if len(run) == 1:
            (x, y) = run[0]
            self.draw.ellipse([x - 2 * half, y - 2 * half, x + 2 * half, y + 2 * half], fill=colour)
        elif run:
            self.draw.line(run, fill=colour, width=width * LARGER, joint="curve")

    def limit(self, ms: float) -> None:
        (x, y), (end, _) = self.at(self.start, ms), self.at(self.start + MINUTES * 60, ms)
        while x < end:
            self.draw.line([(x, y), (min(end, x + 14 * LARGER), y)], fill=LIMIT, width=4 * LARGER)
            x += 24 * LARGER

    def legend(self, threshold_ms: float | None) -> None:
        parts = [("mean", MEAN), ("99th percentile", TAIL)]
        if threshold_ms:
            parts.append((f"{threshold_ms:g} ms promised", LIMIT))
        x, y = LEFT * LARGER, 24 * LARGER
        for words, colour in parts:
            self.draw.line([(x, y), (x + 28 * LARGER, y)], fill=colour, width=6 * LARGER)
            x += 38 * LARGER
            self.text((x, y), words, "lm")
            x += self.draw.textlength(words, font=_font(LETTERS)) + 32 * LARGER
