"""Sizes, counts and positions that exceed any input: the input ends there, and nothing is allocated."""

import io
import tracemalloc
from pathlib import Path

import pytest
import wireloom
from wireloom.objects import EndOfStreamError, FileStream

from ..specs import format_of
from .compiling import made

NUMBERS = [2**40, 2**40 + 1, 2**63 - 2, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**100]
FIELDS = (
    "size: {}",
    "type: str, encoding: UTF-8, size: {}, terminator: 0",
    "type: pair, size: {}",
    "type: u1, repeat: expr, repeat-expr: {}",
    "type: u4, repeat: expr, repeat-expr: {}",
    "type: pair, repeat: expr, repeat-expr: {}",
    "type: pair, repeat: expr, repeat-expr: a * {}",
    "size: 2, repeat: expr, repeat-expr: {}",
)
DATA = bytes(range(1, 30))


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("field", FIELDS)
def test_the_input_ends(field: str, number: int, tmp_path: Path) -> None:
    root = made(f"""
    seq:
      - {{id: a, type: u1}}
      - {{id: b, {field.format(number)}}}
      - {{id: c, type: u1}}
    types:
      pair: {{seq: [{{id: x, type: u1}}, {{id: y, type: u1}}]}}
    """)
    (tmp_path / "input").write_bytes(DATA)
    tracemalloc.start()
    for read in (lambda: root.from_bytes(DATA), lambda: root.from_file(tmp_path / "input")):
        with pytest.raises(EOFError):
            read()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize("number", NUMBERS)
def test_items_of_a_count_that_the_input_says(number: int) -> None:
    root = made("""
    seq:
      - {id: n, type: u8}
      - {id: b, type: pair, repeat: expr, repeat-expr: n}
    types:
      pair: {seq: [{id: x, type: u1}, {id: y, type: u1}]}
    """)
    with pytest.raises(EOFError):
        root.from_bytes(min(number, 2**64 - 1).to_bytes(8, "little") + DATA)
    assert root.from_bytes((2).to_bytes(8, "little") + DATA).b[1].y == 4


@pytest.mark.parametrize("number", NUMBERS)
def test_a_place_after_the_end_of_any_file(number: int, tmp_path: Path) -> None:
    root = made(f"""
    seq: [{{id: a, type: u1}}]
    instances: {{b: {{pos: {number}, size: 1}}}}
    """)
    (tmp_path / "input").write_bytes(DATA)
    for source in (io.BytesIO(DATA), (tmp_path / "input").open("rb")):
        with source, pytest.raises(EOFError):
            _ = root(FileStream(source)).b


def test_a_seek_that_is_wrong_is_no_end() -> None:
    stream = FileStream(io.BytesIO(DATA))
    with pytest.raises(ValueError, match="invalid position"):
        stream.seek(-1)
    with pytest.raises(EndOfStreamError, match=r"cannot seek to position 9223372036854775808, the file ends at 29"):
        stream.seek(2**63)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("field", FIELDS)
def test_rows_are_damage_and_no_crash(field: str, number: int) -> None:
    format = format_of(
        "meta: {id: large_rows, endian: le, -wireloom: {rows: rows, columns: [a]}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        "types:\n"
        "  pair: {seq: [{id: x, type: u1}, {id: y, type: u1}]}\n"
        f"  row: {{seq: [{{id: a, type: u1}}, {{id: b, {field.format(number)}}}]}}\n"
    )
    table, report = wireloom.read_with_report(format, DATA, check_format=False)
    assert (table.num_rows, report.files[0].tail) == (0, "truncated")
