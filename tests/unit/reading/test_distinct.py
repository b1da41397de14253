"""Tables with each row once, though the input repeats it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: declared
  endian: le
  -wireloom:
    tables:
      uses:
        rows: [records.body.as<use>, records.body.as<block>.records.body.as<use>]
        columns: [id]
        look-ups: {name: {table: names, key: id, match: id, value: name}}
      names:
        rows: [records.body.as<name>, records.body.as<block>.records.body.as<name>]
        distinct: true
        columns: [id, name, author]
        selectable: [more]
        look-ups: {author: {table: authors, key: id, match: id, value: author}}
      authors: {rows: records.body.as<author>, columns: [id, author]}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: kind, type: u1, valid: {max: 4}}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: name, 2: use, 3: block, 4: author}}}
  name:
    seq:
      - {id: id, type: u1, valid: {max: 9}}
      - {id: name, type: str, size: 1, encoding: ASCII}
      - {id: more, type: u1}
  use: {seq: [{id: id, type: u1}]}
  author: {seq: [{id: id, type: u1}, {id: author, type: u1}]}
  block: {seq: [{id: records, type: inner, repeat: eos}]}
  inner:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: name, 2: use}}}
"""


def record(kind: int, body: bytes) -> bytes:
    return bytes([kind, len(body)]) + body


def name(number: int, text: bytes, more: int = 0) -> bytes:
    return record(1, bytes([number]) + text + bytes([more]))


def use(number: int) -> bytes:
    return record(2, bytes([number]))


@pytest.fixture(scope="module")
def format() -> wireloom.Format:
    return format_of(SPEC)


def pairs(table: Any) -> list[tuple[Any, Any]]:
    return [(each["id"], each["name"]) for each in table.to_pylist()]


@pytest.mark.parametrize("chunk", [None, 1, 7])
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_each_row_is_once(format: wireloom.Format, row_reader: str, chunk: int | None) -> None:
    parts = [
        *(name(1, b"a"), use(1), name(1, b"b"), use(1), name(1, b"a"), use(1)),
        # Rows of one block may be equal, and equal those outside of it.
        record(3, name(2, b"c") + name(2, b"c", 5) + name(1, b"b") + name(3, b"d")),
        *(record(4, b"\1\7"), name(2, b"c"), name(1, b"a")),
    ]
    content = b"".join(parts)
    wanted = [(1, "a"), (1, "b"), (2, "c"), (3, "d")]

    def of(**options: Any) -> tuple[Any, dict[str, Any]]:
        return read(row_reader, format, content, chunk=chunk, table="names", mode="failfast", **options)

    table, report = of()
    assert (pairs(table), report["rows"]) == (wanted, 4)
    # A look-up may differ between equal rows; columns that are not selected count.
    assert table["author"].to_pylist() == [None] * 4
    assert of(columns=["id"])[0]["id"].to_pylist() == [1, 1, 2, 3]
    assert of(columns=["more", "_offset"])[0].to_pylist()[:2] == [{"more": 0, "_offset": 0}, {"more": 0, "_offset": 8}]
    assert pairs(of(filter=pc.field("name") != "b")[0]) == [wanted[0], *wanted[2:]]
    assert pairs(of(limit=2)[0]) == wanted[:2]
    uses = read(row_reader, format, content, chunk=chunk, table="uses", mode="failfast")[0]
    assert uses["name"].to_pylist() == ["a", "b", "a"]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_damage_is_not_compared(format: wireloom.Format, row_reader: str) -> None:
    content = name(1, b"a") + name(20, b"a") + name(20, b"a") + name(1, b"a") + name(2, b"a") + name(2, b"a")
    for columns, wanted in (
        (["id", "name"], [(1, "a"), (2, "a")]),
        (["id", "name", "_error"], [(1, "a"), (None, None), (None, None), (2, "a")]),
    ):
        table, report = read(row_reader, format, content, table="names", columns=columns)
        assert pairs(table) == wanted
        assert [each[:2] for each in report["damaged"]] == [[5, 5], [10, 5]]
        if "_error" in columns:
            assert [bool(each) for each in table["_error"].to_pylist()] == [False, True, True, False]


CHECKED = """
meta:
  id: checked
  -wireloom: {tables: {names: {rows: items.body.as<name>, distinct: true}}}
seq: [{id: items, type: item, repeat: eos}]
types:
  item:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: name}}}
      - {id: sum, type: u1, -wireloom: {checksum: {algorithm: sum8, over: [kind, body]}}}
  name: {seq: [{id: id, type: u1}, {id: name, type: u1}]}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("batch_rows", [1, 2, 3, 32768])
def test_damage_after_equal_rows_is_counted_where_it_is(row_reader: str, batch_rows: int) -> None:
    """Numbers of rows before damage are those of the rows that are kept."""
    first, damaged, other = bytes([1, 2, 0, 1, 4]), bytes([1, 2, 0, 1, 9]), bytes([1, 2, 7, 7, 17])
    loaded = format_of(CHECKED)
    data = first * 2 + damaged + first + other * 2 + damaged + first
    columns = ["_offset", "id", "_error"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WIRELOOM_ENGINE", row_reader)
        table, report = wireloom.read_with_report(loaded, data, columns=columns, batch_rows=batch_rows)
        plain, counted = wireloom.read_with_report(loaded, data)
    rows = [(each["_offset"], each["id"], each["_error"] is None) for each in table.to_pylist()]
    assert rows == [(0, 0, True), (10, None, False), (20, 7, True), (30, None, False)]
    assert (report.rows, counted.rows, plain.num_rows) == (2, 2, 2)


def test_inputs_are_read_from_their_first_byte_and_have_rows_of_their_own(
    format: wireloom.Format, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_bytes(name(1, b"a"))
    with pytest.raises(wireloom.UnsupportedError, match="its rows are compared with earlier ones"):
        wireloom.read(format, log, table="names", byte_range=(0, 5))
    assert pairs(wireloom.read(format, [log, log], table="names")) == [(1, "a")] * 2


def test_every_unit_is_inspected(tmp_path: Path) -> None:
    spec, log = tmp_path / "declared.ksy", tmp_path / "log"
    spec.write_text(SPEC)
    log.write_bytes(name(1, b"a") + name(1, b"a"))
    result = CliRunner().invoke(main, ["inspect", str(spec), str(log), "--table", "names"])
    assert (result.exit_code, len(re.findall(r"\bid +", result.output))) == (0, 2), result.output


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("distinct: 1", "/distinct"),
        (
            "distinct: true, fragments: {kind: kind, data: body, full: [1], first: [2], middle: [3], last: [4]}",
            "'distinct' and 'fragments' cannot be used together",
        ),
    ],
)
def test_mistakes(keys: str, said: str) -> None:
    with pytest.raises(wireloom.SpecError, match=said):
        format_of(
            f"meta: {{id: declared, -wireloom: {{rows: records, {keys}}}}}\n"
            "seq: [{id: records, type: record, repeat: eos}]\n"
            "types: {record: {seq: [{id: kind, type: u1}, {id: len, type: u1}, {id: body, size: len}]}}\n"
        )


FLAT = """
meta: {id: flat, -wireloom: {tables: {names: {rows: names, distinct: true, columns: [id, name], selectable: [more]}}}}
seq: [{id: names, type: name, repeat: eos}]
types: {name: {seq: [{id: id, type: u1}, {id: name, type: u1}, {id: more, type: u1}]}}
"""


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize(("column", "value", "expected"), [("id", 1, 2), ("id", 2, 1), ("id", 9, 0), ("more", 7, 0)])
def test_a_filter_is_applied_to_the_distinct_rows(reader: str, column: str, value: int, expected: int) -> None:
    data = b"\1\1\0" + b"\2\2\0" + b"\1\1\7" + b"\1\3\0" + b"\2\2\0"
    for batch_rows in (1, 100):
        table, report = read(reader, format_of(FLAT), data, filter=pc.field(column) == value, batch_rows=batch_rows)
        assert (len(table), report["rows"]) == (expected, 3)
