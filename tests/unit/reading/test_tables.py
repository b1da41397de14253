"""Several tables of one spec: each is read by its name, with both readers alike."""

import pickle
import struct
from contextlib import nullcontext
from pathlib import Path

import pytest
import wireloom
from wireloom import UnknownNameError

from ...differential.agreement import agreed, objects_only
from ...examples import strided
from ..specs import format_of

SPEC = """
meta:
  id: library
  endian: le
  -wireloom:
    path: "{town}.lib"
    tables:
      books: {rows: records.body.as<book>, columns: [kind, pages, title], parent-columns: [num_index]}
      shelves: {rows: records.body.as<shelf>}
      records: {rows: records, columns: [kind, len]}
      index: {rows: index, columns: [at, num_index]}
seq:
  - {id: magic, contents: "LIB"}
  - {id: num_index, type: u1}
  - {id: index, type: entry, repeat: expr, repeat-expr: num_index}
  - {id: records, type: record, repeat: eos}
types:
  entry:
    seq: [{id: at, type: u4}]
  record:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u2}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: shelf, 2: book}}}
  shelf:
    seq:
      - {id: room, type: u1, valid: {max: 9}}
      - {id: label, type: strz, encoding: UTF-8}
  book:
    seq:
      - {id: pages, type: u2}
      - {id: title, type: strz, encoding: UTF-8}
"""
TABLES = {
    "books": [
        {"kind": 2, "pages": 16, "title": "Alice", "num_index": 2},
        {"kind": 2, "pages": 32, "title": "Bob", "num_index": 2},
    ],
    "shelves": [{"room": 5, "label": "a-c"}, {"room": 6, "label": "d"}],
    "records": [
        {"kind": 1, "len": 5},
        {"kind": 2, "len": 8},
        {"kind": 9, "len": 2},
        {"kind": 2, "len": 6},
        {"kind": 1, "len": 3},
    ],
    "index": [{"at": 7, "num_index": 2}, {"at": 9, "num_index": 2}],
}


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<BH", kind, len(body)) + body


DATA = b"".join(
    [
        b"LIB\2" + struct.pack("<II", 7, 9),
        record(1, b"\5a-c\0"),
        record(2, b"\x10\0Alice\0"),
        record(9, b"??"),
        record(2, b"\x20\0Bob\0"),
        record(1, b"\6d\0"),
    ]
)


@pytest.fixture(scope="module")
def library() -> wireloom.Format:
    return format_of(SPEC)


@pytest.mark.parametrize("reader", ["columns", "objects"])
@pytest.mark.parametrize("table", TABLES)
def test_each_table_has_its_rows(library: wireloom.Format, table: str, reader: str) -> None:
    with objects_only() if reader == "objects" else nullcontext():
        found, report = wireloom.read_with_report(library, DATA, table=table)
    assert found.to_pylist() == TABLES[table]
    assert report.clean
    assert library.of_table(table).engine_refusal is None
    assert wireloom.schema(library, table=table) == found.schema


def test_the_first_table_is_the_default(library: wireloom.Format) -> None:
    assert library.tables == tuple(TABLES)
    assert (library.option, library.table) == ("table", "books")
    assert wireloom.read(library, DATA).to_pylist() == TABLES["books"]


def test_columns_of_paths_belong_to_every_table(library: wireloom.Format, tmp_path: Path) -> None:
    path = tmp_path / "rome.lib"
    path.write_bytes(DATA)
    for table in TABLES:
        assert set(wireloom.read(library, path, table=table, columns=["town"])["town"].to_pylist()) == {"rome"}


def test_tables_know_each_other_and_travel_to_other_processes(library: wireloom.Format) -> None:
    shelves = library.of_table("shelves")
    assert shelves.of_table("books").default_columns == library.default_columns
    assert shelves.of_table("shelves").table == "shelves"
    assert shelves.row_class.__module__ == library.row_class.__module__
    again = pickle.loads(pickle.dumps(shelves))
    assert (again.table, again.schema) == ("shelves", shelves.schema)
    assert wireloom.read(again, DATA).to_pylist() == TABLES["shelves"]


def test_an_unknown_table_is_an_error_that_lists_them(library: wireloom.Format) -> None:
    said = r"^unknown table 'bookz' of library: did you mean 'books'\? it has books, shelves, records, index"
    with pytest.raises(UnknownNameError, match=said):
        wireloom.read(library, DATA, table="bookz")
    with pytest.raises(UnknownNameError, match="edgemq_segment has one table: leave the option 'table' out"):
        wireloom.read("edgemq_segment", b"", table="books")


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_both_readers_agree_on_damage_of_every_byte(library: wireloom.Format, table: str) -> None:
    for index in strided(range(len(DATA)), 3, list(TABLES).index(table) % 3):
        for bits in (0x01, 0x80):
            damaged = bytearray(DATA)
            damaged[index] ^= bits
            agreed(library, bytes(damaged), table=table)
        agreed(library, DATA[:index], table=table)


def test_damage_in_one_kind_of_record_costs_no_row_of_another(library: wireloom.Format) -> None:
    damaged = bytearray(DATA)
    damaged[DATA.index(b"\5a-c")] = 10
    for table, count in {"books": 2, "shelves": 1}.items():
        found, report = wireloom.read_with_report(library, bytes(damaged), table=table)
        assert (found.num_rows, len(report.files[0].damaged)) == (count, 1)


def test_a_column_of_another_table_is_said_to_be_there(library: wireloom.Format) -> None:
    with pytest.raises(UnknownNameError, match="unknown column of library 'room': table 'shelves' has it"):
        wireloom.read(library, DATA, table="books", columns=["room"])
