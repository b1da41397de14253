"""``wireloom.write``: from every kind of rows, to every kind of target, byte for byte."""

import gzip
import io
import os
import struct
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pytest
import wireloom
import zstandard
from crc32c import crc32c
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom import UnknownNameError, WireloomError
from wireloom.format import registry
from wireloom.writing import RowEncoder, WriteReport, batches_of, size_of, write

from ...examples import examples

EVENTS = pa.table(
    {
        "fmt": pa.array([0, 255], pa.uint8()),
        "tenant": pa.array([1, 2**32 - 1], pa.uint32()),
        "ts": pa.array([0, 1_795_227_651_123], pa.timestamp("ms", "UTC")),
        "payload": pa.array([b"", b'{"a": 1}'], pa.binary()),
    }
)


def frame(fmt: int, tenant: int, milliseconds: int, payload: bytes) -> bytes:
    """Return an EdgeMQ frame as the format's description defines it."""
    return struct.pack(">IIBIQ", len(payload) + 13, crc32c(payload), fmt, tenant, milliseconds) + payload


FRAMES = frame(0, 1, 0, b"") + frame(255, 2**32 - 1, 1_795_227_651_123, b'{"a": 1}')


def written(rows: Any, format: str = "edgemq_segment", **options: Any) -> bytes:
    file = io.BytesIO()
    options.setdefault("codec", "none")
    write(format, rows, file, **options)
    return file.getvalue()


class Stream:
    """A data frame of another library."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Batch:
    def __init__(self, batch: pa.RecordBatch) -> None:
        self._batch = batch

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._batch.__arrow_c_array__(requested_schema)


@pytest.mark.parametrize(
    "rows",
    [
        EVENTS,
        EVENTS.to_batches()[0],
        pa.RecordBatchReader.from_batches(EVENTS.schema, EVENTS.to_batches()),
        pyarrow.dataset.dataset(EVENTS),
        pyarrow.dataset.dataset(EVENTS.append_column("more", EVENTS["fmt"])).scanner(EVENTS.column_names),
        iter([EVENTS.slice(0, 1), EVENTS.slice(1)]),
        Stream(EVENTS),
        Batch(EVENTS.to_batches()[0]),
        EVENTS.to_pydict(),
        EVENTS.to_pylist(),
        iter(EVENTS.to_pylist()),
        EVENTS.select(["payload", "ts", "tenant", "fmt"]),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_rows_of_every_kind(rows: Any) -> None:
    assert written(rows) == FRAMES


@pytest.mark.parametrize(
    "column",
    [
        EVENTS["ts"].cast(pa.timestamp("us", "UTC")),
        EVENTS["ts"].cast(pa.timestamp("ns", "Europe/Paris")),
        EVENTS["ts"].cast(pa.timestamp("ms")),
        EVENTS["ts"].cast(pa.int64()),
        pa.array(["1970-01-01T00:00:00Z", "2026-11-21T02:20:51.123Z"]),
        pa.array([datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 11, 21, 2, 20, 51, 123000, UTC)]),
    ],
    ids=lambda column: str(column.type),
)
def test_times_of_every_kind(column: Any) -> None:
    assert written(EVENTS.set_column(2, "ts", column)) == FRAMES


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("tenant", pa.int64()),
        ("tenant", pa.uint64()),
        ("tenant", pa.decimal128(20, 0)),
        ("tenant", pa.float64()),
        ("fmt", pa.int16()),
        ("payload", pa.large_binary()),
        ("payload", pa.binary_view()),
        ("payload", pa.string()),
        ("payload", pa.dictionary(pa.int32(), pa.binary())),
    ],
    ids=str,
)
def test_columns_of_other_types_that_hold_the_same_values(name: str, type: pa.DataType) -> None:
    index = EVENTS.schema.get_field_index(name)
    assert written(EVENTS.set_column(index, name, EVENTS[name].cast(type))) == FRAMES


def test_the_raw_column_wins() -> None:
    raw = EVENTS.append_column("ts_millis", pa.array([2**64 - 1, 7], pa.uint64()))
    expected = frame(0, 1, 2**64 - 1, b"") + frame(255, 2**32 - 1, 7, b'{"a": 1}')
    assert written(raw) == expected
    assert written(raw.drop(["ts"])) == expected


def test_what_is_derived_need_not_be_right() -> None:
    wrong = EVENTS.append_column("len", pa.array([5, None], pa.uint32())).append_column("crc32c", pa.array([1, 2]))
    assert written(wrong) == FRAMES


def test_a_table_that_was_read_with_all_columns_is_written_again() -> None:
    names = [each.name for each in registry.get("edgemq_segment").columns]
    names += ["_offset", "_path", "_error", "_corrupt_record", "region", "segment"]
    table = wireloom.read("edgemq_segment", FRAMES, columns=names)
    assert written(table) == FRAMES


def test_padding_between_rows() -> None:
    payload = b'{"a": 1}'
    expected = frame(0, 1, 0, b"") + bytes(13) + frame(255, 2**32 - 1, 1_795_227_651_123, payload) + bytes(13)
    assert written(EVENTS, stride="rules") == expected
    assert written(EVENTS, stride="layout") == written(EVENTS, stride="auto") == FRAMES


def test_no_rows() -> None:
    assert written(EVENTS.slice(0, 0)) == b""
    assert written([]) == b""
    with pytest.raises(WireloomError, match="without the column payload"):
        written(EVENTS.slice(0, 0).drop(["payload"]))


def test_the_report(tmp_path: Path) -> None:
    report = write("edgemq_segment", EVENTS, tmp_path / "a.wal.zst")
    assert report == WriteReport(2, len(FRAMES), (tmp_path / "a.wal.zst").stat().st_size)


@pytest.mark.parametrize(
    ("name", "codec", "expected"),
    [
        ("a.wal.zst", None, "zstd"),
        ("a.wal", None, "none"),
        ("a.wal.gz", None, "gzip"),
        ("a.bin", None, "zstd"),
        ("a.wal", "gzip", "gzip"),
        ("a.wal.zst", "none", "none"),
    ],
)
def test_the_codec(name: str, codec: str | None, expected: str, tmp_path: Path) -> None:
    write("edgemq_segment", EVENTS, tmp_path / name, codec=codec)
    data = (tmp_path / name).read_bytes()
    undo = {
        "zstd": lambda: zstandard.ZstdDecompressor().decompressobj().decompress(data),
        "gzip": lambda: gzip.decompress(data),
        "none": lambda: data,
    }
    assert undo[expected]() == FRAMES
    again = tmp_path / f"again-{name}"
    write("edgemq_segment", EVENTS, again, codec=codec)
    assert again.read_bytes() == data


@pytest.mark.slow
def test_the_level(tmp_path: Path) -> None:
    payloads = [b"%d" % (index * 7919 % 1000) * 20 for index in range(1000)]
    table = pa.table({"fmt": [0] * 1000, "tenant": range(1000), "ts": range(1000), "payload": payloads})
    for codec, levels in (("zstd", (1, 19)), ("gzip", (0, 9))):
        fast, small = (write("edgemq_segment", table, io.BytesIO(), codec=codec, level=level) for level in levels)
        assert fast.bytes == small.bytes
        assert fast.stored > small.stored


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"codec": "zst"}, "unknown codec 'zst': did you mean 'zstd'"),
        ({"codec": "zstd", "level": 23}, "zstd has the levels 1 to 22, not 23"),
        ({"codec": "gzip", "level": -1}, "gzip has the levels 0 to 9, not -1"),
        ({"level": 3}, "level 3 without a codec"),
        ({"stride": "rule"}, "did you mean 'rules'"),
        ({"strid": "rules"}, "unknown option of edgemq_segment 'strid': did you mean 'stride'"),
        ({"max_record": 0}, "max_record must be a number of bytes"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(WireloomError, match=message):
        written(EVENTS, **options)


def replaced(name: str, values: Any) -> pa.Table:
    return EVENTS.set_column(EVENTS.schema.get_field_index(name), name, values)


@pytest.mark.parametrize("type", [pa.uint8(), pa.int32(), pa.int64(), pa.uint64()], ids=str)
def test_integers_of_any_width_are_times(type: pa.DataType, tmp_path: Path) -> None:
    path, times = tmp_path / "a.wal", pa.array([7, 8], type)
    wireloom.write("edgemq_segment", replaced("ts", times), path)
    assert wireloom.read("edgemq_segment", path)["ts"].cast(pa.int64()).to_pylist() == [7, 8]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (EVENTS.drop(["ts"]), "without the column ts or ts_millis: the table has fmt, tenant, payload"),
        (EVENTS.rename_columns(["fmt", "tennant", "ts", "payload"]), "'tennant': did you mean 'tenant'"),
        (
            EVENTS.rename_columns(["fmt", "id", "ts", "payload"]),
            "unknown column of edgemq_segment 'id': there are fmt, tenant, ts",
        ),
        (EVENTS.append_column("extra", EVENTS["fmt"]), "unknown column of edgemq_segment 'extra'"),
        (EVENTS.append_column("fmt", EVENTS["fmt"]), "more than one column fmt"),
        (replaced("tenant", pa.array([1, None], pa.uint32())), "row 1, column tenant: null"),
        (replaced("tenant", pa.array([1, 2**32])), r"row 1, column tenant: 4294967296 does not fit uint32 \(0 to 4294"),
        (replaced("tenant", pa.array([-1, 2])), "row 0, column tenant: -1 does not fit uint32"),
        (replaced("tenant", pa.array([1, 2.5])), "row 1, column tenant: 2.5 does not fit uint32: it is not an integer"),
        (replaced("tenant", pa.array(["1", "x"])), "row 1, column tenant: 'x' does not fit"),
        (replaced("ts", pa.array([0, -1], pa.timestamp("ms"))), "row 1, column ts: a time before 1970"),
        (replaced("ts", pa.array([0, 1], pa.timestamp("us"))), "row 1, column ts: .* does not fit timestamp"),
        (
            replaced("ts", pa.array([0, 1 << 63], pa.uint64())),
            r"row 1, column ts: 9223372036854775808 does not fit timestamp\[ms, tz=UTC\] \(times, their "
            r"text in ISO 8601, or integers: ms since 1970, up to 9223372036854775807\)",
        ),
        (replaced("ts", pa.array([0, -1], pa.int32())), "row 1, column ts: a time before 1970"),
        (replaced("ts", pa.array([0, None], pa.timestamp("ms"))), "row 1, column ts: null"),
        (
            replaced("payload", pa.array([1, 2])),
            "column payload: int64 cannot be written as binary|row 0, column payload",
        ),
        (replaced("payload", pa.array([[1], [2]])), "column payload"),
        ("text", "rows cannot be read from str"),
        (7, "rows cannot be read from int: give an Arrow table, record batches, or row mappings"),
        (
            SimpleNamespace(to_table=lambda: EVENTS),
            r"rows cannot be read from \w+: give the result of its to_table\(\)",
        ),
        (pyarrow.dataset.dataset(EVENTS[:0].rename_columns(["f", "tenant", "ts", "payload"])), "unknown column .* 'f'"),
        ([1, 2], "an item of the rows is int"),
        ([{"fmt": 0}, 3], "mappings and int in one iterable"),
        ([{"fmt": 0}, {"fmt": "x"}], r"row 1, column fmt: 'x' does not fit uint8 \(0 to 255\)"),
        ([{"fmt": 0, "tenant": 1 << 70}], "row 0, column tenant: 1180591620717411303424 does not fit uint32"),
        ({"fmt": [0, 1 << 20000]}, "row 1, column fmt: an integer of 20,001 bits does not fit uint8"),
        ([{"fmt": 0, "x": object()}], "row 0, column x: <object .*> does not fit any type of a column"),
        ([{"fmt": 0, "x": 1}, {"x": "a"}], "column x: the values from row 0 on cannot be converted: Could not convert"),
    ],
    ids=lambda value: None if isinstance(value, str) and len(value) > 20 else "",
)
def test_rows_that_are_refused(rows: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(WireloomError, match=message):
        write("edgemq_segment", rows, tmp_path / "a.wal")
    assert os.listdir(tmp_path) == []


def test_a_lazy_frame_is_collected_first() -> None:
    polars = pytest.importorskip("polars", reason="Polars is not there")
    frame = polars.LazyFrame(EVENTS.to_pydict())
    with pytest.raises(WireloomError, match=r"cannot be read from LazyFrame: give the result of its collect\(\)"):
        written(frame)
    assert written(frame.collect()) == FRAMES


def test_rows_are_counted_across_batches() -> None:
    batches = [EVENTS.to_batches()[0]] * 3 + [replaced("fmt", pa.array([0, 256])).to_batches()[0]]
    with pytest.raises(WireloomError, match="row 7, column fmt: 256 does not fit uint8"):
        written(iter(batches))


def test_a_row_larger_than_readers_take() -> None:
    table = EVENTS.append_column("x", EVENTS["fmt"]).drop(["x"])
    assert written(table, max_record=29) == FRAMES
    with pytest.raises(WireloomError, match="row 1 has 29 bytes when written, more than max_record") as caught:
        written(table, max_record=28)
    assert caught.value.reason == "limit"


def test_an_unknown_format() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'edgemq_segment'"):
        write("edgemq_segmnt", EVENTS, io.BytesIO())


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_nothing_is_left_and_nothing_is_overwritten(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "a.wal"
    path.write_bytes(b"old")

    def failing() -> Iterator[pa.Table]:
        yield EVENTS
        assert path.read_bytes() == b"old"
        raise error

    with pytest.raises(error):
        write("edgemq_segment", failing(), path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.wal"]


def test_a_link_is_kept_and_so_are_permissions(tmp_path: Path) -> None:
    real = tmp_path / "real.wal"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link = tmp_path / "link.wal"
    link.symlink_to(real)
    write("edgemq_segment", EVENTS, link)
    assert link.is_symlink()
    assert real.read_bytes() == FRAMES
    assert real.stat().st_mode & 0o777 == 0o640


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(WireloomError, match="No such file or directory") as caught:
        write("edgemq_segment", EVENTS, tmp_path / "missing" / "a.wal")
    assert caught.value.path == str(tmp_path / "missing" / "a.wal")
    with pytest.raises(WireloomError, match="it is a folder"):
        write("edgemq_segment", EVENTS, tmp_path)


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    write("edgemq_segment", EVENTS, "/dev/null")
    assert Path("/dev/null").exists()
    assert not Path("/dev/null").is_file()


class Reluctant(io.RawIOBase):
    """Accepts three bytes at a time."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.taken += bytes(data[:3])
        return min(3, len(data))


def test_a_file_that_takes_a_little_at_a_time() -> None:
    file = Reluctant()
    write("edgemq_segment", EVENTS, file, codec="none")  # type: ignore[arg-type]
    assert file.taken == FRAMES


BATCHES: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "edgemq_segment": st.fixed_dictionaries(
        {
            "fmt": st.integers(0, 255),
            "tenant": st.integers(0, 2**32 - 1),
            "ts_millis": st.integers(0, 2**64 - 1),
            "payload": st.binary(max_size=400),
        }
    ),
    "word_stuffed_log": st.fixed_dictionaries(
        {
            "generation": st.integers(0, 2**32 - 1),
            "payload": st.one_of(
                st.binary(max_size=400), st.lists(st.sampled_from([b"\xfe", b"\xfd", b"a"]), max_size=600).map(b"".join)
            ),
        }
    ),
    "cobs_log": st.fixed_dictionaries(
        {"payload": st.one_of(st.binary(max_size=400), st.sampled_from([b"", b"\0" * 9, b"a" * 254, b"a" * 508]))}
    ),
}


@pytest.mark.parametrize("format", BATCHES)
@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_what_is_written_is_read(format: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(BATCHES[format], max_size=20))
    options = {"stride": data.draw(st.sampled_from(["layout", "rules"]))} if format == "edgemq_segment" else {}
    stream = written(rows, format, **options)
    names = list(rows[0]) if rows else None
    table, report = wireloom.read_with_report(format, stream, columns=names, **options)
    assert report.clean
    assert table.to_pylist() == rows


@pytest.mark.parametrize("format", BATCHES)
@given(data=st.data())
@settings(max_examples=examples(30), deadline=None)
def test_the_quick_way_gives_what_the_row_class_gives(format: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(BATCHES[format], min_size=1, max_size=10))
    quick = RowEncoder(registry.get(format))
    assert quick.plain is not None
    by_class = RowEncoder(registry.get(format))
    by_class.plain = None
    [batch] = batches_of(rows, registry.get(format).schema)
    assert quick.encode(batch) == by_class.encode(batch)


def test_the_row_class_takes_over_where_the_layout_is_not_plain() -> None:
    assert written(EVENTS, replace(registry.get("edgemq_segment"), plain=None)) == FRAMES


@pytest.mark.parametrize("kind", [pa.binary_view(), pa.string_view(), pa.list_(pa.struct({"a": pa.binary_view()}))])
def test_arrow_is_not_asked_how_large_views_are(kind: pa.DataType) -> None:
    rows: Any = [[{"a": b"x" * 100}]] if pa.types.is_list(kind) else ["x" * 100]
    assert 100 <= size_of(pa.record_batch({"x": pa.array([1]), "y": pa.array(rows, kind)})) < 200


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([1, None, 3], pa.int64()),
        (["a", None, "b" * 50], pa.string()),
        ([["a", "bc"], None, []], pa.list_(pa.string())),
        ([["a", "bc"], None, []], pa.large_list(pa.large_string())),
        ([[("a", 1)], None, []], pa.map_(pa.string(), pa.int8())),
        ([{"a": [{"b": "c"}]}, None, {"a": []}], pa.struct({"a": pa.list_(pa.struct({"b": pa.string()}))})),
    ],
)
def test_sizes_of_batches(rows: list[Any], kind: pa.DataType) -> None:
    batch = pa.record_batch({"x": pa.array(rows * 100, kind)})
    assert 0.7 * batch.nbytes < size_of(batch) < 1.3 * batch.nbytes
    assert size_of(batch.slice(3, 30)) < size_of(batch) / 9
