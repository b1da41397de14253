"""Records as text: hex next to the tree of fields, each field in its own colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ..base.text import counted
from ..format.description import Format
from .displayed_records import Record
from .field import Field
from .value_text import shown, timestamps

COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "bright_red", "bright_cyan", "bright_green", "bright_magenta")
DIM = "bright_black"
PER_LINE = 16
GAP = 3
"""Number of blanks between hex and fields if they are side by side."""
COLUMN_GAP = 2
ROOM = 40
"""Minimum width of the column of values, in characters, if its values need it; otherwise fields are printed below."""


class Painter:
    """Printer of records of one format."""

    def __init__(self, format: Format, console: Console, limit: int) -> None:
        self._console = console
        self._limit = limit
        self._units = timestamps(format)

    def print(self, record: Record) -> None:
        """Print one record with at most ``limit`` of its bytes; 0 means all."""
        self._console.print(self._head(record))
        flat = [pair for each in record.fields for pair in each.walk()]
        styles = {id(each): COLOURS[number % len(COLOURS)] for number, (_, each) in enumerate(flat)}
        owners = owners_of(record, self._limit)
        content_styles = [styles.get(id(each), DIM) for each in owners]
        dumps: list[RenderableType] = []
        if record.places is None or record.content:
            dumps.append(self._dump(record.content, record.base, content_styles))
        if record.places is not None:
            stored = self._stored_styles(record, content_styles)
            dumps += [Text(f"{'as stored, with delimiter and stuffing' if dumps else 'as stored'}:", style=DIM)]
            dumps.append(self._dump(record.data, record.begin, stored))
        fields = self._fields(record, flat, styles)
        if flat and self._fits(dumps, fields):
            grid = Table.grid(padding=(0, GAP))
            grid.add_column(no_wrap=True)
            grid.add_column(overflow="fold")
            grid.add_row(Group(*dumps), fields)
            self._console.print(grid)
        else:
            self._console.print(Group(*dumps, *([fields] if flat else [])))
        self._console.print()

    def _fits(self, dumps: Sequence[RenderableType], fields: Table) -> bool:
        """Return whether hex and fields fit side by side without truncating the values."""
        hex_width = max(Measurement.get(self._console, self._console.options, each).maximum for each in dumps)
        *fixed, values = [
            max(Measurement.get(self._console, self._console.options, cell).maximum for cell in column.cells)
            for column in fields.columns
        ]
        # Each column but the last is followed by its padding.
        needed = sum(fixed) + COLUMN_GAP * len(fixed) + min(values, ROOM)
        return hex_width + GAP + needed <= self._console.width

    def _head(self, record: Record) -> Text:
        good = record.reason is None
        head = Text()
        head.append(record.title, style="bold")
        head.append(f"  bytes {record.begin:,} to {record.end:,} ({counted(record.end - record.begin, 'byte')})  ")
        head.append(("✓ " if good else "✗ ") + record.verdict, style="green" if good else "bold red")
        if record.message is not None and not any(each.problem for f in record.fields for _, each in f.walk()):
            head.append(f": {record.message}", style="red")
        return head

    def _stored_styles(self, record: Record, content_styles: Sequence[str]) -> list[str]:
        assert record.places is not None
        return [
            f"{DIM} reverse" if place < 0 else content_styles[place] if place < len(content_styles) else DIM
            for place in record.places
        ]

    def _dump(self, data: bytes, base: int, styles: Sequence[str]) -> Text:
        end = min(len(data), self._limit or len(data))
        out = Text()
        digits = max(6, len(f"{base + end:x}"))
        for line in range(0, end, PER_LINE):
            if line:
                out.append("\n")
            out.append(f"{base + line:0{digits}x}  ", style=DIM)
            signs = Text()
            for index in range(line, line + PER_LINE):
                if index < end:
                    style = styles[index] if index < len(styles) else DIM
                    out.append(f"{data[index]:02x}", style=style)
                    signs.append(chr(data[index]) if 32 <= data[index] < 127 else "·", style=style)
                else:
                    out.append("  ")
                out.append("  " if index % 8 == 7 else " ")
            out.append_text(signs)
        if end < len(data):
            out.append(f"\n… {counted(len(data) - end, 'more byte')} (--bytes 0 shows all)", style=DIM)
        return out

    def _fields(self, record: Record, flat: Sequence[tuple[int, Field]], styles: dict[int, str]) -> Table:
        table = Table.grid(padding=(0, COLUMN_GAP))
        for _ in range(3):
            table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for depth, each in flat:
            place: Any = f"{each.begin - record.base:+x}" if each.begin >= 0 else ""
            size = f"{each.size:,} B" if each.begin >= 0 else "computed" if each.computed else ""
            value = Text(shown(each, self._units))
            if each.checked is True:
                value.append(" ✓ holds", style="green")
            if each.problem is not None:
                value.append(f"{' ' if value.plain else ''}✗ {each.problem}", style="bold red")
            name = Text("  " * depth + each.name, style=styles[id(each)] if each.begin >= 0 else DIM)
            table.add_row(name, Text(str(place), style=DIM), Text(size, style=DIM), value)
        return table


def owners_of(record: Record, limit: int) -> list[Field | None]:
    """Return the innermost field to which each byte of the content belongs, for up to ``limit`` bytes (0: all)."""
    owners: list[Field | None] = [None] * min(len(record.content), limit or len(record.content))

    def paint(each: Field) -> None:
        if each.begin >= 0:
            begin, end = max(0, each.begin - record.base), min(each.end - record.base, len(owners))
            owners[begin:end] = [each] * max(0, end - begin)
        for child in each.children:
            paint(child)

    for each in record.fields:
        paint(each)
    return owners
