"""Inputs that fail, shrink, are compressed, sparse or read in part."""

import io
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard
from wireloom import Damage

from . import samples
from .segments import PAYLOADS, PLACES, SEGMENT


class Failing(io.RawIOBase):
    """Returns some bytes and then fails."""

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
        # In the thread, any error must reach the reader.
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


@pytest.mark.slow
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
    _, report = wireloom.read_with_report("edgemq_segment", SEGMENT, codec="zstd", check_format=False)
    assert report.files[0].error == "not a zstd stream"


@pytest.mark.slow
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
    # In a word-stuffed log, the first record after the hole has no delimiter before it, so it is damage.
    assert payloads == [b"a", b"b"] + ([b"c"] * (3 if name == "cobs_log" else 2) if ending else [])
    [file_report] = report.files
    lost = [(size, len(log([b"c"])) - 2, "limit")] if ending and name == "word_stuffed_log" else []
    assert [(each.offset, each.length, each.reason) for each in file_report.damaged] == lost
    assert file_report.tail == "clean"
    # In a COBS log, zeros are frames without bytes.
    [skipped] = file_report.skipped
    assert skipped.reason == ("empty" if name == "cobs_log" else "hole")
    assert skipped.offset + skipped.length in range(size - 1, size + 20)
    assert skipped.length == pytest.approx(size, abs=100)
    assert file_report.bytes == path.stat().st_size
