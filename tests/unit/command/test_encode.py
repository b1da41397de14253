"""``encode``: the rows of ``decode`` become the same bytes again."""

import base64
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from wireloom.format import registry
from wireloom.writing import write

from ..commands import run

ROWS = [
    {"fmt": 0, "tenant": 7, "ts_millis": 1_795_227_651_123, "payload": b'{"a": "\xc3\xa9"}'},
    {"fmt": 255, "tenant": 2**32 - 1, "ts_millis": 0, "payload": b""},
] * 40


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    path = tmp_path / "a.wal"
    write("edgemq_segment", ROWS, path)
    return path


@pytest.mark.parametrize(
    "name", ["a.ndjson", "a.ndjson.gz", "a.jsonl.zst", "a.parquet", "a.arrow", "a.arrows", "a.csv", "a.csv.zst"]
)
@pytest.mark.parametrize("way", ["hex", "base64", "utf8"])
def test_what_was_decoded_is_encoded(name: str, way: str, segment: Path, tmp_path: Path) -> None:
    middle, out = tmp_path / name, tmp_path / "out.wal"
    run("decode", "edgemq_segment", str(segment), "-o", str(middle), "--bytes", way)
    assert run("encode", "edgemq_segment", str(middle), "-o", str(out), "--bytes", way).output == ""
    assert out.read_bytes() == segment.read_bytes()


def test_all_columns_of_a_format_may_be_there(segment: Path, tmp_path: Path) -> None:
    columns = ",".join(each.name for each in registry.get("edgemq_segment").columns)
    lines = run("decode", "edgemq_segment", str(segment), "--columns", f"{columns},_offset,_error").stdout_bytes
    run("encode", "edgemq_segment", "-", "-o", str(tmp_path / "out.wal"), input=lines)
    assert (tmp_path / "out.wal").read_bytes() == segment.read_bytes()


@pytest.mark.parametrize("kind", ["ndjson", "parquet", "arrow"])
def test_standard_input_is_known_by_its_first_bytes(kind: str, segment: Path, tmp_path: Path) -> None:
    rows = run("decode", "edgemq_segment", str(segment), "--to", kind).stdout_bytes
    run("encode", "edgemq_segment", "-", "-o", str(tmp_path / "out.wal"), input=rows)
    assert (tmp_path / "out.wal").read_bytes() == segment.read_bytes()
    (tmp_path / "rows").write_bytes(rows)
    result = run("encode", "edgemq_segment", str(tmp_path / "rows"), "-o", "-", "--codec", "none")
    assert result.stdout_bytes == segment.read_bytes()


def test_codec_level_and_options(segment: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.ndjson"
    run("decode", "edgemq_segment", str(segment), "-o", str(rows))
    out = tmp_path / "out.wal.gz"
    run("encode", "edgemq_segment", str(rows), "-o", str(out), "--level", "9", "--option", "stride=rules")
    raw = gzip.decompress(out.read_bytes())
    assert len(raw) == segment.stat().st_size + 13 * len(ROWS)


def test_empty_lines_and_no_lines(tmp_path: Path) -> None:
    out = tmp_path / "out.log"
    run("encode", "cobs_log", "-", "-o", str(out), input=b'\n{"payload":"00"}\n\n  \n{"payload":"61"}')
    assert out.read_bytes() == b"\x01\x01\x00\x02a\x00"
    run("encode", "cobs_log", "-", "-o", str(out), input=b"")
    assert out.read_bytes() == b""


GOOD: dict[str, Any] = {"fmt": 0, "tenant": 1, "ts": "2026-11-21T02:20:51.123Z", "payload": "61"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([GOOD, "{"], "line 2 is not JSON: Expecting property name enclosed in double quotes at character 2\n"),
        ([GOOD, '{"fmt": 0\n'], "line 2 is not JSON: Expecting ',' delimiter at character 10\n"),
        ([GOOD, '{"fmt": "0'], "line 2 is not JSON: Unterminated string starting at character 9\n"),
        ([GOOD, [1]], "line 2 is not a JSON object, but list"),
        ([GOOD, GOOD | {"payload": "6"}], "line 2, column payload: '6' is not valid hex"),
        ([GOOD, GOOD | {"payload": 6}], "line 2, column payload: 6 is not a string: write bytes as a string"),
        ([GOOD, GOOD | {"tenant": "x"}], "line 2, column tenant: 'x' does not fit into uint32"),
        ([GOOD, GOOD | {"tenant": -1}], "line 2, column tenant: -1 does not fit into uint32"),
        ([GOOD, GOOD | {"tenant": None}], "row 1, column tenant: null"),
        ([GOOD, {k: v for k, v in GOOD.items() if k != "fmt"}], "row 1, column fmt: null"),
        ([GOOD, GOOD | {"ts": "yesterday"}], "row 1, column ts: 'yesterday' does not fit"),
        ([GOOD | {"tennant": 1}], "unknown column of edgemq_segment 'tennant'"),
        ([{"payload": "61"}], "without the column fmt, tenant, ts or ts_millis"),
    ],
)
def test_rows_that_are_refused(lines: list[Any], message: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.ndjson"
    rows.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    result = run("encode", "edgemq_segment", str(rows), "-o", str(tmp_path / "out.wal"), code=2)
    assert result.stderr.startswith("wireloom: error: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert os.listdir(tmp_path) == ["rows.ndjson"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["edgemq_segment", "/no/such/file.parquet", "-o", "a.wal"], "/no/such/file.parquet: cannot be read"),
        (["edgemq_segment", __file__, "-o", "-"], "is not JSON"),
        (["edgemq_segment", "rows.csv", "-o", "-"], "No such file"),
        (["edgemq_segment", "rows.txt", "-o", "-"], "No such file"),
        (["edgemq_segment", "a"], "Missing option '-o'"),
    ],
)
def test_errors(arguments: list[str], message: str) -> None:
    assert message in run("encode", *arguments, code=2).stderr


def test_a_damaged_file_of_rows(tmp_path: Path) -> None:
    for name in ("a.parquet", "a.arrow", "a.arrows", "a.ndjson.gz", "a.ndjson.zst"):
        (tmp_path / name).write_bytes(b"no such thing " * 10)
        result = run("encode", "edgemq_segment", str(tmp_path / name), "-o", str(tmp_path / "out.wal"), code=2)
        assert result.stderr.startswith(f"wireloom: error: {tmp_path / name}: ")
    assert not (tmp_path / "out.wal").exists()


def test_large_numbers(tmp_path: Path) -> None:
    line = json.dumps(GOOD | {"ts_millis": 2**64 - 1, "payload": base64.b64encode(b"\xff").decode()})
    run("encode", "edgemq_segment", "-", "-o", str(tmp_path / "a.wal"), "--bytes", "base64", input=line.encode())
    back = run("decode", "edgemq_segment", str(tmp_path / "a.wal"), "--columns", "ts_millis,payload").stdout
    assert json.loads(back) == {"ts_millis": 2**64 - 1, "payload": "ff"}


@pytest.mark.slow
def test_batches_of_rows(tmp_path: Path) -> None:
    table = pa.table({"payload": [b"%d" % index for index in range(40_000)]})
    write("cobs_log", table, tmp_path / "a.log")
    lines = run("decode", "cobs_log", str(tmp_path / "a.log")).stdout_bytes
    run("encode", "cobs_log", "-", "-o", str(tmp_path / "b.log"), input=lines)
    assert (tmp_path / "b.log").read_bytes() == (tmp_path / "a.log").read_bytes()


@pytest.mark.parametrize("content", [bytes(range(256)), b"\0\0\0\x0d\0\0\0\0", b"\x7fELF\2\1\1", b"\xff\xfe{\0"])
def test_a_binary_file_is_called_one(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(content)
    result = run("encode", "edgemq_segment", str(tmp_path / "rows"), "-o", str(tmp_path / "out.wal"), code=2)
    assert "is this a binary file? Rows can be read from NDJSON, CSV, Parquet, Arrow" in result.stderr
    assert "utf-32" not in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    run("encode", "cobs_log", "-", "-o", str(tmp_path / "a.log"), input=b'\xef\xbb\xbf{"payload":"61"}')
    assert (tmp_path / "a.log").read_bytes() == b"\x02a\x00"


@pytest.mark.parametrize("content", ['[{"payload": "61"}]', '[\n  {"payload": "61"}\n]'])
def test_a_json_array_is_refused_with_the_way_out(content: str, tmp_path: Path) -> None:
    result = run("encode", "cobs_log", "-", "-o", str(tmp_path / "a.log"), input=content.encode(), code=2)
    assert "a JSON array is not supported: write one object per line, as `jq -c '.[]'` does" in result.stderr


def test_csv_keeps_nulls_lists_and_line_breaks(tmp_path: Path) -> None:
    kpl = {
        "partition_key": ['a,\n"b"', "c"],
        "explicit_hash_key": [None, "12"],
        "data": [b"", b"\xff"],
        "tags": [[], [{"key": "k", "value": None}]],
    }
    write("kpl_aggregated_record", pa.table(kpl), tmp_path / "a.kpl", shards="one")
    columns = "partition_key,explicit_hash_key,data,tags"
    run("decode", "kpl_aggregated_record", str(tmp_path / "a.kpl"), "--columns", columns, "-o", str(tmp_path / "a.csv"))
    refused = run("encode", "kpl_aggregated_record", str(tmp_path / "a.csv"), "-o", str(tmp_path / "b.kpl"), code=2)
    assert "give shards='FIRST-LAST,…'" in refused.stderr
    one = ("--option", "shards=one")
    run("encode", "kpl_aggregated_record", str(tmp_path / "a.csv"), "-o", str(tmp_path / "b.kpl"), *one)
    assert (tmp_path / "b.kpl").read_bytes() == (tmp_path / "a.kpl").read_bytes()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("0,x,0,61", "row 2, column tenant: 'x' does not fit into uint32"),
        ("0,-1,0,61", "row 2, column tenant: '-1' does not fit into uint32"),
        (
            "0,1,0,6",
            "row 2, column payload: '6' does not fit into binary as hex: choose another text form with --bytes",
        ),
        ("0,1,0", "Expected 4 columns, got 3"),
        ("0,,0,61", "column tenant: null"),
    ],
)
def test_csv_that_is_refused(cells: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(f"fmt,tenant,ts_millis,payload\n0,1,0,61\n{cells}\n")
    result = run("encode", "edgemq_segment", str(tmp_path / "rows.csv"), "-o", str(tmp_path / "out.wal"), code=2)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
def test_csv_of_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireloom.command.rows.CSV_BLOCK", 4096)
    table = pa.table({"payload": [b"%d" % index for index in range(40_000)]})
    write("cobs_log", table, tmp_path / "a.log")
    run("decode", "cobs_log", str(tmp_path / "a.log"), "-o", str(tmp_path / "a.csv"))
    run("encode", "cobs_log", str(tmp_path / "a.csv"), "-o", str(tmp_path / "b.log"))
    assert (tmp_path / "b.log").read_bytes() == (tmp_path / "a.log").read_bytes()


COMPUTED = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: len, type: u1}, {id: body, size: len}, {id: a, type: u1}]
    instances: {twice: {value: a * 2}}
"""


def test_what_follows_from_other_columns_is_not_taken_from_the_table(tmp_path: Path) -> None:
    spec, rows, out = tmp_path / "sample.ksy", tmp_path / "rows.ndjson", tmp_path / "out.bin"
    spec.write_text(COMPUTED)
    rows.write_text('{"len": 9, "body": "6162", "a": 3, "twice": 7}\n')
    run("encode", str(spec), str(rows), "-o", str(out))
    assert out.read_bytes() == b"\2ab\3"
    written = json.loads(run("decode", str(spec), str(out)).output)
    assert (written["len"], written["twice"]) == (2, 6)
