"""Commands that people type to look at a file: ``identify``, ``head``, ``count``, ``stat``, ``sql``, and FORMAT left
out."""

import json
from pathlib import Path
from random import Random

import pytest
import wireloom

from ...vectors.cases import HERE
from ..commands import run

SEGMENT = str(HERE / "edgemq" / "plain_200.wal.zst")
DAMAGED = str(HERE / "edgemq" / "crc_payload_flip.wal.zst")
NOTE = "wireloom: note: reading {} as {}\n"
LARGE = "edgemq/payload_5mb.wal.zst"

FORMATS = {
    "avro_blocks/deflate.avro": "avro_blocks",
    "bitcoin_blocks/first.dat": "bitcoin_blocks",
    "edgemq/plain_200.wal.zst": "edgemq_segment",
    "edgemq/crc_payload_flip.wal.zst": "edgemq_segment",
    LARGE: "edgemq_segment",
    "etcd_wal/cut.wal": "etcd_wal",
    "etcd_wal/segment1.wal": "etcd_wal",
    "etcd_wal/torn_middle.wal": "etcd_wal",
    "kafka_log/v0.log": "kafka_log",
    "kafka_log/zstd.log": "kafka_log",
    "kpl/py_big_5000x20.bin": "kpl_aggregated_record",
    "leveldb_log/rocks.log": "leveldb_log",
    "mcap/lz4.mcap": "mcap",
    "mysql_binlog/old.bin": "mysql_binlog",
    "mysql_binlog/cut.bin": "mysql_binlog",
    "otlp_logs/varint.bin": "otlp_logs",
    "pcap/big_nano.pcap": "pcap",
    "pcapng/cut.pcapng": "pcapng",
    "prometheus_wal/snappy": "prometheus_wal",
    "prometheus_wal/large": "prometheus_wal",
    "tfrecord/packed.tfrecord.gz": "tfrecord",
    "tf_example/packed.bin": "tf_example",
    "word_stuffing/chunk_clean.bin.gz": "word_stuffed_log",
    "word_stuffing/chunk_damaged.bin.gz": "word_stuffed_log",
}


@pytest.mark.parametrize("name", [pytest.param(each, marks=[pytest.mark.slow] * (each == LARGE)) for each in FORMATS])
def test_the_format_of_a_file(name: str) -> None:
    result = run("identify", str(HERE / name))
    assert result.stdout.startswith(f"{HERE / name}: {FORMATS[name]} ("), result.stdout


@pytest.mark.slow
def test_files_of_no_format(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Not a log of any format, but only some text.\n")
    (tmp_path / "b.wal").write_bytes(b"")
    (tmp_path / "c.bin").write_bytes(Random(7).randbytes(70_000))
    (tmp_path / "d.pcap").write_bytes(bytes(100_000))
    # A message of a field that no format knows.
    (tmp_path / "e.bin").write_bytes(b" " * 2000)
    (tmp_path / "f.zst").write_bytes(Path(SEGMENT).read_bytes()[:30])
    result = run("identify", str(tmp_path), "--json", code=1)
    assert [(each["format"], each["candidates"], each["description"]) for each in json.loads(result.stdout)] == [
        (None, [], "it seems to be text"),
        (None, [], "it is empty"),
        (None, [], "it is of no format that is known here"),
        (None, [], "its first 65,536 bytes are zeros"),
        (None, [], "it seems to be text"),
        (None, [], "compressed stream ends early, inside a block"),
    ]


def test_an_input_that_does_not_exist_does_not_hide_the_others(tmp_path: Path) -> None:
    result = run("identify", str(tmp_path / "nix"), SEGMENT, code=2)
    assert result.stdout == f"{SEGMENT}: edgemq_segment (EdgeMQ write-ahead-log segment), zstd\n"
    assert "nix: no such file" in result.stderr


def test_the_first_file_that_shows_its_format_decides(tmp_path: Path) -> None:
    (tmp_path / "a.wal").write_bytes(b"")
    (tmp_path / "b.wal").write_bytes(bytes(1000))
    (tmp_path / "c.wal.zst").write_bytes(Path(SEGMENT).read_bytes())
    result = run("count", str(tmp_path))
    assert result.stdout.splitlines()[-1] == "200 total"
    assert NOTE.format(tmp_path, "edgemq_segment") in result.stderr


def test_several_possible_formats_are_an_error() -> None:
    path = str(HERE / "otlp_spans" / "single.bin")
    assert "perhaps otlp_spans or tf_example" in run("identify", path).stdout
    error = f"wireloom: error: {path}: it may be otlp_spans or tf_example: name FORMAT before INPUT\n"
    assert run("count", path, code=2).stderr == error


@pytest.mark.parametrize("command", ["decode", "verify", "extract", "count", "head", "stat"])
def test_format_left_out(command: str) -> None:
    short, long = run(command, SEGMENT), run(command, "edgemq_segment", SEGMENT)
    assert short.stdout == long.stdout != ""
    assert short.stderr == NOTE.format(SEGMENT, "edgemq_segment") + long.stderr


@pytest.mark.parametrize("command", ["inspect", "dump"])
def test_format_left_out_of_one_file(command: str) -> None:
    assert run(command, SEGMENT).stdout == run(command, "edgemq_segment", SEGMENT).stdout != ""


def test_format_after_its_input() -> None:
    result = run("count", SEGMENT, "edgemq_segment")
    assert result.stdout == "200\n"
    assert result.stderr == f"wireloom: note: FORMAT comes first: reading {SEGMENT} as edgemq_segment\n"


def test_standard_input_needs_a_format() -> None:
    error = "an input that can be read only once is not identified: name its format before it"
    assert run("count", "-", input=Path(SEGMENT).read_bytes(), code=2).stderr == f"wireloom: error: -: {error}\n"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("avro", "'avro_blocks'"),
        ("bitcoin", "'bitcoin_blocks'"),
        ("mysql", "'mysql_binlog'"),
        ("otlp", "'otlp_logs' or 'otlp_metrics' or 'otlp_spans'"),
    ],
)
def test_the_first_word_of_a_format(word: str, hint: str) -> None:
    result = run("head", word, SEGMENT, code=2)
    assert result.stderr == f"wireloom: error: unknown format '{word}': did you mean {hint}?\n"


@pytest.mark.parametrize(
    ("word", "hint"), [("cat", "decode"), ("read", "decode"), ("show", "head"), ("open", "head"), ("wc", "count")]
)
def test_words_of_other_programs(word: str, hint: str) -> None:
    said = f"wireloom: error: unknown command '{word}': did you mean '{hint}'? (see 'wireloom --help')\n"
    assert run(word, SEGMENT, code=2).stderr == said


def test_the_count_of_several_inputs() -> None:
    result = run("count", "edgemq_segment", SEGMENT, DAMAGED)
    assert result.stdout == f"200 {SEGMENT}\n 19 {DAMAGED}\n219 total\n"
    assert result.stderr.count("warning") == 1


def test_head_shows_legible_bytes_as_text_and_others_in_hex(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    for payloads, shown in (([b"one", b"two"], ["one", "two"]), ([b"one", b"\xff"], ["6f6e65", "ff"])):
        wireloom.write("cobs_log", [{"payload": each} for each in payloads], path)
        lines = run("head", "cobs_log", str(path)).stdout.splitlines()
        assert [line.strip("│ ") for line in lines[3:5]] == shown
        assert "6f6e65" in run("head", "cobs_log", str(path), "--bytes", "hex").stdout


def test_stat_is_that_of_all_batches() -> None:
    table = wireloom.read("edgemq_segment", SEGMENT)
    result = run("stat", "edgemq_segment", SEGMENT, "--json", "--option", "batch_rows=7")
    found = json.loads(result.stdout)
    assert found["rows"] == 200
    columns = {each["name"]: each for each in found["columns"]}
    tenants = table["tenant"].to_pylist()
    assert (columns["tenant"]["min"], columns["tenant"]["max"]) == (min(tenants), max(tenants))
    payloads = table["payload"].to_pylist()
    assert (columns["payload"]["min"], columns["payload"]["max"]) == tuple(
        each[:64].hex() for each in (min(payloads), max(payloads))
    )
    assert [each["nulls"] for each in found["columns"]] == [column.null_count for column in table.columns]


@pytest.mark.slow
def test_stat_of_times_that_python_has_no_values_for() -> None:
    path = str(HERE / "pcap" / "big_nano.pcap")
    found = json.loads(run("stat", "pcap", path, "--columns", "ts", "--json").stdout)
    times = run("decode", "pcap", path, "--columns", "ts").stdout.splitlines()
    assert [found["columns"][0][each] for each in ("min", "max")] == [json.loads(times[at])["ts"] for at in (0, -1)]


def test_sql_results_of_all_kinds_are_lines() -> None:
    query = "select null as n, date '2024-01-02' as d, time '10:00:01' as t, 1.5::decimal(4,1) as x, [1, 2] as l"
    assert json.loads(run("sql", query, "--to", "ndjson").stdout) == {
        "n": None, "d": "2024-01-02", "t": "10:00:01.000000", "x": 1.5, "l": [1, 2],
    }  # fmt: skip


def test_sql_over_files_of_two_formats(tmp_path: Path) -> None:
    other = tmp_path / "names.log"
    wireloom.write("cobs_log", [{"payload": b"x"}, {"payload": b"y"}], other)
    query = f"select count(*) as n, count(distinct payload) as p from '{SEGMENT}', (select 1 from '{DAMAGED}')"
    result = run("sql", query, "--to", "ndjson")
    payloads = wireloom.read("edgemq_segment", SEGMENT)["payload"].to_pylist()
    assert json.loads(result.stdout) == {"n": 200 * 19, "p": len(set(payloads))}
    assert f"wireloom: warning: {DAMAGED}: 1 damaged range" in result.stderr
    assert json.loads(run("sql", f"from '{other}' select count(*) n", "--format", "cobs_log", "--to", "ndjson").stdout)


def test_sql_over_damage(tmp_path: Path) -> None:
    """Damaged rows are rows where the query names their columns, as elsewhere."""
    query = f"select _offset, tenant, _error from '{DAMAGED}' where _error is not null"
    report = wireloom.scan("edgemq_segment", DAMAGED)
    found = json.loads(run("sql", query, "--to", "ndjson").stdout)
    assert (found["tenant"], found["_error"]) == (None, "checksum: the checksum does not match")
    for _ in report:
        pass
    assert found["_offset"] == report.report.files[0].damaged[0].offset
    counted = run("sql", f"select count(*) n, count(_error) e from '{DAMAGED}'", "--to", "ndjson")
    assert json.loads(counted.stdout) == {"n": 20, "e": 1}
    twice = run("sql", f"select count(*) n from '{DAMAGED}' a, '{DAMAGED}' b", "--to", "ndjson")
    assert json.loads(twice.stdout) == {"n": 19 * 19}
    assert twice.stderr.count("1 damaged range") == 1


@pytest.mark.parametrize(
    "query",
    [
        f"-- all of it\nselect count(*) n from '{SEGMENT}'",
        f"--all\nselect count(*) n from '{SEGMENT}'",
        f"""select count(*) n from query_table('"{SEGMENT}"')""",
        f"with t as (from '{SEGMENT}') select count(*) n from query_table('t')",
    ],
)
def test_sql_in_other_words(query: str) -> None:
    assert json.loads(run("sql", query, "--to", "ndjson").stdout) == {"n": 200}


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (f"from query_table('{SEGMENT}')", f"query_table('{SEGMENT}'): write FROM '{SEGMENT}', or "),
        (
            f"select 1 from '{HERE / 'pcap' / 'big_nano.pcap'}' where ts > now()",
            "DuckDB: Binder Error: Cannot compare values of type TIMESTAMPTZ_NS and type TIMESTAMP WITH TIME ZONE - an "
            "explicit cast is required; write the time as text ('2026-01-31 10:00Z'), not as TIMESTAMPTZ",
        ),
        ("drop table x", "only a SELECT is run"),
        ("", "one SELECT is run at a time, and these are 0"),
        ("select 1; select 2", "one SELECT is run at a time, and these are 2"),
        (f"select 1 from '{SEGMENT}', '{SEGMENT.upper()}'", "DuckDB does not distinguish"),
        ("select from from", "DuckDB: "),
        (f"select nix from '{SEGMENT}'", 'DuckDB: Binder Error: Referenced column "nix"'),
        ("select * from 'nix.wal'", "nix.wal: no such file or folder"),
    ],
)
def test_queries_that_fail(query: str, error: str) -> None:
    assert f"wireloom: error: {error}" in run("sql", query, code=2).stderr


def test_imports_of_a_spec_are_looked_up_in_folders(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "point.ksy").write_text("meta: {id: point, endian: le}\nseq: [{id: x, type: u2}]\n")
    spec = tmp_path / "points.ksy"
    spec.write_text(
        "meta: {id: points, endian: le, imports: [/point], -wireloom: {rows: points}}\n"
        "seq: [{id: points, type: point, repeat: eos}]\n"
    )
    data = tmp_path / "a.bin"
    data.write_bytes(b"\1\0\2\0")
    assert run("count", str(spec), str(data), code=2).stdout == ""
    assert "columns: x uint16" in run("formats", "-I", str(shared), str(spec)).stdout
    for command in ("count", "head", "stat", "decode", "verify", "inspect", "dump"):
        assert run(command, "-I", str(shared), str(spec), str(data)).stdout
    assert wireloom.read(wireloom.load_spec(spec, import_paths=[shared]), data)["x"].to_pylist() == [1, 2]
