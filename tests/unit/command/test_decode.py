"""``decode``, ``extract`` and ``formats`` through click's runner."""

import base64
import csv
import io
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import wireloom
import zstandard
from wireloom.format import registry
from wireloom.writing import write

from ...vectors.cases import HERE, rows
from ..commands import run

GOOD = str(HERE / "edgemq" / "plain_200.wal.zst")
DAMAGED = str(HERE / "edgemq" / "crc_payload_flip.wal.zst")
CASES = {case["case"]: case for case in rows("edgemq", "cases.jsonl")}

EVENTS = [
    {"fmt": 0, "tenant": 7, "ts_millis": 1_795_227_651_123, "payload": b'{"a": 1}'},
    {"fmt": 1, "tenant": 8, "ts_millis": 2**64 - 1, "payload": b"\xff\x00"},
    {"fmt": 2, "tenant": 9, "ts_millis": 0, "payload": b""},
]


@pytest.fixture
def segment(tmp_path: Path) -> str:
    path = tmp_path / "a.wal.zst"
    write("edgemq_segment", EVENTS, path)
    return str(path)


def test_lines_to_standard_output(segment: str) -> None:
    result = run("decode", "edgemq_segment", segment)
    assert result.stderr == ""
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"fmt": 0, "tenant": 7, "ts": "2026-11-21T02:20:51.123Z", "payload": b'{"a": 1}'.hex()},
        {"fmt": 1, "tenant": 8, "ts": None, "payload": "ff00"},
        {"fmt": 2, "tenant": 9, "ts": "1970-01-01T00:00:00.000Z", "payload": ""},
    ]
    assert list(json.loads(result.stdout.splitlines()[0])) == ["fmt", "tenant", "ts", "payload"]


def test_columns_in_their_order(segment: str) -> None:
    result = run("decode", "edgemq_segment", segment, "--columns", "ts_millis, _offset,len")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines[1] == {"ts_millis": 2**64 - 1, "_offset": 29, "len": 15}
    assert list(lines[1]) == ["ts_millis", "_offset", "len"]


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("hex", ["7b2261223a20317d", "ff00", ""]),
        ("base64", [base64.b64encode(b'{"a": 1}').decode(), "/wA=", ""]),
        ("utf8", ['{"a": 1}', "�\0", ""]),
    ],
)
def test_bytes_as_text(way: str, expected: list[str], segment: str) -> None:
    result = run("decode", "edgemq_segment", segment, "--bytes", way, "--columns", "payload")
    assert [json.loads(line)["payload"] for line in result.stdout.splitlines()] == expected


@pytest.mark.parametrize("name", ["a.ndjson", "a.jsonl", "a.json", "a.ndjson.gz", "a.ndjson.zst"])
def test_lines_to_a_file(name: str, segment: str, tmp_path: Path) -> None:
    out = tmp_path / "out" / name
    out.parent.mkdir()
    result = run("decode", "edgemq_segment", segment, "-o", str(out))
    assert result.stdout == ""
    assert os.listdir(out.parent) == [name]
    data = out.read_bytes()
    if name.endswith(".gz"):
        import gzip

        data = gzip.decompress(data)
    if name.endswith(".zst"):
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    assert data.decode() == run("decode", "edgemq_segment", segment).stdout


@pytest.mark.parametrize("name", ["a.parquet", "a.pq", "a.arrow", "a.feather", "a.arrows"])
def test_columnar_files(name: str, segment: str, tmp_path: Path) -> None:
    out = tmp_path / name
    run("decode", "edgemq_segment", segment, "-o", str(out))
    if name.endswith("s"):
        table = pa.ipc.open_stream(out).read_all()
    else:
        table = pq.read_table(out) if name.startswith("a.p") else pa.ipc.open_file(out).read_all()
    expected = wireloom.read("edgemq_segment", segment)
    assert table.schema.equals(expected.schema)
    assert table.equals(expected)


def test_an_arrow_stream_to_standard_output(segment: str) -> None:
    result = run("decode", "edgemq_segment", segment, "--to", "arrow")
    assert pa.ipc.open_stream(result.stdout_bytes).read_all().num_rows == 3


def test_csv(segment: str, tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    run("decode", "edgemq_segment", segment, "-o", str(out), "--bytes", "utf8")
    found = list(csv.DictReader(io.StringIO(out.read_text())))
    assert found[0] == {"fmt": "0", "tenant": "7", "ts": "2026-11-21T02:20:51.123Z", "payload": '{"a": 1}'}
    assert found[1]["ts"] == ""


def test_a_table_shows_the_first_rows() -> None:
    result = run("decode", "edgemq_segment", GOOD, "--to", "table", "--bytes", "utf8")
    assert "payload" in result.stdout
    assert "the first 20 rows" in result.stdout
    assert "the first row\n" in run("decode", "edgemq_segment", GOOD, "--to", "table", "--limit", "1").stdout
    assert len(result.stdout.splitlines()) < 30
    assert result.stderr == ""


def test_a_table_cuts_long_texts_and_shows_no_control_characters(tmp_path: Path) -> None:
    write("edgemq_segment", [EVENTS[0] | {"payload": b"\x1b[31m\n" + b"x" * 500}], tmp_path / "a.wal")
    result = run("decode", "edgemq_segment", str(tmp_path / "a.wal"), "--to", "table", "--bytes", "utf8")
    [row] = [line for line in result.stdout.splitlines() if "2026" in line]
    assert [cell.strip() for cell in row.strip("│").split("│")][:3] == ["0", "7", "2026-11-21T02:20:51.123Z"]
    assert "\\x1b[31m\\x0ax" in row
    assert "\x1b" not in result.stdout


CONTROLS = "caf\u00e9 \x9b2J\x85\u2028\x7f"


def test_json_lines_hold_no_controls_and_one_line_for_each_row(tmp_path: Path) -> None:
    write("edgemq_segment", [EVENTS[0] | {"payload": CONTROLS.encode()}], tmp_path / "a.wal")
    result = run("decode", "edgemq_segment", str(tmp_path / "a.wal"), "--bytes", "utf8", "--columns", "payload")
    assert result.stdout == '{"payload":"caf\u00e9 \\u009b2J\\u0085\\u2028\\u007f"}\n'
    assert json.loads(result.stdout)["payload"] == CONTROLS


def test_formulas_in_csv_are_escaped_where_that_is_asked_for(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-1", "@sum", "\t=1", "plain", "a=1"]
    write("edgemq_segment", [EVENTS[0] | {"payload": each.encode()} for each in texts], tmp_path / "a.wal")
    arguments = ("decode", "edgemq_segment", str(tmp_path / "a.wal"), "--bytes", "utf8", "--columns", "tenant,payload")
    for flags, mark in ((), ""), (("--escape-formulas",), "'"):
        found = list(csv.DictReader(io.StringIO(run(*arguments, "--to", "csv", *flags).stdout)))
        assert [each["payload"] for each in found] == [mark * (each[0] in "=+-@\t") + each for each in texts]
        assert {each["tenant"] for each in found} == {"7"}
    assert "applies only to CSV, not to ndjson" in run(*arguments, "--escape-formulas", code=2).stderr


def test_the_name_has_to_say_what_to_write(segment: str, tmp_path: Path) -> None:
    result = run("decode", "edgemq_segment", segment, "-o", str(tmp_path / "a.dat"), code=2)
    assert "add --to ndjson|parquet|arrow|csv|table" in result.stderr
    run("decode", "edgemq_segment", segment, "-o", str(tmp_path / "a.dat"), "--to", "csv")
    assert (tmp_path / "a.dat").read_text().startswith('"fmt"')


def test_the_report(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    result = run("decode", "edgemq_segment", DAMAGED, "--report", str(report))
    case = CASES["crc_payload_flip"]
    found = json.loads(report.read_text())
    assert found["rows"] == len(case["records"]) == len(result.stdout.splitlines())
    [file] = found["files"]
    assert file["path"] == DAMAGED
    assert file["damaged"] == case["damaged"]
    assert file["tail"] == case["tail"]
    assert file["tail_offset"] == case["tail_offset"]
    assert "wireloom: warning:" in result.stderr
    assert "checksum" in result.stderr


def test_a_file_that_is_cut_off(segment: str, tmp_path: Path) -> None:
    content = zstandard.ZstdDecompressor().stream_reader(Path(segment).read_bytes()).read()
    cut = tmp_path / "cut.wal"
    cut.write_bytes(content[:-1])
    for name in ("decode", "extract"):
        assert len(run(name, "edgemq_segment", str(cut)).stdout.splitlines()) == 2
        assert run(name, "edgemq_segment", str(cut), "--tail", "growing").stderr == ""
    result = run("decode", "edgemq_segment", str(cut), "--mode", "failfast", code=2)
    assert result.stderr.startswith(f"wireloom: error: {cut} at byte 52, record 3: the input ends inside the record")
    growing = run("decode", "edgemq_segment", str(cut), "--mode", "failfast", "--tail", "growing")
    assert len(growing.stdout.splitlines()) == 2
    assert "(truncated)" in run("verify", "edgemq_segment", str(cut), code=1).stdout
    verified = run("verify", "edgemq_segment", str(cut), "--tail", "growing").stdout
    assert verified == (f"{cut}: clean up to byte 52, where a row begins that is not complete yet; 2 rows, 72 bytes\n")


def test_a_file_of_another_format(segment: str, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_bytes(b"To whom it may concern. " * 30)
    said = f"wireloom: error: {letter}: not in the format edgemq_segment? No record in it is valid"
    for command in ("decode", "extract"):
        result = run(command, "edgemq_segment", str(letter), code=2)
        assert (result.stdout, result.stderr.startswith(said)) == ("", True)
        # The others are still written.
        both = run(command, "edgemq_segment", str(letter), segment, code=2)
        assert len(both.stdout.splitlines()) == 3
        assert said in both.stderr
        assert run(command, "edgemq_segment", str(letter), segment, "--limit", "1", code=2).stderr.startswith(said)
        assert run(command, "edgemq_segment", str(letter), "--tail", "growing").stdout == ""
    shown = run("decode", "word_stuffed_log", segment, "--columns", "_error")
    assert "warning: " in shown.stderr
    out = tmp_path / "out.parquet"
    run("decode", "edgemq_segment", str(letter), "-o", str(out), code=2)
    assert not out.exists()
    run("decode", "edgemq_segment", str(letter), segment, "-o", str(out), code=2)
    assert pq.read_table(out).num_rows == 3
    assert (
        "no record is valid: is this a file of this format?"
        in run("verify", "edgemq_segment", str(letter), code=2).stdout
    )
    empty = tmp_path / "empty"
    for content in (b"", bytes(5000)):
        empty.write_bytes(content)
        assert run("decode", "edgemq_segment", str(empty)).stdout == ""


def test_modes_and_recovery() -> None:
    case = CASES["crc_payload_flip"]
    result = run("decode", "edgemq_segment", DAMAGED, "--mode", "failfast", code=2)
    assert result.stderr.startswith(f"wireloom: error: {DAMAGED} at byte {case['damaged'][0][0]}")
    seen = run("decode", "edgemq_segment", DAMAGED, "--columns", "tenant,_error").stdout.splitlines()
    assert sum(json.loads(line)["_error"] is not None for line in seen) == len(case["damaged"])
    dropped = run("decode", "edgemq_segment", DAMAGED, "--columns", "tenant,_error", "--mode", "dropmalformed")
    assert len(dropped.stdout.splitlines()) == len(case["records"])
    unverified = run("decode", "edgemq_segment", DAMAGED, "--no-verify")
    assert len(unverified.stdout.splitlines()) == len(case["records"]) + 1
    broken = CASES["len_corrupt_mid"]
    path = str(HERE / "edgemq" / broken["file"])
    assert len(run("decode", "edgemq_segment", path).stdout.splitlines()) == len(broken["records"])
    recovered = run("decode", "edgemq_segment", path, "--recover").stdout.splitlines()
    assert len(recovered) == len(broken["recover_records"]) > len(broken["records"])


def test_several_inputs(tmp_path: Path) -> None:
    folder = tmp_path / "eu" / "i-1" / "3" / "segments"
    folder.mkdir(parents=True)
    for number in range(3):
        write("edgemq_segment", EVENTS, folder / f"seg-{number}.wal.zst")
    for inputs in ([str(tmp_path)], [f"{folder}/*.zst"], [str(each) for each in sorted(folder.iterdir())]):
        result = run("decode", "edgemq_segment", *inputs, "--columns", "region,segment,tenant")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert [(line["region"], line["segment"]) for line in lines[::3]] == [("eu", f"seg-{n}") for n in range(3)]


def test_standard_input(segment: str) -> None:
    data = Path(segment).read_bytes()
    assert run("decode", "edgemq_segment", "-", input=data).stdout == run("decode", "edgemq_segment", segment).stdout


def test_options_of_the_format() -> None:
    path = str(HERE / "edgemq" / "stride_21_plus_len.wal.zst")
    assert len(run("decode", "edgemq_segment", path, "--option", "stride=rules").stdout.splitlines()) == 50
    assert len(run("decode", "edgemq_segment", path, "--option", "stride=layout").stdout.splitlines()) == 1
    largest = run("verify", "edgemq_segment", GOOD, "--option", "max_record=60", code=1)
    assert "raise max_record to read it" in largest.stdout
    assert "not read further from byte 0 on" in largest.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decode", "edgemq_segmnt", GOOD], "unknown format 'edgemq_segmnt': did you mean 'edgemq_segment'?"),
        (["decode", "edgemq_segment", GOOD, "--columns", "tenat"], "did you mean 'tenant'?"),
        (["decode", "edgemq_segment", GOOD, "--columns", ","], "name at least one column"),
        (["decode", "edgemq_segment", GOOD, "--option", "strid=rules"], "did you mean 'stride'?"),
        (["decode", "edgemq_segment", GOOD, "--option", "stride"], "is not of the form NAME=VALUE"),
        (["decode", "edgemq_segment", GOOD, "--option", "stride=rule"], "rules"),
        (["decode", "edgemq_segment", GOOD, "--option", "max_record=many"], "max_record must be a number"),
        (
            ["decode", "edgemq_segment", GOOD, "--option", "max_record=-5"],
            "max_record must be a number of at least 1, not '-5'",
        ),
        (["decode", "edgemq_segment", GOOD, "--stride", "rules"], "is given as --option NAME=VALUE"),
        (["decode", "edgemq_segment", GOOD, "-o", "/no/such/folder/a.csv"], "/no/such/folder/a.csv: cannot be written"),
        (["decode", "edgemq_segment", "/no/such/file"], "/no/such/file"),
        (["decode", "edgemq_segment"], "Missing argument 'INPUT...'"),
        (["decode", "edgemq_segment", GOOD, "--mode", "strict"], "'permissive', 'dropmalformed', 'failfast'"),
        (["decod", "edgemq_segment", GOOD], "unknown command 'decod': did you mean 'decode'?"),
        (["describe"], "unknown command 'describe'"),
        (["extract", "edgemq_segment", "/no/such/file"], "/no/such/file"),
        (["verify", "edgemq_segment", "/no/such/file"], "/no/such/file"),
    ],
)
def test_errors_are_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("wireloom: error: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_without_arguments_the_help_is_shown_in_lines() -> None:
    result = run(code=2)
    assert result.stdout == ""
    assert result.stderr == run("--help").stdout


def test_a_failed_decode_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "a.parquet"
    out.write_bytes(b"old")
    run("decode", "edgemq_segment", DAMAGED, "--mode", "failfast", "-o", str(out), code=2)
    assert out.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_extract(tmp_path: Path) -> None:
    path = tmp_path / "a.wal"
    write("edgemq_segment", [EVENTS[0] | {"payload": each} for each in (b"a", b"b\n", b"", b"c\nd")], path)
    assert run("extract", "edgemq_segment", str(path)).stdout_bytes == b"a\nb\n\nc\nd\n"
    data = bytearray(path.read_bytes())
    data[21] ^= 1
    path.write_bytes(data)
    result = run("extract", "edgemq_segment", str(path), "--region", "eu-west-1")
    assert result.stdout_bytes == b"b\n\nc\nd\n"
    assert "1 damaged range (the first at byte 0, 22 bytes, checksum)" in result.stderr
    assert run("extract", "edgemq_segment", str(path), "--no-crc").stdout_bytes == b"`\nb\n\nc\nd\n"


def test_formats() -> None:
    found = json.loads(run("formats", "--json").stdout)
    assert [each["name"] for each in found] == registry.formats()
    [edgemq] = [each for each in found if each["name"] == "edgemq_segment"]
    assert [each["name"] for each in edgemq["columns"] if each["default"]] == ["fmt", "tenant", "ts", "payload"]
    assert edgemq["path_columns"] == ["region", "instance_id", "epoch", "segment"]
    assert list(edgemq["options"]["stride"]["values"]) == ["auto", "layout", "rules"]
    text = run("formats").stdout
    for name in registry.formats():
        assert f"\n{name}  " in f"\n{text}"


def test_formats_of_given_names() -> None:
    found = json.loads(run("formats", "cobs_log", "pcap", "--json").stdout)
    assert [each["name"] for each in found] == ["cobs_log", "pcap"]
    text = run("formats", "cobs_log").stdout
    assert text == "cobs_log  COBS record log\n  columns: payload binary\n"
    assert "did you mean 'cobs_log'?" in run("formats", "cobs_lgo", code=2).stderr


@pytest.mark.parametrize(
    ("name", "answer"), [("edgemq_segmnet", "did you mean 'edgemq_segment'?"), ("pcap", "'wireloom formats pcap'")]
)
def test_the_schema_takes_no_format(name: str, answer: str) -> None:
    assert answer in run("schema", name, code=2).stderr


def test_help_and_version() -> None:
    assert "decode" in run("--help").stdout
    assert run("--version").stdout.startswith("wireloom, version ")
    for name in ("decode", "encode", "extract", "verify", "formats", "generate", "check", "ingest"):
        assert "Usage: wireloom" in run(name, "--help").stdout


def test_times_are_right_in_every_year() -> None:
    from wireloom.command import iso_time

    assert iso_time(1_795_227_651_123, "ms") == "2026-11-21T02:20:51.123"
    assert iso_time(9_223_372_036_854_775, "ms") == "+294247-01-10T04:00:54.775"
    for seconds in range(-62_135_596_800, 253_402_300_800, 86_400 * 1_237 + 7_919):
        assert iso_time(seconds, "s") == datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()


@pytest.mark.parametrize(("limit", "rows"), [("0", 0), ("1", 1), ("3", 3), ("100000", 5)])
@pytest.mark.parametrize("kind", ["ndjson", "csv", "table"])
def test_a_limit_of_rows(limit: str, rows: int, kind: str, tmp_path: Path) -> None:
    write("cobs_log", [{"payload": b"row-%d" % index} for index in range(5)], tmp_path / "a.log")
    shown = run("decode", "cobs_log", str(tmp_path / "a.log"), "--limit", limit, "--to", kind, "--bytes", "utf8").stdout
    assert re.findall(r"row-\d", shown) == [f"row-{index}" for index in range(rows)]


def test_a_limit_is_the_number_of_rows_in_a_table(tmp_path: Path) -> None:
    write("cobs_log", [{"payload": b"row %d" % index} for index in range(50)], tmp_path / "a.log")
    decoded = run("decode", "cobs_log", str(tmp_path / "a.log"), "--limit", "30", "--to", "table", "--bytes", "utf8")
    assert decoded.stdout.count("row ") == 30
    assert "the first 30 rows" in decoded.stdout
    extracted = run("extract", "cobs_log", str(tmp_path / "a.log"), "--limit", "7")
    assert extracted.stdout_bytes.count(b"\n") == 7


@pytest.mark.parametrize("flag", ["--no-verify", "--no-crc"])
@pytest.mark.parametrize("command", ["decode", "extract"])
def test_checksums_are_left_out_under_both_names(command: str, flag: str) -> None:
    checked = run(command, "edgemq_segment", DAMAGED).stdout_bytes
    assert len(run(command, "edgemq_segment", DAMAGED, flag).stdout_bytes) > len(checked)


def test_json_lines_in_a_file_named_json_are_said_to_be_lines(segment: str, tmp_path: Path) -> None:
    said = run("decode", "edgemq_segment", segment, "-o", str(tmp_path / "a.json")).stderr
    assert said == f"wireloom: note: {tmp_path}/a.json gets JSON lines, one object per line (NDJSON)\n"
    assert run("decode", "edgemq_segment", segment, "-o", str(tmp_path / "a.json"), "--to", "ndjson").stderr == ""
    assert run("decode", "edgemq_segment", segment, "-o", str(tmp_path / "a.ndjson")).stderr == ""
