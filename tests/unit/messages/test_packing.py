"""Writing: rows of every form to messages, units and files, and the errors that name row and column."""

from __future__ import annotations

import dataclasses
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import UnknownNameError, UnsupportedError, WireloomError
from wireloom.format.description import Column
from wireloom.units.packing import Packed, enveloped
from wireloom.writing.messages.row_packing import RowPacking

from ...writing import bytes_of
from .notes import FORMAT, framed
from .notes.wire import field, note, page

VARINT = framed("varint")
ROWS: list[dict[str, Any]] = [
    {"title": "a", "text": b"x", "marks": [{"key": "k", "value": 1}, {"key": "l"}]},
    {"title": "b", "text": None, "marks": []},
    {"title": "c", "text": b"", "marks": None},
]
WIRE = page(note("a", b"x", (("k", 1),)) + b"\x1a\x03\n\x01l", note("b"), note("c", b""))


def test_rows_become_the_bytes_of_a_message() -> None:
    assert bytes_of(FORMAT, ROWS) == WIRE
    report = wireloom.write(FORMAT, iter(ROWS), io.BytesIO())
    assert (report.rows, report.bytes) == (3, len(WIRE))


def test_rows_of_every_shape_give_the_same() -> None:
    table = pa.Table.from_pylist(ROWS, wireloom.schema(FORMAT))
    shapes: list[Any] = [
        table,
        table.to_batches(max_chunksize=1),
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2)),
        {name: [row[name] for row in ROWS] for name in ROWS[0]},
        {name: table[name] for name in table.column_names},
        table.select(["marks", "text", "title"]),
        table.append_column("number", pa.array([5, 6, 7])).append_column("_path", pa.array(["a", "b", "c"])),
    ]
    for rows in shapes:
        assert bytes_of(FORMAT, rows) == WIRE
    tuples = [{**ROWS[0], "marks": [("k", 1), ("l", None)]}]
    with pytest.raises(WireloomError, match=r"row 0, column marks\[0\]: .*mapping"):
        bytes_of(FORMAT, tuples)


def test_integers_of_64_bits_also_as_decimals() -> None:
    kind = pa.list_(pa.struct([("key", pa.utf8()), ("value", pa.decimal128(20))]))
    marks = pa.array([[{"key": "k", "value": Decimal(2**64 - 1)}]], kind)
    table = pa.table({"title": ["a"], "marks": marks, "book": pa.array([Decimal(2**64 - 1)], pa.decimal128(20))})
    assert bytes_of(FORMAT, table) == page(note("a", None, (("k", 2**64 - 1),)), book=2**64 - 1)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "title": st.text(max_size=5),
                "text": st.none() | st.binary(max_size=5),
                "marks": st.lists(
                    st.fixed_dictionaries({"key": st.text(max_size=3), "value": st.none() | st.integers(0, 2**64 - 1)}),
                    max_size=3,
                ),
                "book": st.integers(0, 2),
            }
        ),
        max_size=6,
    )
)
def test_what_is_written_is_read_again(decoder: str, rows: list[dict[str, Any]]) -> None:
    names = ["title", "text", "marks", "book"]
    assert wireloom.read(VARINT, bytes_of(VARINT, rows), columns=names).to_pylist() == rows


@pytest.mark.slow
def test_many_rows_are_many_units() -> None:
    rows = [{"title": str(number)} for number in range(2500)]
    table, report = wireloom.read_with_report(VARINT, bytes_of(VARINT, rows), columns=["title"])
    assert table.to_pylist() == rows
    assert report.files[0].facts["messages"] == 3
    large = [{"title": "t", "text": bytes(400_000)} for _ in range(6)]
    table, report = wireloom.read_with_report(VARINT, bytes_of(VARINT, large))
    assert (table.num_rows, report.files[0].facts["messages"]) == (6, 4)


def test_columns_above_the_row_have_one_value_in_a_message() -> None:
    rows = [{"title": str(number), "book": number // 2} for number in range(5)]
    table, report = wireloom.read_with_report(VARINT, bytes_of(VARINT, rows), columns=["title", "book"])
    assert table.to_pylist() == rows
    assert report.files[0].facts["messages"] == 3
    with pytest.raises(WireloomError, match="row 2, column book: 1 after 0"):
        bytes_of(FORMAT, rows)


def test_no_rows() -> None:
    assert bytes_of(FORMAT, []) == b""
    assert bytes_of(VARINT, []) == b""
    assert wireloom.to_wire([], FORMAT).to_pylist() == [b""]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"title": None}, "column title: the required field is missing"),
        ({"text": b"a"}, "column title: the required field is missing"),
        ({"title": "a", "marks": [{"key": "k"}, {"key": "l", "value": -1}]}, r"column marks\[1\].value: -1 does not"),
        ({"title": "a", "marks": [{"value": 1}]}, r"column marks\[0\].key: the required field is missing"),
        ({"title": "a", "marks": [{"key": "k", "valu": 1}]}, r"column marks\[0\].valu: unknown field"),
        ({"title": "a", "marks": [None]}, r"column marks\[0\]: null"),
        ({"title": "a", "marks": "text"}, "column marks: 'text' is not a list"),
        ({"title": "a", "marks": [7]}, r"column marks\[0\]: 7 is no Page.Mark"),
        ({"title": "a", "marks": [{"key": 7}]}, r"column marks\[0\].key: 7 does not fit"),
        ({"title": "a", "book": -1}, "column book: -1 does not fit uint64"),
    ],
)
def test_errors_name_the_row_and_the_column(row: dict[str, Any], said: str) -> None:
    for format in (FORMAT, VARINT):
        with pytest.raises(WireloomError, match=f"row 3, {said}"):
            bytes_of(format, [{"title": str(number)} for number in range(3)] + [row])


def test_names_that_do_not_exist() -> None:
    with pytest.raises(UnknownNameError, match="'title'"):
        bytes_of(FORMAT, [{"titel": "a"}])
    with pytest.raises(UnknownNameError, match="'max_record'"):
        bytes_of(FORMAT, ROWS, max_recrod=5)
    with pytest.raises(WireloomError, match="more than one column title"):
        bytes_of(FORMAT, pa.table([pa.array(["a"])] * 2, ["title", "title"]))
    with pytest.raises(WireloomError, match="rows must be mappings"):
        bytes_of(FORMAT, [{"title": "a"}, 7])
    with pytest.raises(WireloomError, match="rows cannot be read from"):
        bytes_of(FORMAT, 7)
    with pytest.raises(UnsupportedError, match=r"wireloom\.write"):
        wireloom.to_wire(ROWS, "edgemq_segment")


def test_a_message_has_a_largest_size() -> None:
    with pytest.raises(WireloomError, match="rows 0 to 2") as raised:
        bytes_of(FORMAT, ROWS, max_record=len(WIRE) - 1)
    assert raised.value.reason == "limit"
    assert bytes_of(FORMAT, ROWS, max_record=str(len(WIRE))) == WIRE


def test_files_have_codecs_and_appear_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.zst"
    report = wireloom.write(VARINT, ROWS, path)
    assert report.stored == path.stat().st_size
    assert path.read_bytes().startswith(b"\x28\xb5\x2f\xfd")
    assert wireloom.read(VARINT, path).num_rows == 3
    with pytest.raises(WireloomError):
        wireloom.write(VARINT, [{"title": None}], tmp_path / "b.notes")
    assert [each.name for each in tmp_path.iterdir()] == ["a.notes.zst"]


def test_an_envelope_is_put_around_each_message() -> None:
    wrapped = framed("whole", prefix=b"\x01\x02", digest="md5", least=1)
    [blob] = wireloom.to_wire(ROWS, wrapped).to_pylist()
    assert blob == enveloped(wrapped, WIRE)
    assert (blob[:2], blob[2:-16], len(blob)) == (b"\x01\x02", WIRE, len(WIRE) + 18)
    with pytest.raises(WireloomError, match="at least 1 byte"):
        wireloom.to_wire([], wrapped)


def test_lists_of_structs_become_blobs_again(decoder: str) -> None:
    blobs = pa.array([WIRE, None, b"", page(note("z"), book=3)])
    lists = wireloom.from_wire(blobs, FORMAT, columns=["title", "text", "marks", "book"])
    assert wireloom.to_wire(lists, FORMAT).to_pylist() == blobs.to_pylist()
    assert wireloom.to_wire(lists.slice(2), FORMAT).to_pylist() == blobs.to_pylist()[2:]
    chunked = pa.chunked_array([lists, lists.slice(3)])
    assert wireloom.to_wire(chunked, FORMAT).to_pylist() == [*blobs.to_pylist(), blobs[3].as_py()]
    structs = lists[0].values
    assert wireloom.to_wire(structs, FORMAT).to_pylist() == [WIRE]
    bad = pa.array([[{"title": "a"}], [{"title": "b"}, {"title": None}]])
    with pytest.raises(WireloomError, match="list 1: row 1, column title"):
        wireloom.to_wire(bad, FORMAT)


class Pairs:
    """Packs two rows into a message."""

    OPTIONS = ("prefix",)

    def __init__(self, format: Any, *, max_record: int, prefix: str = "") -> None:
        self._prefix = prefix

    def pack(self, rows: Any) -> Any:
        held: list[str] = []
        for row in rows:
            held.append(self._prefix + row["title"])
            if len(held) == 2:
                yield Packed(page(*map(note, held)), 2)
                held = []
        if held:
            yield Packed(page(*map(note, held)), 1)


def test_a_format_may_bring_its_own_packing(decoder: str) -> None:
    paired = framed("u2be", packing=f"{__name__}:Pairs")
    rows = [{"title": each} for each in "abcde"]
    table, report = wireloom.read_with_report(paired, bytes_of(paired, rows, prefix="-"), columns=["title"])
    assert table["title"].to_pylist() == ["-a", "-b", "-c", "-d", "-e"]
    assert report.files[0].facts["messages"] == 3
    with pytest.raises(UnknownNameError, match="'prefix'"):
        bytes_of(paired, rows, perfix="-")
    whole = framed("whole", packing=f"{__name__}:Pairs")
    with pytest.raises(WireloomError, match="one unit"):
        bytes_of(whole, rows)
    assert len(wireloom.to_wire(rows, whole)) == 3


def test_rows_may_stand_deeper_in_a_message() -> None:
    shelf = dataclasses.replace(
        framed("varint", message="Shelf", rows=("pages", "notes")),
        columns=(*FORMAT.columns, Column("place", "string", attribute="place", up=2)),
    )
    rows = [{"title": "a", "book": 7, "place": "hall"}, {"title": "b", "book": 7, "place": "hall"}, {"title": "c"}]
    first, second = RowPacking(shelf, max_record=1 << 20).pack(rows)
    assert (first.rows, second.rows) == (2, 1)
    assert first.unit == field(1, page(note("a"), note("b"), book=7)) + field(2, b"hall")
    assert second.unit == field(1, page(note("c")))


def test_a_message_may_be_a_row() -> None:
    single = framed("varint", message="Page.Note", rows=())
    units = list(RowPacking(single, max_record=1 << 20).pack([{"title": "a"}, {"title": "b", "text": b"x"}]))
    assert units == [Packed(note("a"), 1), Packed(note("b", b"x"), 1)]
    with pytest.raises(WireloomError, match="row 1: a message of notes has one row"):
        list(RowPacking(framed("whole", message="Page.Note", rows=()), max_record=99).pack([{"title": "a"}] * 2))
