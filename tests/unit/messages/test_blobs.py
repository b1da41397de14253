"""Columns of blobs: every kind of array, nulls, slices, chunks, damage, and the columns around them."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import DamagedInputError, UnknownNameError, UnsupportedError, WireloomError
from wireloom.reading.blobs import reader
from wireloom.reading.blobs.reader import memory_of

from .notes import FORMAT, framed
from .notes.wire import field, note, page

FIRST = page(note("a", b"x", (("k", 1),)), note("b"), book=7)
BAD = page(field(2, b"no title"))
LAST = page(note("c", b"", (("k", 0),)))
BLOBS = [LAST, FIRST, None, BAD, b"", LAST]
TITLES = [["c"], ["a", "b"], None, None, [], ["c"]]
pytestmark = pytest.mark.usefixtures("decoder")


def titles(lists: Any) -> list[list[str | None] | None]:
    return [each if each is None else [row["title"] for row in each] for each in lists.to_pylist()]


KINDS = [pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_arrays_of_bytes(kind: pa.DataType) -> None:
    lists = wireloom.from_wire(pa.array(BLOBS, kind), FORMAT)
    lists.validate(full=True)
    assert lists.type == pa.list_(pa.struct(wireloom.schema(FORMAT)))
    assert titles(lists) == TITLES
    assert lists[1].as_py() == [
        {"title": "a", "text": b"x", "marks": [{"key": "k", "value": 1}]},
        {"title": "b", "text": None, "marks": []},
    ]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("begin", "size"), [(0, 6), (1, 4), (2, 1), (3, 3), (5, 1), (6, 0), (1, 0)])
def test_sliced_arrays(kind: pa.DataType, begin: int, size: int) -> None:
    array = pa.array([b"before", *BLOBS, b"after"], kind).slice(1, len(BLOBS)).slice(begin, size)
    lists = wireloom.from_wire(array, FORMAT)
    lists.validate(full=True)
    assert titles(lists) == TITLES[begin : begin + size]


def test_arrays_of_other_shapes() -> None:
    fixed = pa.array([LAST, None, LAST], pa.binary(len(LAST)))
    assert titles(wireloom.from_wire(fixed, FORMAT)) == [["c"], None, ["c"]]
    assert titles(wireloom.from_wire(fixed.slice(1, 2), FORMAT)) == [None, ["c"]]
    assert titles(wireloom.from_wire(pa.array([b"", b""], pa.binary(0)), FORMAT)) == [[], []]
    coded = pa.array([FIRST, LAST, FIRST, None]).dictionary_encode()
    assert titles(wireloom.from_wire(coded, FORMAT)) == [["a", "b"], ["c"], ["a", "b"], None]
    assert titles(wireloom.from_wire(pa.nulls(2), FORMAT)) == [None, None]
    assert titles(wireloom.from_wire([FIRST, None], FORMAT)) == [["a", "b"], None]
    chunked = pa.chunked_array([BLOBS[:2], [], BLOBS[2:]], pa.binary())
    lists = wireloom.from_wire(chunked, FORMAT)
    assert titles(lists) == TITLES
    for wrong in (pa.array([1]), pa.array(["text"]), 7, "text"):
        with pytest.raises(WireloomError, match="blobs must be"):
            wireloom.from_wire(wrong, FORMAT)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.one_of(st.none(), st.sampled_from([FIRST, LAST, BAD, b""]), st.binary(max_size=30)), max_size=12),
    st.integers(0, 12),
    st.sampled_from(KINDS),
)
def test_a_column_is_its_blobs_one_by_one(blobs: list[bytes | None], begin: int, kind: pa.DataType) -> None:
    columns = ["title", "number", "_error", "_corrupt_record"]
    array = pa.array(blobs, kind).slice(begin)
    lists, report = wireloom.from_wire_with_report(array, FORMAT, columns=columns)
    lists.validate(full=True)
    found = lists.to_pylist()
    single: list[Any] = []
    for each in blobs[begin:]:
        if each is None:
            single.append(None)
            continue
        options = {"columns": columns, "codec": "none", "check_format": False}
        table, of_file = wireloom.read_with_report(FORMAT, each, **options)
        single.append(table.to_pylist())
        if of_file.files[0].tail == "truncated":
            # The end of a file has no row.
            assert not single[-1]
            [row] = single[-1] = found[len(single) - 1]
            assert (row["title"], row["_error"][:10], row["_corrupt_record"]) == (None, "truncated:", each)
    assert found == single
    assert report.blobs == len(single)
    assert len(report.problems) == sum(any(row["_error"] for row in each or ()) for each in single)


def test_the_data_of_a_column_is_not_copied() -> None:
    array = pa.array([b"skipped", FIRST, LAST]).slice(1)
    source, begins, sizes = memory_of(array)
    assert source.address == array.buffers()[2].address
    assert (begins.to_pylist(), sizes.to_pylist()) == ([7, 7 + len(FIRST)], [len(FIRST), len(LAST)])


def test_many_rows_come_in_one_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "ROWS", 700)
    large = page(*(note(str(number), bytes(500)) for number in range(400)))
    lists, report = wireloom.from_wire_with_report(pa.array([large, FIRST, large]), FORMAT, columns=["title"])
    assert [len(each) for each in lists.to_pylist()] == [400, 2, 400]
    assert report.rows == 802


def test_damage_shows_where_it_is_asked_for() -> None:
    lists, report = wireloom.from_wire_with_report(
        pa.array(BLOBS), FORMAT, columns=["title", "_error", "_corrupt_record", "_offset", "_path"]
    )
    [row] = lists[3].as_py()
    assert (row["title"], row["_corrupt_record"], row["_offset"], row["_path"]) == (None, BAD, 0, None)
    assert row["_error"].startswith("message: ")
    [problem] = report.problems
    assert (problem.blob, problem.reason, problem.rows) == (3, "message", 0)
    assert "title" in problem.detail
    assert not report.clean
    said = json.loads(json.dumps(report.to_dict()))
    assert (said["blobs"], said["nulls"], said["rows"], said["problems"][0]["blob"]) == (6, 1, 4, 3)
    assert titles(wireloom.from_wire(pa.array(BLOBS), FORMAT, mode="dropmalformed", columns=["title", "_error"])) == (
        TITLES
    )


def test_failfast_refuses_a_blob_that_is_cut_off() -> None:
    for cut in (1, 3):
        with pytest.raises(DamagedInputError, match="blob 1: "):
            wireloom.from_wire(pa.array([LAST, LAST[:-cut]]), FORMAT, mode="failfast")


def test_failfast_names_the_blob() -> None:
    chunked = pa.chunked_array([BLOBS[:2], BLOBS[2:]], pa.binary())
    for call in (
        lambda: wireloom.from_wire(chunked, FORMAT, mode="failfast"),
        lambda: wireloom.explode(pa.table({"blob": chunked}), "blob", FORMAT, mode="FAILFAST"),
    ):
        with pytest.raises(DamagedInputError, match=r"blob 3: .*title") as raised:
            call()
        assert raised.value.reason == "message"


def test_explode_repeats_the_columns_around_the_blobs() -> None:
    table = pa.table(
        {
            "id": pa.array(range(6), pa.int64()),
            "blob": pa.chunked_array([BLOBS[:2], BLOBS[2:]], pa.binary()),
            "where": [{"shard": str(number)} for number in range(6)],
        }
    )
    flat = wireloom.explode(table, "blob", FORMAT, columns=["title", "number"])
    assert flat.schema.names == ["id", "where", "title", "number"]
    assert flat.to_pylist() == [
        {"id": 0, "where": {"shard": "0"}, "title": "c", "number": 0},
        {"id": 1, "where": {"shard": "1"}, "title": "a", "number": 0},
        {"id": 1, "where": {"shard": "1"}, "title": "b", "number": 1},
        {"id": 5, "where": {"shard": "5"}, "title": "c", "number": 0},
    ]
    kept = wireloom.explode(table.slice(1, 3), "blob", FORMAT, columns=["title", "_error"], keep=["id"])
    assert [(row["id"], row["title"], row["_error"] is None) for row in kept.to_pylist()] == [
        (1, "a", True), (1, "b", True), (3, None, False),
    ]  # fmt: skip
    raw = wireloom.explode(table, "blob", FORMAT, columns=["title"], keep=["blob"])
    assert raw["blob"].to_pylist() == [LAST, FIRST, FIRST, LAST]
    none = wireloom.explode(table.slice(0, 0), "blob", FORMAT)
    assert (none.num_rows, none.schema.names) == (0, ["id", "where", "title", "text", "marks"])


def test_explode_refuses_names_that_are_not_there_or_twice() -> None:
    table = pa.table({"title": [1], "blob": pa.array([LAST])})
    with pytest.raises(WireloomError, match="both have a column 'title'"):
        wireloom.explode(table, "blob", FORMAT)
    assert wireloom.explode(table, "blob", FORMAT, keep=[]).num_rows == 1
    assert wireloom.explode(table, "blob", FORMAT, columns=["text"]).schema.names == ["title", "text"]
    with pytest.raises(UnknownNameError, match="'blob'"):
        wireloom.explode(table, "bolb", FORMAT)
    with pytest.raises(UnknownNameError, match="'title'"):
        wireloom.explode(table, "blob", FORMAT, columns=["text"], keep=["titel"])


def test_what_no_blob_can_be_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"wireloom\.read"):
        wireloom.from_wire(pa.array([LAST]), framed("varint"))
    with pytest.raises(UnsupportedError, match="format of messages"):
        wireloom.from_wire(pa.array([LAST]), "edgemq_segment")
    with pytest.raises(UnknownNameError, match="option of notes"):
        wireloom.from_wire(pa.array([LAST]), FORMAT, hash_range="1-2")
    with pytest.raises(WireloomError, match="limit"):
        wireloom.from_wire(pa.array([LAST]), FORMAT, max_record=3)


def test_series_and_frames_of_other_libraries() -> None:
    polars = pytest.importorskip("polars")
    series = polars.Series("blob", [FIRST, None, LAST], dtype=polars.Binary)
    assert titles(wireloom.from_wire(series, FORMAT)) == [["a", "b"], None, ["c"]]
    frame = polars.DataFrame({"id": [1, 2, 3], "blob": series})
    assert wireloom.explode(frame, "blob", FORMAT, columns=["title"])["id"].to_pylist() == [1, 1, 3]
    with pytest.raises(WireloomError, match="found int"):
        wireloom.explode(7, "blob", FORMAT)


@pytest.mark.parametrize("kind", [pa.utf8(), pa.large_utf8(), pa.string_view(), pa.dictionary(pa.int8(), pa.utf8())])
def test_text_is_to_be_decoded_first(kind: pa.DataType) -> None:
    """Base64, as in many tables: its characters are not the blob."""
    text = pa.array(["84mawg=="]).cast(kind)
    for column in (text, pa.chunked_array([text]), ["84mawg==", None]):
        with pytest.raises(wireloom.WireloomError, match=r"found text \(.*\): decode it first \(base64"):
            wireloom.from_wire(column, "kpl_aggregated_record")
    with pytest.raises(wireloom.WireloomError, match="decode it first"):
        wireloom.explode(pa.table({"data_": text}), "data_", "kpl_aggregated_record")


def test_other_columns_are_not_bytes() -> None:
    with pytest.raises(wireloom.WireloomError, match="found int64: give a binary column"):
        wireloom.from_wire(pa.array([1]), "kpl_aggregated_record")
