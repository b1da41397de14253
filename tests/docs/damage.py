"""The picture of the effect of damage, docs/damage.svg, from real reads; ``python -m tests.docs.damage`` draws it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import wireloom

PICTURE = Path(__file__).parents[2] / "docs" / "damage.svg"
WIDTH, BAR, STEP, TOP, LEFT = 960, 26, 74, 78, 16
INNER = WIDTH - 2 * LEFT
PAYLOADS = [b"x" * size for size in (120, 60, 200, 90, 150, 80, 170, 110)]
WITHOUT_SPACE = 60
"""Narrower ranges contain no text."""
STYLE = """\
text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328; }
.title { font-weight: bold; }
.note, .in { font-size: 12px; fill: #57606a; }
.in { text-anchor: middle; }
rect { stroke: #ffffff; }
.page { fill: #ffffff; stroke: none; }
.read { fill: #b7e3c0; } .lost { fill: #f4a9a3; } .tail { fill: #d5dae0; } .hit { fill: #b42318; stroke: none; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .note { fill: #a9b4bf; } .in { fill: #0d1117; }
rect { stroke: #0d1117; } .page { fill: #0d1117; }
.read { fill: #4f9a63; } .lost { fill: #c4554d; } .tail { fill: #6e7681; } .hit { fill: #ffd7d3; }
}"""


@dataclass(frozen=True)
class Case:
    """One bar. ``damaged`` changes the bytes of a log and returns the changed places."""

    title: str
    format: str
    damaged: Callable[[bytearray, list[int]], list[int]]
    options: dict[str, Any]


def _flip(row: int, place: int) -> Callable[[bytearray, list[int]], list[int]]:
    def damaged(data: bytearray, offsets: list[int]) -> list[int]:
        at = offsets[row] + place
        data[at] ^= 0x5A
        return [at]

    return damaged


def _cut(data: bytearray, offsets: list[int]) -> list[int]:
    at = offsets[-1] + 40
    del data[at:]
    return [at]


def _zeros(data: bytearray, offsets: list[int]) -> list[int]:
    begin, end = offsets[2] + 90, offsets[4] + 30
    data[begin:end] = bytes(end - begin)
    return list(range(begin, end))


CASES = (
    Case("a byte of a payload has changed", "edgemq_segment", _flip(2, 60), {}),
    Case("a length has changed, which leads far beyond the record", "edgemq_segment", _flip(2, 1), {}),
    Case("the same, read with recover", "edgemq_segment", _flip(2, 1), {"recover": True}),
    Case("a part was never written and is zeros, read with recover", "edgemq_segment", _zeros, {"recover": True}),
    Case("the file was cut off", "edgemq_segment", _cut, {}),
    Case("a delimiter has changed, in a log with delimiters", "word_stuffed_log", _flip(3, 0), {}),
)


def drawn() -> str:
    """Return the picture, as SVG."""
    parts = []
    for number, case in enumerate(CASES):
        parts += _bar(case, TOP + STEP * number)
    height = TOP + STEP * len(CASES)
    legend = "".join(
        f'<rect class="{style}" x="{x}" y="44" width="14" height="14"/>'
        f'<text class="note" x="{x + 20}" y="55">{text}</text>\n'
        for x, style, text in (
            (LEFT, "read", "a record that is read"),
            (LEFT + 180, "lost", "a damaged range, in the report and the quarantine"),
            (LEFT + 520, "tail", "the tail, which is not read"),
            (LEFT + 730, "hit", "the bytes that were changed"),
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title">\n<title id="title">What damage costs</title>\n'
        f'<style>\n{STYLE}\n</style>\n<rect class="page" width="100%" height="100%"/>\n'
        f'<text class="title" x="{LEFT}" y="28">What damage costs: eight records, damaged in six ways, '
        "as the readers see them</text>\n"
        f"{legend}{''.join(parts)}</svg>\n"
    )


def _written(format: str) -> bytearray:
    other = {"fmt": 0, "tenant": 1, "ts_millis": 0} if format == "edgemq_segment" else {"generation": 1}
    file = io.BytesIO()
    wireloom.write(format, [other | {"payload": each} for each in PAYLOADS], file, codec="none")
    return bytearray(file.getvalue())


def _offsets(format: str, data: bytes, **options: Any) -> tuple[list[int], wireloom.FileReport]:
    table, report = wireloom.read_with_report(format, data, columns=["_offset"], **options)
    return table["_offset"].to_pylist(), report.files[0]


def _bar(case: Case, y: int) -> list[str]:
    data = _written(case.format)
    whole = len(data)
    places, _ = _offsets(case.format, bytes(data))
    ends = dict(zip(places, [*places[1:], whole], strict=True))
    hit = case.damaged(data, places)
    found, file = _offsets(case.format, bytes(data), **case.options)
    damaged = [(each.offset, each.offset + each.length, each.reason) for each in file.damaged]
    parts = [f'<text x="{LEFT}" y="{y + 12}">{escape(case.title)}</text>\n']
    scale = INNER / whole

    def box(style: str, begin: int, end: int, text: str = "") -> None:
        x, width = LEFT + begin * scale, (end - begin) * scale
        parts.append(f'<rect class="{style}" x="{x:.1f}" y="{y + 20}" width="{width:.1f}" height="{BAR}"/>\n')
        if text and width >= WITHOUT_SPACE:
            parts.append(f'<text class="in" x="{x + width / 2:.1f}" y="{y + 37}">{escape(text)}</text>\n')

    for offset in found:
        box("read", offset, ends[offset])
    for begin, end, reason in damaged:
        box("lost", begin, end, reason)
    if file.tail not in ("clean", None) and file.tail_offset is not None:
        box("tail", file.tail_offset, len(data), file.tail)
    width = max(3, (hit[-1] + 1 - hit[0]) * scale)
    top, height = (y + 18, BAR + 4) if len(hit) == 1 else (y + 20 + BAR - 5, 5)
    parts.append(
        f'<rect class="hit" x="{LEFT + hit[0] * scale - 1:.1f}" y="{top}" width="{width:.1f}" height="{height}"/>\n'
    )
    lost = len(PAYLOADS) - len(found)
    parts.append(
        f'<text class="note" x="{WIDTH - LEFT}" y="{y + 12}" text-anchor="end">{len(found)} of {len(PAYLOADS)} records'
        f" are read, {lost} {'is' if lost == 1 else 'are'} lost</text>\n"
    )
    return parts


if __name__ == "__main__":
    PICTURE.write_text(drawn(), "utf-8")
