"""Rows by a filter and up to a limit, and lazy frames of Polars."""

import io
from pathlib import Path
from typing import Any

import polars
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from wireloom.reading.request import scan_request
from wireloom.reading.row_filter import unions_have_nulls

from ..specs import format_of

ROWS = [{"fmt": 0, "tenant": n % 7, "ts_millis": n, "payload": b"x" * (n % 50)} for n in range(3000)]
TENANT = pc.field("tenant")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filters") / "some.wal"
    wireloom.write("edgemq_segment", ROWS, path)
    return path


def read(source: Any, **options: Any) -> pa.Table:
    return wireloom.read("edgemq_segment", source, **options)


def test_a_filter_over_columns_that_are_not_returned(log: Path) -> None:
    table = read(log, columns=["ts_millis"], filter=(TENANT == 3) & (pc.field("_offset") > 9000))
    offsets = read(log, columns=["_offset"])["_offset"].to_pylist()
    expected = [n for n, offset in enumerate(offsets) if n % 7 == 3 and offset > 9000]
    assert table.schema.names == ["ts_millis"]
    assert table["ts_millis"].to_pylist() == expected
    assert wireloom.schema("edgemq_segment", ["ts_millis"]) == table.schema


def test_only_selected_columns_and_those_of_the_filter_are_read() -> None:
    request = scan_request(
        "edgemq_segment", columns=["ts_millis"], filter=(TENANT == 3) & pc.field("payload").is_valid()
    )
    assert (request.projection.names, request.selected_count) == (("ts_millis", "tenant", "payload"), 1)


def test_the_report_counts_what_was_read(log: Path) -> None:
    table, report = wireloom.read_with_report("edgemq_segment", log, filter=TENANT > 100)
    assert (table.num_rows, report.rows, report.clean) == (0, 3000, True)
    table, report = wireloom.read_with_report("edgemq_segment", log, limit=10, batch_rows=100)
    assert table.num_rows == 10
    assert report.rows < 3000
    assert report.files[0].tail == "unread"


@pytest.mark.parametrize("codec", ["none", "zstd"])
@pytest.mark.parametrize("limit", range(8))
def test_inputs_after_a_limit_are_unread(limit: int, codec: str, tmp_path: Path) -> None:
    """Also at the border of two inputs; small ones without compression are read together."""
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        events = [{"fmt": 0, "tenant": each, "ts_millis": each, "payload": b""} for each in range(3)]
        wireloom.write("edgemq_segment", events, path, codec=codec)
    _, report = wireloom.read_with_report("edgemq_segment", paths, limit=limit)
    assert [each.path for each in report.files] == [str(each) for each in paths]
    assert limit > 3 or not report.clean
    assert all(each.tail == "unread" for each in report.files[(limit + 2) // 3 :])


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 1, 999, 3000, 9000, 10_000])
def test_a_limit_goes_over_inputs(log: Path, limit: int) -> None:
    table = read([log, log, log], limit=limit, columns=["ts_millis"])
    assert table["ts_millis"].to_pylist() == [n % 3000 for n in range(min(limit, 9000))]
    assert read([log, log, log], limit=limit, filter=TENANT == 3).num_rows == min(limit, 3 * 429)


def test_rows_of_damaged_records_pass_where_the_filter_says_so(log: Path) -> None:
    data = bytearray(log.read_bytes())
    offsets = read(log, columns=["_offset"])["_offset"].to_pylist()
    for row in (40, 3 + 7 * 5):
        data[offsets[row] + 25] ^= 1
    kept = pc.field("_error").is_valid() | (TENANT == 3)
    table = read(bytes(data), columns=["tenant", "_error"], filter=kept)
    assert table["_error"].null_count == len(table) - 2 == 428
    assert read(bytes(data), columns=["tenant", "_error"], filter=TENANT == 3)["_error"].null_count == 428


@pytest.mark.parametrize(
    ("filter", "message"),
    [
        (pc.field("tenat") == 3, "unknown column of edgemq_segment 'tenat': did you mean 'tenant'?"),
        (pc.field(1) == 3, "filter: name columns instead of giving their positions: .FieldPath"),
        (pc.field("payload") == 3, "no kernel matching.*: payload is binary$"),
        ((pc.field("fmt") == 0) & (pc.field("tenant") > "x"), r"\(uint32, string\): fmt is uint8, tenant is uint32$"),
        (pc.field("tenant"), "must evaluate to bool"),
        ("tenant == 3", "filter must be an expression such as"),
    ],
)
def test_a_filter_that_does_not_fit_is_refused_before_anything_is_opened(filter: Any, message: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=message):
        read("nowhere.wal", filter=filter)


@pytest.mark.parametrize("limit", [-1, True, 1.5, "9"])
def test_a_limit_is_a_number(limit: Any) -> None:
    with pytest.raises(wireloom.WireloomError, match="limit must be a number of rows"):
        read("nowhere.wal", limit=limit)


def test_a_lazy_frame_reads_what_a_query_needs(log: Path) -> None:
    frame = wireloom.scan("edgemq_segment", log, batch_rows=500).lazy()
    assert frame.filter(polars.col("tenant") == 3).select("payload").collect().height == 429
    assert frame.select(polars.len()).collect().item() == 3000
    assert frame.head(7).collect()["tenant"].to_list() == list(range(7))
    assert frame.filter(polars.col("tenant") == 3).head(2).collect()["tenant"].to_list() == [3, 3]
    counts = frame.group_by("tenant").len().sort("tenant").collect()
    assert counts["len"].to_list() == [429, 429, 429, 429, 428, 428, 428]
    whole = frame.collect()
    assert whole.equals(polars.DataFrame(read(log)))


def test_a_lazy_frame_keeps_the_filter_and_the_limit_of_its_scan(log: Path) -> None:
    frame = wireloom.scan("edgemq_segment", log, filter=TENANT == 3, limit=50, columns=["ts_millis"]).lazy()
    assert frame.collect()["ts_millis"].to_list() == list(range(3, 353, 7))[:50]
    assert frame.head(80).collect().height == 50
    assert frame.head(8).collect().height == 8


def test_a_file_that_is_open_serves_queries(log: Path) -> None:
    frame = wireloom.scan("edgemq_segment", io.BytesIO(log.read_bytes())).lazy()
    assert frame.select("tenant").collect().height == 3000


UNIONS = """
meta: {id: with_a_union, endian: le, -wireloom: {rows: rows, columns: [kind, body]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - id: body
        type: {switch-on: kind, cases: {1: letter, 2: digit}}
        -wireloom: {union: dense}
  letter: {seq: [{id: a, type: str, size: 1, encoding: ASCII}]}
  digit: {seq: [{id: b, type: u1}]}
"""


def test_a_table_with_a_union() -> None:
    format, data, kind = format_of(UNIONS), b"\1a\2\7\1b", pc.field("kind")
    whole = wireloom.read(format, data).to_pylist()
    for filter in (kind == 1, kind > 8, pc.is_null(kind), kind + 1 == 2):
        expected = [row for row in whole if row["kind"] == 1] if "1" in str(filter) else []
        assert wireloom.read(format, data, filter=filter).to_pylist() == expected
        assert wireloom.dataset(format, data).to_table(filter=filter).to_pylist() == expected
    is_absent = pc.is_null(pc.field("body"))
    if unions_have_nulls():
        absent = wireloom.read(format, data + b"\3", filter=is_absent)
        assert absent.to_pylist() == [{"kind": 3, "body": None}]
    else:
        with pytest.raises(wireloom.WireloomError, match="takes a null of the column body, a union, for a value"):
            wireloom.read(format, data + b"\3", filter=is_absent)
    # More rows than Arrow filters at a time.
    assert wireloom.read(format, data * 20_000, filter=kind + 1 == 2, batch_rows=60_000).num_rows == 40_000


def test_a_filter_that_fails_for_a_value(log: Path) -> None:
    with pytest.raises(wireloom.WireloomError, match="filter: divide by zero"):
        read(log, filter=pc.divide(pc.scalar(1), TENANT) == 1)
