"""Pipes that another process writes to slowly: rows come about as soon as their bytes, and nothing else changes."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import fastavro
import pytest
import wireloom
from wireloom import codecs
from wireloom.input.expansion import expand
from wireloom.input.rereading import RereadInput

from ..specs import format_of

SIXTEENS = """
meta: {id: sixteens, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: bytes, size: 16}]}}
"""
RECORDS = [bytes([number]) * 16 for number in range(1, 5)]
LONG = 60
"""Seconds: longer than anything takes here."""


@pytest.fixture(scope="module")
def sixteens() -> wireloom.Format:
    """Return a format of records of 16 bytes."""
    return format_of(SIXTEENS)


class Writer:
    """Writes each piece when the rows of the one before it have been read, in a thread."""

    def __init__(self, open: Callable[[], IO[bytes]], pieces: list[bytes]) -> None:
        self._read = threading.Semaphore(1)
        self.late = 0
        """The number of pieces whose rows did not come before the next one was written."""
        self._thread = threading.Thread(target=self._write, args=(open, pieces))
        self._thread.start()

    def _write(self, open: Callable[[], IO[bytes]], pieces: list[bytes]) -> None:
        with open() as file:
            for piece in pieces:
                self.late += not self._read.acquire(timeout=LONG if not self.late else 0)
                file.write(piece)

    def noted(self, batches: Any) -> Iterator[Any]:
        """Yield the rows of batches, after which the next piece is written."""
        for batch in batches:
            self._read.release()
            yield from batch.to_pylist()
        self._thread.join()


def piped(pieces: list[bytes], buffering: int) -> tuple[IO[bytes], Writer]:
    end, begin = os.pipe()
    return open(end, "rb", buffering), Writer(partial(open, begin, "wb", 0), pieces)


@pytest.mark.parametrize("buffering", [0, -1])
def test_rows_come_with_their_bytes(sixteens: wireloom.Format, buffering: int) -> None:
    file, writer = piped(RECORDS, buffering)
    with file, wireloom.scan(sixteens, file) as scanner:
        assert [row["bytes"] for row in writer.noted(scanner)] == RECORDS
    assert not writer.late
    assert scanner.report.clean


def test_rows_of_a_named_pipe(sixteens: wireloom.Format, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = Writer(partial(open, path, "wb", 0), RECORDS)
    with wireloom.scan(sixteens, str(path)) as scanner:
        assert [row["bytes"] for row in writer.noted(scanner)] == RECORDS
    assert not writer.late


def test_rows_by_a_schema_in_their_beginning() -> None:
    buffer = io.BytesIO()
    schema = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}
    fastavro.writer(buffer, schema, [{"id": number} for number in range(50)], sync_interval=1)
    data, marker = buffer.getvalue(), buffer.getvalue()[-16:]
    head, *blocks = (each + marker for each in data.split(marker)[:-1])
    file, writer = piped([head + blocks[0], *blocks[1:]], 0)
    with file, wireloom.scan("avro_blocks", file, table="rows") as scanner:
        assert [row["id"] for row in writer.noted(scanner)] == list(range(50))
    assert not writer.late


def test_a_command_ends_at_its_limit(tmp_path: Path) -> None:
    spec = tmp_path / "sixteens.ksy"
    spec.write_text(SIXTEENS)
    main = "from wireloom.command.entry import main; main()"
    command = [sys.executable, "-c", main, "decode", str(spec), "-", "--limit", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for record in RECORDS[:2]:
            process.stdin.write(record)
            process.stdin.flush()
            assert record.hex() in process.stdout.readline().decode()
        assert process.wait(LONG) == 0


def test_what_is_written_at_once_is_read_at_once(sixteens: wireloom.Format) -> None:
    """A fast writer's rows are not divided into the pieces that a pipe holds."""
    file, _writer = piped([RECORDS[0] * 50_000], -1)
    with file, wireloom.scan(sixteens, file) as scanner:
        batches = list(scanner)
    assert sum(each.num_rows for each in batches) == 50_000
    assert len(batches) < 30


@pytest.mark.parametrize("codec", [each for each in codecs.CODECS if each not in ("none", "lz4")])
def test_streams_that_come_slowly_are_recognised(sixteens: wireloom.Format, codec: str) -> None:
    if codec == "zip":
        pytest.skip("there is no compressor")
    compressor = codecs.compressor(codec)
    data = compressor.compress(b"".join(RECORDS)) + compressor.flush()
    end, begin = os.pipe()

    def write() -> None:
        with open(begin, "wb", 0) as file:
            for byte in data:
                file.write(bytes([byte]))

    thread = threading.Thread(target=write)
    thread.start()
    with open(end, "rb", 0) as file:
        table = wireloom.read(sixteens, file)
    thread.join()
    assert table["bytes"].to_pylist() == RECORDS


def test_a_beginning_is_plain_only_if_no_codec_begins_so() -> None:
    magics = [magic for each in codecs.CODECS.values() for magic in each.magics]
    for magic in magics:
        for size in range(len(magic) + 1):
            assert not codecs.is_plain(magic[:size], b"")
        assert codecs.is_plain(magic + b"own", magic)
        assert not codecs.is_plain(magic, magic + b"own")
    assert codecs.is_plain(b"\0\0\0\0", b"")
    assert not codecs.is_plain(b"\0\0\0", b"")


def test_the_second_stream_of_an_input_is_asked_too() -> None:
    end, begin = os.pipe()
    with open(end, "rb", 0) as file, open(begin, "wb", 0):
        source = RereadInput.of(next(iter(expand(file))))
        for _ in range(2):
            stream: Any = source.open()
            assert stream.pipe() == end
    assert RereadInput.of(next(iter(expand(io.BytesIO())))).open().pipe() is None  # type: ignore[attr-defined]
