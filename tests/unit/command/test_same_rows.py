"""Commands and queries agree about the rows of a file, whichever columns they need, and about what was not read."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import duckdb
import pyarrow.compute as pc
import pytest
import wireloom
from wireloom import WireloomError

from ..commands import run

LINES = """
meta:
  id: lines
  encoding: ASCII
  -wireloom: {rows: lines, columns: [user, ms, rate]}
seq:
  - {id: lines, type: line, repeat: eos}
types:
  line:
    seq:
      - {id: user, type: str, terminator: 0x20}
      - {id: text, type: str, terminator: 0x0a}
    instances:
      ms: {value: text.to_i}
      rate: {value: 100 / ms}
"""
CONTENT = b"a 1\nb x\nc 5\nd 0\ne 7\n"
USERS = ["a", "c", "e"]
FLOATS = """
meta: {id: floats, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: short, type: f4}, {id: nothing, type: f4}, {id: long, type: f8}]}}
"""


@pytest.fixture
def lines(tmp_path: Path) -> tuple[str, str]:
    """A spec and a file of which two of five rows cannot be computed."""
    (tmp_path / "lines.ksy").write_text(LINES)
    (tmp_path / "a.log").write_bytes(CONTENT)
    return str(tmp_path / "lines.ksy"), str(tmp_path / "a.log")


def test_rows_that_cannot_be_computed(lines: tuple[str, str]) -> None:
    spec, file = lines
    decoded = [json.loads(each) for each in run("decode", spec, file).stdout.splitlines()]
    assert [each["user"] for each in decoded] == USERS
    counted = run("count", spec, file)
    assert counted.stdout == "3\n"
    assert "2 damaged ranges" in counted.stderr
    assert json.loads(run("stat", spec, file, "--json").stdout)["rows"] == 3
    for columns in (
        "count(*)",
        "count(*), count(ms)",
        "count(user)",
        "count(*) filter (where user > '')",
        "count(_offset)",
    ):
        result = run("sql", f"select {columns} from '{file}'", "--format", spec, "--to", "csv")
        assert set(result.stdout.splitlines()[1].split(",")) == {"3"}, columns
        assert "2 damaged ranges" in result.stderr
    assert run("sql", f"select user from '{file}'", "--format", spec, "--mode", "failfast", code=2).stdout == ""


def test_queries_of_libraries_have_the_same_rows(lines: tuple[str, str]) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    spec, file = lines
    format = wireloom.load_spec(spec)
    dataset = wireloom.dataset(format, file)
    lazy = wireloom.scan(format, file).lazy()
    for column in ("user", "ms", "rate"):
        assert dataset.to_table(columns=[column]).num_rows == 3
        assert dataset.count_rows(filter=pc.field("user") > "a") == 2
        assert len(lazy.select(column).collect()) == 3
        assert len(lazy.filter(polars.col("user") > "a").select(column).collect()) == 2
    assert lazy.select(polars.len()).collect().item() == 3
    assert dataset.to_table(columns=["user"])["user"].to_pylist() == USERS
    connection = duckdb.connect()
    wireloom.duckdb.register(connection, "lines", format, file)
    assert connection.sql("select user from lines").fetchall() == [(each,) for each in USERS]
    # A view of one column has the rows of that column.
    assert wireloom.dataset(format, file, columns=["user"]).count_rows() == 5


def test_an_input_that_can_be_read_once_is_not_read_twice(lines: tuple[str, str], tmp_path: Path) -> None:
    spec, file = lines
    error = "standard input can be read only once, and it is needed again"
    for query in (
        "select (select count(*) from '-'), (select count(*) from '-' where user > '')",
        "select count(*) from '-' x join '-' y using (user)",
    ):
        result = run("sql", query, "--format", spec, input=CONTENT, code=2)
        assert error in result.stderr
        assert result.stdout == ""
    query = "with p as materialized (select * from '-') select (select count(*) from p) as a, count(*) as b from p"
    once = run("sql", query, "--format", spec, "--to", "ndjson", input=CONTENT)
    assert json.loads(once.stdout) == {"a": 3, "b": 3}
    assert "named twice" in run("count", spec, "-", "-", input=CONTENT, code=2).stderr
    with Path(file).open("rb") as opened:
        lazy = wireloom.scan(wireloom.load_spec(spec), opened).lazy()
        assert len(lazy.collect()) == 3
        with pytest.raises(Exception, match="can be read only once"):
            lazy.collect()


def test_floats_are_those_of_the_file(tmp_path: Path) -> None:
    """Every command prints the shortest text that is the number, and JSON has no NaN."""
    spec, file = tmp_path / "floats.ksy", tmp_path / "a.bin"
    spec.write_text(FLOATS)
    nan, infinite = float("nan"), float("inf")
    file.write_bytes(b"".join(struct.pack("<ffd", *each) for each in ((0.1, nan, 0.1), (3e38, nan, -infinite))))
    first = json.loads(run("decode", str(spec), str(file)).stdout.splitlines()[0])
    assert (first["short"], first["long"]) == (0.1, 0.1)

    def refused(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    stat = json.loads(run("stat", str(spec), str(file), "--json").stdout, parse_constant=refused)
    assert [(each["min"], each["max"]) for each in stat["columns"]] == [
        (0.1, 3e38), ("NaN", "NaN"), ("-Infinity", 0.1),
    ]  # fmt: skip
    for command in ("head", "stat"):
        assert "0.1000" not in run(command, str(spec), str(file)).stdout
    assert "0.1000" not in run("sql", f"select * from '{file}'", "--format", str(spec)).stdout


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    from wireloom.demo import sample

    path = tmp_path / "capture.pcap"
    sample(path)
    data = bytearray(path.read_bytes())
    # The length of the first packet is beyond the end of the file.
    data[32:36] = (1 << 20).to_bytes(4, "little")
    path.write_bytes(data)
    for command in ("count", "head", "stat", "decode"):
        assert f"{len(data) - 24:,} bytes are not read: --recover searches" in run(command, "pcap", str(path)).stderr
        assert "are not read" not in run(command, "pcap", str(path), "--recover").stderr
    report = wireloom.read_with_report("pcap", path)[1]
    assert repr(report).endswith("0 damaged ranges, 1 input truncated>")
    assert "nothing read yet" in wireloom.scan("pcap", path)._repr_html_()


def test_an_input_that_cannot_be_decompressed_is_an_error(tmp_path: Path) -> None:
    wireloom.write("cobs_log", [{"payload": b"a"}], tmp_path / "a.log")
    (tmp_path / "b.log.zst").write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 50)
    for command in ("count", "head", "stat", "decode", "verify"):
        assert run(command, "cobs_log", str(tmp_path), code=2).stdout, command
    with pytest.raises(WireloomError, match="can only be scanned"):
        wireloom.dataset("cobs_log", tmp_path).sort_by("payload")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["head", "a", "-5"], "write -n 5"),
        (["count", "a", "--columns", "x"], "'wireloom decode' has it"),
        (["count", "--format", "pcap", "a"], "FORMAT is an argument, before INPUT"),
        (["sql", "select at, b from 'x.bin'"], 'as the name of a column, write "at" in double quotes'),
        (["decode", "pcap", "a", "--report", "nowhere/r.json"], "there is no folder nowhere"),
        (["decode", "pcap", "a", "-o", "new/", "--to", "csv"], "is a folder: name a file in it"),
    ],
)  # fmt: skip
def test_words_that_are_guessed(words: list[str], advice: str) -> None:
    assert advice in run(*words, code=2).stderr


def test_many_columns_are_lines(tmp_path: Path) -> None:
    from wireloom.demo import sample

    sample(tmp_path / "capture.pcap")
    shown = run("sql", f"select * from '{tmp_path / 'capture.pcap'}' limit 2").stdout.splitlines()
    assert shown[0] == "row 1"
    assert "  src_port        51219" in shown


def test_a_table_without_columns(tmp_path: Path) -> None:
    spec, path = tmp_path / "made.ksy", tmp_path / "a.bin"
    spec.write_text(
        "meta: {id: made, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: inner, type: pair}]}, pair: {seq: [{id: a, type: u1}, {id: b, type: u1}]}}\n"
    )
    path.write_bytes(bytes(6))
    assert run("count", spec, path).stdout == "3\n"
    assert run("decode", spec, path, "--columns", "_offset").stdout.splitlines()[-1] == '{"_offset":4}'
    assert "3 rows" in run("verify", spec, path).stdout
    for command in ("decode", "head", "stat"):
        refused = run(command, spec, path, code=2)
        assert "made has no columns by default: name objects and lists in the spec's 'columns'" in refused.stderr
    with pytest.raises(WireloomError, match="has no columns by default"):
        wireloom.read(spec, path)
