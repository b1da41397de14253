"""Scanners: columns, batches, progress and the live report."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from wireloom import engine

from . import samples
from .segments import BAD, PAYLOADS, PLACES, SEGMENT


def test_default_columns_and_types() -> None:
    table = wireloom.read("edgemq_segment", SEGMENT)
    assert table.schema == pa.schema(
        {"fmt": pa.uint8(), "tenant": pa.uint32(), "ts": pa.timestamp("ms", "UTC"), "payload": pa.binary()}
    )
    assert table["payload"].to_pylist() == PAYLOADS
    assert table["tenant"].to_pylist() == list(range(300))


def test_schema_without_reading() -> None:
    from wireloom import schema

    assert schema("edgemq_segment") == wireloom.read("edgemq_segment", SEGMENT).schema
    columns = ["region", "_path", "_offset", "_error", "_corrupt_record", "len"]
    expected = [pa.utf8(), pa.utf8(), pa.uint64(), pa.utf8(), pa.binary(), pa.uint32()]
    assert schema("edgemq_segment", columns) == pa.schema(list(zip(columns, expected, strict=True)))


def test_a_folder_and_the_columns_of_its_paths(folder: Path) -> None:
    columns = ["tenant", "region", "instance_id", "epoch", "segment", "_path"]
    table, report = wireloom.read_with_report("edgemq_segment", folder, columns=columns)
    assert table.num_rows == 303
    assert [file.rows for file in report.files] == [100, 101, 102]
    assert table["region"].to_pylist() == ["eu"] * 201 + ["us"] * 102
    assert set(table["instance_id"].to_pylist()) == {"i-1"}
    assert table["segment"].to_pylist() == ["seg-1"] * 100 + ["seg-2"] * 101 + ["seg-1"] * 102
    assert table["_path"].unique().to_pylist() == [file.path for file in report.files]
    assert wireloom.read("edgemq_segment", SEGMENT, columns=["region", "_path"]).to_pylist()[0] == {
        "region": None,
        "_path": None,
    }


def test_progress(folder: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    with wireloom.scan("edgemq_segment", folder, progress=lambda done, total: seen.append((done, total))) as scanner:
        for _ in scanner:
            pass
    total = sum(path.stat().st_size for path in folder.rglob("*.zst"))
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_batches_are_as_large_as_asked() -> None:
    with wireloom.scan("edgemq_segment", SEGMENT, batch_rows=70) as scanner:
        assert [batch.num_rows for batch in scanner] == [70, 70, 70, 70, 20]
        assert scanner.report.files[0].tail == "clean"


def test_a_batch_ends_after_its_bytes() -> None:
    data = samples.frames([b"x" * 1_000_000] * 10 + [b"y" * 6_000_000] + [b"z"])
    with wireloom.scan("edgemq_segment", data, columns=["payload"]) as scanner:
        sizes = [batch.num_rows for batch in scanner]
    assert sum(sizes) == 12
    assert max(sizes) in (4, 5)


def test_the_report_is_live_and_says_where_it_was_stopped() -> None:
    with wireloom.scan("edgemq_segment", SEGMENT, batch_rows=50) as scanner:
        next(scanner)
        assert scanner.report.rows == 50
    [file] = scanner.report.files
    assert (file.tail, file.tail_offset, file.rows) == ("unread", PLACES[50], 50)
    assert not scanner.report.clean
    scanner.close()
    with pytest.raises(wireloom.WireloomError, match="the scanner is closed: it can be read only once"):
        list(scanner)


def test_other_libraries_read_the_scanner_as_a_stream() -> None:
    with wireloom.scan("edgemq_segment", SEGMENT) as scanner:
        table = pa.table(scanner)
    assert table.num_rows == 300
    with wireloom.scan("edgemq_segment", b"") as scanner:
        found = pa.RecordBatchReader.from_stream(scanner).read_all()
        assert (found.num_rows, found.schema) == (0, scanner.schema)


def test_a_scanner_that_was_read_gives_nothing_more_without_saying_so() -> None:
    for consume in (list, pa.table, lambda scanner: scanner.read_all(), lambda scanner: [*scanner]):
        scanner = wireloom.scan("edgemq_segment", SEGMENT, batch_rows=100)
        consume(scanner)
        for again in (list, pa.table, lambda scanner: scanner.read_all(), pa.RecordBatchReader.from_stream):
            with pytest.raises(
                wireloom.WireloomError, match="has been read to its end: it can be read only once, so scan again"
            ):
                again(scanner)
        assert next(scanner, None) is None
        scanner.close()
        with pytest.raises(wireloom.WireloomError, match="has been read to its end"):
            list(scanner)


def test_a_scanner_that_was_closed_or_has_failed_raises() -> None:
    with wireloom.scan("edgemq_segment", SEGMENT) as scanner:
        pass
    for again in (next, list, pa.table, lambda scanner: scanner.read_all()):
        with pytest.raises(wireloom.WireloomError, match="the scanner is closed"):
            again(scanner)
    scanner = wireloom.scan("edgemq_segment", BAD, mode="failfast")
    with pytest.raises(wireloom.DamagedInputError):
        list(scanner)
    for again in (next, list, pa.table):
        with pytest.raises(wireloom.WireloomError, match="the scanner has failed"):
            again(scanner)


def test_a_stream_has_all_batches_or_none() -> None:
    scanner = wireloom.scan("edgemq_segment", SEGMENT, batch_rows=100)
    first, second = (pa.RecordBatchReader.from_stream(scanner) for _ in range(2))
    assert first.schema == second.schema == scanner.schema
    assert first.read_next_batch().num_rows == 100
    with pytest.raises(pa.ArrowInvalid, match="batches have been read already"):
        second.read_all()
    assert first.read_all().num_rows == 200
    with wireloom.scan("edgemq_segment", SEGMENT, batch_rows=100) as scanner:
        next(scanner)
        with pytest.raises(pa.ArrowInvalid, match="batches have been read already"):
            pa.RecordBatchReader.from_stream(scanner).read_all()
        assert scanner.read_all().num_rows == 200, "the rest"


def test_the_second_query_of_a_relation_raises() -> None:
    duckdb = pytest.importorskip("duckdb")
    scanner = wireloom.scan("edgemq_segment", SEGMENT)
    relation = duckdb.from_arrow(scanner)
    assert relation.count("*").fetchall() == [(300,)]
    with pytest.raises(duckdb.Error, match="the scanner has been read to its end"):
        relation.count("*").fetchall()


def test_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.wal"
    try:
        Path(os.fsdecode(name)).write_bytes(SEGMENT)
    except OSError:
        pytest.skip("the file system takes only text")
    table, report = wireloom.read_with_report("edgemq_segment", os.fsdecode(name), columns=["_path"])
    assert table.num_rows == 300
    assert table["_path"][0].as_py() == f"file://{tmp_path}/%FF.wal"
    assert report.files[0].path == os.fsdecode(name)


def test_a_spec_as_the_format() -> None:
    spec = Path(__file__).parent / "specs" / "journal.ksy"
    for format in (spec, str(spec)):
        assert wireloom.read(format, b"JRNL\x01\x00", columns=["version", "text"]).num_rows == 0


def test_errors_cross_processes() -> None:
    import pickle

    from wireloom.codecs import CodecError
    from wireloom.input.stored import StorageError

    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", BAD, mode="failfast")
    for error in (caught.value, CodecError("a"), StorageError("b")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.message, again.offset, again.reason) == (error.message, error.offset, error.reason)


def test_importing_is_light() -> None:
    script = (
        "import sys, wireloom; print([each for each in ('pyarrow', 'zstandard', 'pyspark') if each in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_is_light() -> None:
    command = [sys.executable, "-X", "importtime", "-c", "from wireloom.command.entry import main; main()", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "decode" in done.stdout
    assert "wireloom.command" in done.stderr
    assert "pyarrow" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not engine.available, reason="the generated classes read without it")
def test_the_engine_reads_without_classes() -> None:
    """Their modules take longer to import than a small file to read."""
    files = ("bitcoin_blocks/first.dat", "kafka_log/zstd.log", "leveldb_log/rocks.log")
    reads = [(each.split("/")[0], str(Path(__file__).parents[2] / "vectors" / each)) for each in files]
    script = f"import sys, wireloom\nfor each in {reads}: wireloom.read(*each)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert [module for module in done.stdout.split() if module.startswith("wireloom.objects")] == []
