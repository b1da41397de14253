import gc
import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from wireloom.report import Damage

from . import samples

PAYLOADS = samples.payloads(300)
SEGMENT = samples.frames(PAYLOADS)
PLACES = [len(samples.frames(PAYLOADS[:number])) for number in range(len(PAYLOADS) + 1)]


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


BAD = flipped(SEGMENT, PLACES[11] - 1)
"""The tenth frame's payload is damaged."""
assert PAYLOADS[10]


def test_default_columns_and_types() -> None:
    table = wireloom.read("edgemq_segment", SEGMENT)
    assert table.schema == pa.schema(
        {"fmt": pa.uint8(), "tenant": pa.uint32(), "ts": pa.timestamp("ms", "UTC"), "payload": pa.binary()}
    )
    assert table["payload"].to_pylist() == PAYLOADS
    assert table["tenant"].to_pylist() == list(range(300))


def test_schema_without_reading() -> None:
    from wireloom.scanning import schema

    assert schema("edgemq_segment") == wireloom.read("edgemq_segment", SEGMENT).schema
    columns = ["region", "_path", "_offset", "_error", "_corrupt_record", "len"]
    expected = [pa.utf8(), pa.utf8(), pa.uint64(), pa.utf8(), pa.binary(), pa.uint32()]
    assert schema("edgemq_segment", columns) == pa.schema(list(zip(columns, expected, strict=True)))


@pytest.mark.parametrize("mode", ["permissive", "PERMISSIVE", "dropmalformed", "DropMalformed"])
def test_a_damaged_record_is_left_out_and_counted(mode: str) -> None:
    table, report = wireloom.read_with_report("edgemq_segment", BAD, mode=mode)
    assert table["tenant"].to_pylist() == [each for each in range(300) if each != 10]
    [file] = report.files
    assert file.damaged == [Damage(PLACES[10], PLACES[11] - PLACES[10], "checksum")]
    assert (file.rows, file.bytes, file.tail, file.tail_offset) == (299, len(BAD), "clean", len(BAD))
    assert not report.clean
    assert report.to_dict()["damaged"] == 1


def test_a_damaged_record_as_a_row() -> None:
    columns = ["_offset", "tenant", "payload", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report("edgemq_segment", BAD, columns=columns)
    assert table.num_rows == 300
    assert report.rows == 299
    assert table.slice(10, 1).to_pylist() == [
        {
            "_offset": PLACES[10],
            "tenant": None,
            "payload": None,
            "_error": "checksum: the checksum does not hold",
            "_corrupt_record": BAD[PLACES[10] : PLACES[11]],
        }
    ]
    assert table["_error"].null_count == table["_corrupt_record"].null_count == 299
    assert table["_offset"].to_pylist() == PLACES[:-1]
    dropped = wireloom.read("edgemq_segment", BAD, columns=columns, mode="dropmalformed")
    assert dropped.num_rows == 299
    assert dropped["_error"].null_count == 299


def test_failfast_says_where_and_why(tmp_path: Path) -> None:
    path = tmp_path / "bad.wal"
    path.write_bytes(BAD)
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", path, mode="failfast")
    assert (caught.value.path, caught.value.offset, caught.value.reason) == (str(path), PLACES[10], "checksum")
    assert (caught.value.record, caught.value.field) == (11, "crc32c")
    assert str(caught.value) == (
        f"{path} at byte {PLACES[10]}, record 11, field crc32c: the checksum does not hold (checksum); "
        "mode=permissive leaves it out, verify=False keeps it"
    )


def test_without_verification() -> None:
    table, report = wireloom.read_with_report("edgemq_segment", BAD, verify=False)
    assert table.num_rows == 300
    assert report.clean


LOST = SEGMENT[: PLACES[10]] + bytes(4) + SEGMENT[PLACES[10] + 4 :]
"""The tenth frame's length is zero."""


def test_an_impossible_length_ends_the_reading() -> None:
    table, report = wireloom.read_with_report("edgemq_segment", LOST)
    assert table.num_rows == 10
    [file] = report.files
    assert (file.tail, file.tail_offset, file.bytes, file.damaged) == ("invalid_length", PLACES[10], PLACES[10], [])


def test_recovery_goes_on_at_the_next_frame() -> None:
    columns = ["_offset", "tenant", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report("edgemq_segment", LOST, recover=True, columns=columns)
    [file] = report.files
    assert file.damaged == [Damage(PLACES[10], PLACES[11] - PLACES[10], "length")]
    assert (file.rows, file.tail) == (299, "clean")
    assert table["_offset"].to_pylist() == PLACES[:-1]
    [row] = table.slice(10, 1).to_pylist()
    assert row["_error"] == "length: a length is impossible"
    assert row["_corrupt_record"] == LOST[PLACES[10] : PLACES[11]]
    assert table["tenant"].to_pylist() == [None if each == 10 else each for each in range(300)]


def test_recovery_in_failfast_raises() -> None:
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", LOST, recover=True, mode="failfast")
    assert (caught.value.offset, caught.value.reason) == (PLACES[10], "length")


@pytest.mark.parametrize("recover", [False, True])
def test_a_cut_off_frame(recover: bool) -> None:
    table, report = wireloom.read_with_report("edgemq_segment", SEGMENT[:-1], recover=recover)
    [file] = report.files
    assert table.num_rows == 299
    assert (file.tail, file.tail_offset, file.damaged) == ("truncated", PLACES[299], [])
    assert file.bytes == len(SEGMENT) - 1
    assert not report.clean


def test_a_wrong_length_is_told_from_a_wrong_payload_by_what_follows() -> None:
    longer = bytearray(SEGMENT)
    longer[PLACES[10] + 3] += 5
    table, report = wireloom.read_with_report("edgemq_segment", bytes(longer))
    assert table.num_rows == 10
    assert report.files[0].tail_offset == PLACES[10]
    assert report.files[0].damaged == []
    table, report = wireloom.read_with_report("edgemq_segment", bytes(longer), recover=True)
    assert table["tenant"].to_pylist() == [each for each in range(300) if each != 10]
    assert report.files[0].damaged == [Damage(PLACES[10], PLACES[11] - PLACES[10], "checksum")]


def test_a_record_beyond_the_limit() -> None:
    data = samples.frame(b"a") + samples.frame(b"b" * 1000) + samples.frame(b"c")
    table, report = wireloom.read_with_report("edgemq_segment", data, max_record=500)
    assert table["payload"].to_pylist() == [b"a"]
    assert (report.files[0].tail, report.files[0].tail_offset) == ("limit", 22)
    assert report.files[0].error == "larger than 500 bytes at byte 22: a larger max_record takes it"
    table, report = wireloom.read_with_report("edgemq_segment", data, max_record=500, recover=True)
    assert table["payload"].to_pylist() == [b"a", b"c"]
    assert report.files[0].damaged == [Damage(22, 1021, "limit")]


def test_a_frame_beyond_the_limit() -> None:
    data = samples.word_log([b"a", b"b" * 5000, b"c"])
    columns = ["payload", "_error", "_corrupt_record"]
    for source in (data, io.BytesIO(data)):
        table, report = wireloom.read_with_report("word_stuffed_log", source, max_record=500, columns=columns)
        [damage] = report.files[0].damaged
        assert damage.reason == "limit"
        assert [row["payload"] for row in table.to_pylist()] == [b"a", None, b"c"]
        assert table["_corrupt_record"][1].as_py() == data[damage.offset : damage.offset + damage.length]


@pytest.mark.parametrize(("name", "delimiter"), [("cobs_log", b"\0"), ("word_stuffed_log", b"\xfe\xfd")])
def test_a_run_of_empty_frames_is_one_range_from_the_65th_on(name: str, delimiter: bytes) -> None:
    log = samples.cobs_log if name == "cobs_log" else samples.word_log
    size = len(delimiter)
    first, second = log([b"a"]), log([b"b"])
    columns = ["payload", "_offset", "_error"]
    for count in (3, 64, 65, 66, 1000, 1_000_000):
        data = first + delimiter * count + second
        start = len(first) - size
        listed = [Damage(start + size * number, size, "length") for number in range(min(count, 64))]
        if count > 64:
            listed.append(Damage(start + size * 64, size * (count - 64), "length"))
        for source in (data, io.BytesIO(data)):
            table, report = wireloom.read_with_report(name, source, columns=columns)
            assert report.files[0].damaged == listed
            assert report.clean is False
            assert [row["payload"] for row in table.to_pylist()] == [b"a", *([None] * len(listed)), b"b"]
            assert table["_offset"].to_pylist()[1:-1] == [damage.offset for damage in listed]
    table, report = wireloom.read_with_report(name, data, byte_range=(500_001, 600_001))
    assert table.num_rows == 0
    assert sum(damage.length for damage in report.files[0].damaged) == pytest.approx(100_000, abs=2)


def test_a_report_lists_so_many_damaged_ranges_and_counts_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom import ledger

    monkeypatch.setattr(ledger, "MOST_LISTED", 10)
    data = b"".join(b"\x01\xfe\xfd" for _ in range(50)) + samples.word_log([b"a"])
    table, report = wireloom.read_with_report("word_stuffed_log", data)
    assert table.num_rows == 1
    assert len(report.files[0].damaged) == 10
    assert report.files[0].unlisted == 40
    assert report.damaged == 50
    assert report.to_dict()["files"][0]["unlisted"] == 40


RULES = samples.frames(PAYLOADS, padding=b"\xaa" * 13)


def test_the_stride_is_decided_by_evidence_and_reported() -> None:
    for data, stride in ((SEGMENT, "layout"), (RULES, "rules"), (RULES[:-13], "rules"), (b"", "layout")):
        table, report = wireloom.read_with_report("edgemq_segment", data)
        assert table["payload"].to_pylist() == (PAYLOADS if data else [])
        assert report.files[0].options == {"stride": stride}
        assert report.to_dict()["files"][0]["stride"] == stride
        assert report.clean


def test_the_stride_of_a_segment_whose_first_frame_is_damaged() -> None:
    table, report = wireloom.read_with_report("edgemq_segment", flipped(RULES, 25 + 13 - 10) if PAYLOADS[0] else RULES)
    assert report.files[0].options == {"stride": "rules"}
    assert table.num_rows >= 299


def test_the_stride_can_be_forced() -> None:
    assert wireloom.read("edgemq_segment", RULES, stride="layout").num_rows == 1
    assert wireloom.read("edgemq_segment", RULES, stride="rules").num_rows == 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["tenent"]}, "unknown column of edgemq_segment 'tenent': did you mean 'tenant'"),
        ({"columns": ["_ofset"]}, "did you mean '_offset'"),
        ({"columns": ["regio"]}, "did you mean 'region'"),
        ({"columns": ["fmt", "fmt"]}, "'fmt' is asked for twice"),
        ({"columns": []}, "columns is empty"),
        ({"columns": "fmt"}, "columns is a list of names"),
        ({"mode": "permisive"}, "unknown mode 'permisive': did you mean 'permissive'"),
        ({"codec": "zst"}, "unknown codec 'zst': did you mean 'zstd'"),
        ({"stride": "rule"}, "unknown value of stride 'rule': did you mean 'rules'"),
        ({"strid": "rules"}, "unknown option of edgemq_segment 'strid': did you mean 'stride'"),
        ({"colums": ["fmt"]}, "unknown option of edgemq_segment 'colums': did you mean 'columns'"),
        ({"batch_rows": 0}, "batch_rows is a number from 1"),
        ({"max_record": -1}, "max_record is a number from 1"),
        ({"max_window": "1"}, "max_window is a number from 1"),
        ({"byte_range": (5, 4)}, "byte_range is"),
        ({"byte_range": 7}, "byte_range is a pair"),
    ],
)
def test_what_a_reader_is_told_is_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=message):
        wireloom.scan("edgemq_segment", b"", **options)


def test_an_option_of_another_format() -> None:
    with pytest.raises(wireloom.UnknownNameError, match="unknown option of cobs_log 'stride'"):
        wireloom.scan("cobs_log", b"", stride="rules")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, (region, segment) in enumerate([("eu", "seg-1"), ("eu", "seg-2"), ("us", "seg-1")]):
        path = tmp_path / region / "i-1" / "7" / "segments" / f"{segment}.wal.zst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zstandard.ZstdCompressor().compress(samples.frames(PAYLOADS[: 100 + number])))
    (tmp_path / "_SUCCESS").write_bytes(b"")
    return tmp_path


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
    assert list(scanner) == []


def test_other_libraries_read_the_scanner_as_a_stream() -> None:
    with wireloom.scan("edgemq_segment", SEGMENT) as scanner:
        table = pa.table(scanner)
    assert table.num_rows == 300
    with wireloom.scan("edgemq_segment", b"") as scanner:
        assert pa.RecordBatchReader.from_stream(scanner).read_all().num_rows == 0
        assert scanner.read_all().schema == scanner.schema


def test_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.wal"
    try:
        Path(os.fsdecode(name)).write_bytes(SEGMENT)
    except OSError:
        pytest.skip("the file system takes only text")
    table, report = wireloom.read_with_report("edgemq_segment", os.fsdecode(name), columns=["_path"])
    assert table.num_rows == 300
    assert table["_path"][0].as_py().endswith("/\N{REPLACEMENT CHARACTER}.wal")
    assert report.files[0].path == os.fsdecode(name)


def test_a_spec_as_the_format() -> None:
    spec = Path(__file__).parent / "specs" / "journal.ksy"
    for format in (spec, str(spec)):
        assert wireloom.read(format, b"JRNL\x01\x00", columns=["version", "text"]).num_rows == 0


def test_errors_cross_processes() -> None:
    import pickle

    from wireloom.codecs import CodecError, StorageError

    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", BAD, mode="failfast")
    for error in (caught.value, CodecError("a"), StorageError("b")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.message, again.offset, again.reason) == (error.message, error.offset, error.reason)


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("wireloom")]


LARGE = zstandard.ZstdCompressor(level=1).compress(samples.frames(samples.payloads(40_000, largest=600)))


@pytest.mark.parametrize("how", ["to the end", "close", "forget", "fail"])
def test_the_thread_ends_with_the_scan(how: str) -> None:
    scanner: Any = wireloom.scan("edgemq_segment", LARGE, batch_rows=10)
    assert threads() == []
    next(scanner)
    assert threads() == ["wireloom-prefetch"]
    if how == "to the end":
        assert sum(batch.num_rows for batch in scanner) == 39_990
    elif how == "close":
        scanner.close()
    elif how == "forget":
        del scanner
        gc.collect()
    else:
        with pytest.raises(RuntimeError), scanner:
            raise RuntimeError
    assert threads() == []


def test_a_scan_does_not_go_on_in_a_forked_process() -> None:
    script = """
import os, sys
import wireloom
scanner = wireloom.scan("edgemq_segment", sys.argv[1], batch_rows=10)
next(scanner)
child = os.fork()
if child == 0:
    try:
        for _ in scanner: pass
    except wireloom.WireloomError as error:
        os._exit(7 if "fork" in str(error) else 8)
    os._exit(9)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
assert sum(batch.num_rows for batch in scanner) == 39990
child = os.fork()
if child == 0:
    with wireloom.scan("edgemq_segment", sys.argv[1]) as again:
        os._exit(0 if sum(batch.num_rows for batch in again) == 40000 else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
"""
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"wireloom-fork-{os.getpid()}.wal.zst"
    path.write_bytes(LARGE)
    try:
        subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=60)
    finally:
        path.unlink()


def test_importing_is_light() -> None:
    script = (
        "import sys, wireloom; print([each for each in ('pyarrow', 'zstandard', 'pyspark') if each in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class Failing(io.RawIOBase):
    """Gives some bytes and then fails."""

    def __init__(self, content: bytes, error: Exception | None) -> None:
        self._content = io.BytesIO(content)
        self._error = error

    def readinto(self, buffer: Any) -> int:
        count = self._content.readinto(buffer)
        if not count and self._error is not None:
            raise self._error
        return count


MANY = samples.frames([b"x" * 979] * 1000)


FAILURE = OSError(5, "Input/output error")


@pytest.mark.parametrize(
    ("error", "good", "prefetch"),
    [
        (FAILURE, 20, False),
        (FAILURE, 20, True),
        (FAILURE, 900, False),
        (FAILURE, 900, True),
        # In the thread, whatever goes wrong must reach the reader.
        (RuntimeError("anything"), 900, True),
    ],
)
def test_a_source_that_fails_midway(error: Exception, good: int, prefetch: bool) -> None:
    source = Failing(MANY[: good * 1000 + 5], error)
    columns = ["tenant", "_error"]
    table, report = wireloom.read_with_report("edgemq_segment", source, columns=columns, prefetch=prefetch)
    assert report.rows == good
    assert table.num_rows == good + 1
    [file] = report.files
    assert file.error is not None
    assert "failed" in file.error
    assert file.damaged == [Damage(good * 1000 + 5, 0, "missing")]
    assert (file.tail, file.tail_offset) == ("truncated", good * 1000)
    assert table["_error"][good].as_py().startswith("missing: reading failed")
    source = Failing(MANY[: good * 1000 + 5], error)
    with pytest.raises(wireloom.DamagedInputError, match="failed"):
        wireloom.read("edgemq_segment", source, mode="failfast", prefetch=prefetch)


def test_a_file_that_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "a.wal"
    path.write_bytes(SEGMENT)
    scanner = wireloom.scan("edgemq_segment", path)
    with path.open("r+b") as file:
        file.truncate(PLACES[100])
    table = scanner.read_all()
    assert table.num_rows == 100
    [file_report] = scanner.report.files
    assert file_report.error is not None
    assert f"it had {len(SEGMENT)}" in file_report.error
    assert (file_report.tail, file_report.tail_offset) == ("truncated", PLACES[100])


def test_a_file_that_cannot_be_opened_raises_in_every_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.wal"
    path.write_bytes(SEGMENT)
    scanner = wireloom.scan("edgemq_segment", path)
    path.unlink()
    with pytest.raises(wireloom.WireloomError, match="cannot be opened"):
        scanner.read_all()


def test_damaged_compression_among_good_files(folder: Path) -> None:
    path = sorted(folder.rglob("*.zst"))[1]
    path.write_bytes(path.read_bytes()[:-5])
    columns = ["tenant", "_path", "_error"]
    table, report = wireloom.read_with_report("edgemq_segment", folder, columns=columns)
    assert [file.error for file in report.files] == [None, "compressed stream ends early, inside a block", None]
    assert [file.tail for file in report.files] == ["clean", "clean" if report.files[1].rows else "truncated", "clean"]
    [row] = [row for row in table.to_pylist() if row["_error"] is not None]
    assert row["_path"] == str(path)
    assert row["_error"] == "codec: compressed stream ends early, inside a block"
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", folder, mode="failfast")
    assert (caught.value.path, caught.value.reason) == (str(path), "codec")


def test_a_range_of_a_file_reads_little_more_than_it(tmp_path: Path) -> None:
    payloads = samples.payloads(20_000, largest=1000)
    path = tmp_path / "a.log"
    path.write_bytes(samples.word_log(payloads))
    size = path.stat().st_size
    found = []
    for begin in range(0, size, size // 3):
        table, report = wireloom.read_with_report(
            "word_stuffed_log", path, byte_range=(begin, begin + size // 3), columns=["generation"]
        )
        found += table["generation"].to_pylist()
        assert report.bytes < size // 3 + 2000
    assert found == list(range(20_000))


def test_byte_ranges_of_a_compressed_file(tmp_path: Path) -> None:
    found = []
    for begin in range(0, len(SEGMENT), 1000):
        table = wireloom.read(
            "edgemq_segment",
            zstandard.ZstdCompressor().compress(SEGMENT),
            byte_range=(begin, begin + 1000),
            columns=["_offset"],
        )
        assert all(begin <= place < begin + 1000 for place in table["_offset"].to_pylist())
        found += table["_offset"].to_pylist()
    assert found == PLACES[:-1]


def test_gzip_and_forced_codecs() -> None:
    import gzip

    assert wireloom.read("edgemq_segment", gzip.compress(SEGMENT)).num_rows == 300
    assert wireloom.read("cobs_log", zstandard.ZstdCompressor().compress(samples.cobs_log(PAYLOADS))).num_rows == 300
    assert wireloom.read("edgemq_segment", SEGMENT, codec="none").num_rows == 300
    _, report = wireloom.read_with_report("edgemq_segment", SEGMENT, codec="zstd")
    assert report.files[0].error == "not a zstd stream"


@pytest.mark.parametrize("name", ["cobs_log", "word_stuffed_log"])
@pytest.mark.parametrize("ending", [True, False])
def test_the_holes_of_a_sparse_file_are_passed_over(name: str, ending: bool, tmp_path: Path) -> None:
    log = samples.cobs_log if name == "cobs_log" else samples.word_log
    path = tmp_path / "sparse.log"
    size = 4 << 30
    with path.open("wb") as file:
        file.write(log([b"a", b"b"]))
        file.truncate(size)
        if ending:
            file.seek(size)
            file.write(log([b"c"]) * 3)
    columns = ["payload", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report(name, path, columns=columns)
    payloads = [row["payload"] for row in table.to_pylist() if row["_error"] is None]
    # In a word-stuffed log, the first record behind the hole shares a frame with it.
    assert payloads == [b"a", b"b"] + ([b"c"] * (3 if name == "cobs_log" else 2) if ending else [])
    [file_report] = report.files
    last = file_report.damaged[-1]
    assert last.offset + last.length in range(size - 1, size + 20)
    assert sum(damage.length for damage in file_report.damaged) == pytest.approx(size, abs=100)
    assert file_report.bytes == path.stat().st_size
    if name == "word_stuffed_log":
        assert [damage.reason for damage in file_report.damaged] == ["limit"]
        content = table["_corrupt_record"][2].as_py()
        assert content.startswith(b"\xfe\xfd\0\0\0")
        assert len(content) == 1 << 20
