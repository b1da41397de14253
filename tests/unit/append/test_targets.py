"""What can be appended to: files, pipes and devices; and what is refused when it is opened."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import wireloom
import zstandard
from wireloom import UnsupportedError, WireloomError
from wireloom.append import REWRITES, AppendError, AppendWriter, SystemCalls, publish

from ...waiting import SECONDS


def payloads(source: object) -> list[bytes]:
    found: list[bytes] = wireloom.read("cobs_log", source)["payload"].to_pylist()
    return found


@pytest.mark.parametrize("buffer", [0, 10])
def test_a_device_that_takes_everything(buffer: int) -> None:
    with AppendWriter("/dev/null", "cobs_log", buffer=buffer) as log:
        for _ in range(3):
            log.append(payload=b"x" * 10)


def test_the_descriptor_of_a_device() -> None:
    with open("/dev/null", "ab") as file, AppendWriter(file.fileno(), "cobs_log") as log:
        log.append(payload=b"x")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_device_that_takes_nothing() -> None:
    with AppendWriter("/dev/full", "cobs_log") as log, pytest.raises(AppendError, match="No space left"):
        log.append(payload=b"x")


READER = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"


def test_a_named_pipe_waits_for_its_reader(tmp_path: Path) -> None:
    """A writer that had it open for reading as well would be its only reader, and the records would be lost with it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = subprocess.Popen([sys.executable, "-c", READER, str(path)], stdout=subprocess.PIPE)
    with AppendWriter(path, "cobs_log") as log:
        log.append(payload=b"a")
        log.append(payload=b"b")
    assert payloads(reader.communicate(timeout=SECONDS)[0]) == [b"a", b"b"]


@pytest.mark.parametrize("position", [0, 1, 10**9])
def test_offsets_that_mean_nothing(position: int, tmp_path: Path) -> None:
    class Lying(SystemCalls):
        writes = 0

        def position(self, descriptor: int) -> int:
            return position

        def write(self, descriptor: int, data: bytes) -> int:
            self.writes += 1
            return super().write(descriptor, data)

    path, calls = tmp_path / "log", Lying()
    with (
        AppendWriter(path, "cobs_log", calls=calls) as log,
        pytest.raises(AppendError, match="never found after a delimiter") as caught,
    ):
        log.append(payload=b"record")
    assert caught.value.path == str(path)
    assert calls.writes == REWRITES


@pytest.mark.parametrize("name", ["app.log.gz", "app.log.zst", "APP.GZIP", "app.zstd"])
@pytest.mark.parametrize("make", [AppendWriter, publish])
def test_the_name_of_a_compressed_file(name: str, make: Callable[..., AppendWriter], tmp_path: Path) -> None:
    path = tmp_path / name
    with (
        pytest.raises(UnsupportedError, match="append to a file without that suffix") as caught,
        make(path, "cobs_log"),
    ):
        pass
    assert caught.value.path == str(path)
    assert os.listdir(tmp_path) == []


def test_links_from_and_to_the_name_of_a_compressed_file(tmp_path: Path) -> None:
    (tmp_path / "to").symlink_to("there.gz")
    (tmp_path / "from.gz").symlink_to("plain")
    for name in ("to", "from.gz"):
        with pytest.raises(UnsupportedError, match="by its suffix it is a gzip stream"):
            AppendWriter(tmp_path / name, "cobs_log")
    assert sorted(os.listdir(tmp_path)) == ["from.gz", "to"]


def test_the_descriptor_of_a_compressed_file(tmp_path: Path) -> None:
    with (
        (tmp_path / "app.log.zst").open("ab") as file,
        pytest.raises(UnsupportedError, match="by its suffix it is a zstd stream"),
    ):
        AppendWriter(file.fileno(), "cobs_log")


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("size", [0, 10, 1_000_000])
def test_a_file_that_begins_as_a_compressed_one(size: int, compress: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    content = compress(os.urandom(size))
    path.write_bytes(content)
    with pytest.raises(UnsupportedError, match=r"stream, and readers .* decompress it first") as caught:
        AppendWriter(path, "cobs_log")
    assert caught.value.path == str(path)
    with path.open("ab") as file, pytest.raises(UnsupportedError, match="decompress it first"):
        AppendWriter(file.fileno(), "cobs_log")
    assert path.read_bytes() == content


@pytest.mark.parametrize("magic", [b"\x1f\x8b\x08\x01", b"\x28\xb5\x2f\xfd"])
def test_a_log_that_only_has_the_magic_number(magic: bytes, tmp_path: Path) -> None:
    """As a reader decides: the first record of a log may be anything."""
    path = tmp_path / "app.log"
    # The first byte is the distance to the next zero of the record.
    frame = magic.ljust(magic[0], b"\xff")
    path.write_bytes(frame + b"\0")
    with AppendWriter(path, "cobs_log") as log:
        log.append(payload=b"more")
    assert payloads(path) == [frame[1:], b"more"]


LINES = """
meta: {id: lines_log, -wireloom: {rows: records}}
seq:
  - {id: records, type: record, repeat: eos, -wireloom: {framing: {delimiter: [13, 10], stuffing: none}}}
types:
  record: {seq: [{id: payload, size-eos: true}]}
"""


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("buffer", [0, 1000])
def test_a_first_record_that_is_a_compressed_stream(
    buffer: int, compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    spec, path = tmp_path / "lines.ksy", tmp_path / "app.log"
    spec.write_text(LINES)
    format = wireloom.load_spec(spec)
    records = [compress(b"first"), compress(b"second"), b"third"]
    for record in records:
        with AppendWriter(path, format, buffer=buffer) as log:
            log.append(payload=record)
    assert wireloom.read(format, path)["payload"].to_pylist() == records


@pytest.mark.parametrize("name", ["gz", "zst", ".gz", "log.gz.1"])
def test_names_that_only_hold_the_ending(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with AppendWriter(path, "cobs_log") as log:
        log.append(payload=b"a")
    assert payloads(path) == [b"a"]


def test_what_is_no_local_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnsupportedError, match="give a local path"):
        AppendWriter("s3://bucket/log", "cobs_log")
    with AppendWriter(f"file://{tmp_path}/a%20log", "cobs_log") as log:
        log.append(payload=b"a")
    assert payloads(tmp_path / "a log") == [b"a"]
    with pytest.raises(WireloomError, match="contains a NUL character"):
        AppendWriter("a\0b", "cobs_log")
    with pytest.raises(WireloomError, match=r"contains a NUL character"), publish("a\0b", "cobs_log"):
        pass
