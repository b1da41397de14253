"""Paths to the rows through single and repeated objects, with other fields around each: what is shown are the rows, or
the repeated objects around them."""

from __future__ import annotations

import zlib
from itertools import product

import pytest
import wireloom
from wireloom.inspecting import Field, Record

from ..specs import format_of
from .agreement import check, shown

STEPS = ("one", "two")
KINDS = [kinds for depth in (1, 2, 3) for kinds in product(*[STEPS] * depth)]
KINDS += [("one",) * depth + ("eos",) for depth in (0, 1, 2)]


def spec_of(kinds: tuple[str, ...]) -> str:
    """Return a spec whose path to the rows has these steps: single objects, two of them, or all that follow."""
    names = [f"step{depth}" for depth in range(len(kinds))]
    repeats = {"one": "", "two": ", repeat: expr, repeat-expr: 2", "eos": ", repeat: eos"}
    text = f"meta: {{id: made, endian: be, -wireloom: {{rows: {'.'.join(names)}}}}}\nseq:\n  - {{id: top, type: u1}}\n"
    for depth, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        around = f"  {name}_of:\n    seq:\n      - {{id: before{depth}, type: u1}}\n" if depth else ""
        after = f"      - {{id: after{depth}, type: u1}}\n" if depth and "eos" not in kinds else ""
        inner = f"{names[depth + 1]}_of" if depth + 1 < len(names) else "row"
        indent = "      " if depth else "  "
        text += f"{around}{indent}- {{id: {name}, type: {inner}{repeats[kind]}}}\n{after}"
        text += "types:\n" if depth == 0 else ""
    text += "  row:\n    seq:\n      - {id: len, type: u1}\n"
    text += "      - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: text}}}\n"
    return text + "      - {id: text, size: len}\n"


def bytes_of(kinds: tuple[str, ...]) -> bytes:
    counter = iter(range(100))

    def made(depth: int) -> bytes:
        if depth == len(kinds):
            text = b"row" * (1 + next(counter) % 3)
            return bytes([len(text)]) + zlib.crc32(text).to_bytes(4, "big") + text
        content = b"".join(made(depth + 1) for _ in range({"one": 1, "two": 2, "eos": 3}[kinds[depth]]))
        return (b"\1" if depth else b"\7") + content + (b"\2" if depth and "eos" not in kinds else b"")

    return made(0)


def fields_of(record: Record) -> list[Field]:
    return [each for top in record.fields for _, each in top.walk()]


@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
def test_every_row_is_in_a_record_with_its_fields(kinds: tuple[str, ...]) -> None:
    format, data = format_of(spec_of(kinds)), bytes_of(kinds)
    assert check(format, data)
    found = shown(format, data)
    rows = wireloom.read(format, data).to_pylist()
    records = [each for each in found if each.kind == "record"]
    texts = [[field for field in fields_of(each) if field.name == "text"] for each in records]
    assert [field.value for each in texts for field in each] == [row["text"] for row in rows]
    repeated = next((depth for depth, kind in enumerate(kinds) if kind != "one"), len(kinds) - 1)
    assert len(records) == {"one": 1, "two": 2, "eos": 3}[kinds[repeated]]
    assert [each.end for each in found[:-1]] == [each.begin for each in found[1:]]
    assert (found[0].begin, found[-1].end) == (0, len(data))
    shown_fields = [each for part in found for each in fields_of(part) if not each.children]
    assert [each.begin for each in shown_fields] == sorted({each.begin for each in shown_fields})
    named = {"top", *(f"before{depth}" for depth in range(1, len(kinds)))}
    assert named <= {each.name for each in shown_fields}
