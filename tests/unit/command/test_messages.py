"""The commands on formats of messages: nested values in every output and back, kinds, options, reports, inspect."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import wireloom

from .test_decode import run

SESSION, MESSAGES, KPL = "s2_session", "s2_messages", "kpl_aggregated_record"
LARGEST = 2**64 - 1
RECORDS = [
    {"seq_num": 1, "timestamp": LARGEST, "headers": [{"name": b"a", "value": b"\xff\x00"}], "body": b"\x00{}"},
    {"seq_num": 2, "timestamp": 0, "headers": [], "body": b""},
]
LINES = [
    {
        "seq_num": 1, "timestamp": LARGEST, "headers": [{"name": "61", "value": "ff00"}], "body": "007b7d",
        "command": None,
    },
    {"seq_num": 2, "timestamp": 0, "headers": [], "body": "", "command": None},
]  # fmt: skip
ACK = {"start": {"seq_num": 1, "timestamp": LARGEST}, "end": {"seq_num": 2, "timestamp": 3}, "tail": None}


@pytest.fixture
def session(tmp_path: Path) -> str:
    path = tmp_path / "a.s2s"
    wireloom.write(SESSION, RECORDS, path)
    return str(path)


def test_lines_hold_nested_values(session: str) -> None:
    assert [json.loads(line) for line in run("decode", SESSION, session).stdout.splitlines()] == LINES
    [first, _] = run("decode", SESSION, session, "--bytes", "base64", "--columns", "headers").stdout.splitlines()
    assert json.loads(first) == {"headers": [{"name": "YQ==", "value": "/wA="}]}


def test_csv_and_tables_show_them_as_json(session: str) -> None:
    rows = list(csv.reader(io.StringIO(run("decode", SESSION, session, "--to", "csv").stdout)))
    assert rows[0] == ["seq_num", "timestamp", "headers", "body", "command"]
    assert rows[1][:2] == ["1", str(LARGEST)]
    assert [json.loads(row[2]) for row in rows[1:]] == [row["headers"] for row in LINES]
    table = run("decode", SESSION, session, "--to", "table").stdout
    assert '[{"name":"61","value":"ff00"}]' in table


@pytest.mark.parametrize("ending", ["ndjson", "parquet", "arrow", "arrows", "ndjson.gz"])
def test_every_output_that_holds_rows_is_an_input(session: str, tmp_path: Path, ending: str) -> None:
    rows, again = str(tmp_path / f"rows.{ending}"), str(tmp_path / "again.s2s")
    run("decode", SESSION, session, "-o", rows)
    said = json.loads(run("encode", SESSION, rows, "-o", again, "--json").stdout)
    assert said["rows"] == 2
    assert Path(again).read_bytes() == Path(session).read_bytes()


def test_columnar_outputs_have_the_types_of_the_format(session: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    run("decode", SESSION, session, "-o", str(path))
    schema = pq.read_schema(path)
    assert schema.field("timestamp").type == pa.uint64()
    assert schema.field("headers").type.value_type == pa.struct([("name", pa.binary()), ("value", pa.binary())])


def test_an_option_chooses_the_kind_of_message(tmp_path: Path) -> None:
    rows, path = tmp_path / "ack.ndjson", str(tmp_path / "ack.s2s")
    rows.write_text(json.dumps(ACK))
    run("encode", SESSION, str(rows), "-o", path, "--option", "message=append_ack")
    decoded = run("decode", SESSION, path, "--option", "message=append_ack").stdout
    assert json.loads(decoded) == ACK
    only = run("decode", SESSION, path, "--option", "message=append_ack", "--columns", "end", "--to", "csv").stdout
    assert only.splitlines()[1] == '"{""seq_num"":2,""timestamp"":3}"'
    assert "clean" in run("verify", SESSION, path, "--option", "message=append_ack").stdout
    wrong = run("decode", SESSION, path, "--option", "message=append_akc", code=2)
    assert "did you mean 'append_ack'" in wrong.stderr
    other = run("encode", SESSION, str(rows), "-o", path, "--option", "mesage=append_ack", code=2)
    assert "column" in other.stderr or "did you mean 'message'" in other.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"seq_num": 1, "headers": [{"nam": "61"}]}, "line 1, column headers: .*there is no 'nam'"),
        ({"seq_num": 1, "headers": [{"name": "6"}]}, "line 1, column headers"),
        ({"seq_num": 1, "headers": {"name": "61"}}, "line 1, column headers: .*does not fit into list"),
        ({"seq_num": 1, "headers": ["61"]}, "line 1, column headers: .*does not fit into list"),
        ({"seq_num": -1}, "line 1, column seq_num"),
        ({"seq_nun": 1}, "did you mean 'seq_num'"),
    ],
)
def test_lines_that_cannot_be_written_are_named(tmp_path: Path, line: object, said: str) -> None:
    import re

    rows = tmp_path / "rows.ndjson"
    rows.write_text(json.dumps(line))
    result = run("encode", SESSION, str(rows), "-o", str(tmp_path / "out.s2s"), code=2)
    assert re.search(said, result.stderr), result.stderr
    assert not (tmp_path / "out.s2s").exists()


def test_verify_reports_facts_and_damage(session: str, tmp_path: Path) -> None:
    found = json.loads(run("verify", SESSION, session, "--json").stdout)["files"][0]
    assert (found["rows"], found["messages"], found["heartbeats"], found["terminal"]) == (2, 1, 0, None)
    damaged = tmp_path / "damaged"
    damaged.write_bytes(Path(session).read_bytes() + b"\0\0\x03\0\xff\xff" + Path(session).read_bytes())
    result = run("verify", SESSION, str(damaged), "--json", code=1)
    found = json.loads(result.stdout)["files"][0]
    size = Path(session).stat().st_size
    assert (found["rows"], found["damaged"]) == (4, [[size, 6, "message"]])
    assert found["error"].startswith("message 2: ")
    only = tmp_path / "only"
    only.write_bytes(b"\0\0\x03\0\xff\xff")
    assert "1 damaged range" in run("verify", SESSION, str(only), code=1).stdout
    short = tmp_path / "short"
    short.write_bytes(b"\0\0")
    assert "truncated" in run("verify", SESSION, str(short), code=1).stdout
    zero = tmp_path / "zero"
    zero.write_bytes(b"\0\0\0\0")
    run("verify", SESSION, str(zero), code=1)


def test_extract_writes_the_column_of_bytes(session: str) -> None:
    assert run("extract", SESSION, session).stdout_bytes == b"\x00{}\n\n"


def test_formats_say_kinds_and_options() -> None:
    text = run("formats", *wireloom.formats()).stdout
    assert "option: message=read_batch|append_input|append_ack" in text
    assert "option: hash_range=" in text
    found = {each["name"]: each for each in json.loads(run("formats", "--json").stdout)}
    assert found[SESSION]["options"]["message"] == {
        "values": ["read_batch", "append_input", "append_ack"], "default": "read_batch", "doc": "The kind of message.",
    }  # fmt: skip
    assert "hash_range" in found[KPL]["options"]
    assert "message" not in found[KPL]["options"]


def test_inspect_shows_the_fields_of_messages(session: str, tmp_path: Path) -> None:
    shown = run("inspect", SESSION, session).stdout
    assert "message 1" in shown
    for line in (
        "records (1, bytes)",
        "seq_num (1, varint)",
        "timestamp (2, varint)",
        str(LARGEST),
        "headers (3, bytes)",
    ):
        assert line in shown
    page = tmp_path / "page.html"
    run("inspect", SESSION, session, "--html", str(page))
    assert "seq_num (1, varint)" in page.read_text()


def test_inspect_shows_envelopes_and_damage(tmp_path: Path) -> None:
    blob = wireloom.to_wire([{"partition_key": "k", "data": b"d"}], KPL)[0].as_py()
    path = tmp_path / "blob"
    path.write_bytes(blob)
    shown = run("inspect", KPL, str(path)).stdout
    assert "(prefix)" in shown
    assert "holds" in shown
    path.write_bytes(blob[:-1] + bytes([blob[-1] ^ 1]))
    assert "✓ ok, a row by itself; digest: " in run("inspect", KPL, str(path)).stdout
    assert run("verify", KPL, str(path)).stdout.endswith(f"clean; 1 row, {len(blob)} bytes, whole 1, digest_failed 1\n")
    path.write_bytes(b"no aggregate")
    shown = run("inspect", KPL, str(path)).stdout
    assert "(no message)" in shown
    assert "✓ ok, a row by itself; magic: " in shown
    assert json.loads(run("inspect", KPL, str(path), "--json").stdout)[0]["reason"] is None
    assert "clean" in run("verify", KPL, str(path)).stdout


def test_inspect_goes_to_a_message(tmp_path: Path) -> None:
    path = tmp_path / "many.s2s"
    wireloom.write(SESSION, RECORDS[:1], path)
    one = path.read_bytes()
    path.write_bytes(one * 5 + b"\0\0\x02\x60a" + b"\0\0\x03\0\xff\xff")
    assert run("inspect", SESSION, str(path), "--record", "3", "-n", "1").stdout.startswith("message 3 ")
    assert run("inspect", SESSION, str(path), "--at", str(len(one) + 1), "-n", "1").stdout.startswith("message 2 ")
    last = run("inspect", SESSION, str(path), "--record", "5", "-n", "9").stdout
    assert "damaged range" in last
    assert "ends inside" in last
    assert "no record 99" in run("inspect", SESSION, str(path), "--record", "99", code=2).stderr
    packed = tmp_path / "packed.s2s"
    wireloom.write(SESSION, [{"seq_num": 1, "body": bytes(5000)}], packed, compression="zstd")
    assert "body (4, bytes)" in run("inspect", SESSION, str(packed)).stdout
