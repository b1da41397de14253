"""Identifies a file that a stream has read by its number and by a digest of some of the bytes that were read.

The number alone is not sufficient: a log that is truncated and written again keeps it, and file systems reuse the
numbers of removed files. Nor is the digest: it does not tell which of two copies continues.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from ... import codecs
from ...base.dataclass import dataclass
from ...base.errors import NothingThereError, WireloomError
from ...codecs import CodecError, Decoder
from ...input.inputs import FileInput, LocalStream, Stream
from ...input.stored import StorageError

FIRST_BYTES = 1024
LAST_BYTES = 4096
"""The digest covers this number of bytes at the beginning of a file, and before a position."""

CHUNK = 1 << 20
"""Number of bytes that are decompressed at a time."""

_ROTATED = re.compile(r"(.+?)[.\-_](\d[\d.\-_T:]*|old|bak|prev)(\.[A-Za-z][^.]*)?", re.DOTALL)
_REUSED = re.compile(r"\d{1,3}|old|bak|prev")


def read_at(stream: Stream, begin: int, end: int) -> bytes:
    """Return the bytes ``begin`` … ``end``; fewer if the file ends earlier."""
    stream.seek(begin)
    buffer = bytearray(end - begin)
    view, filled = memoryview(buffer), 0
    while filled < len(buffer) and (count := stream.readinto(view[filled:])):
        filled += count
    return bytes(view[:filled])


def digest(stream: Stream, position: int) -> int:
    """Return a 64-bit digest, never 0, of the first bytes of a file and those before ``position``; 0 for position 0."""
    if not position:
        return 0
    first = read_at(stream, 0, min(FIRST_BYTES, position))
    return _hashed(position, first, read_at(stream, max(0, position - LAST_BYTES), position))


def digests(decoder: Decoder, positions: Iterable[int]) -> dict[int, int]:
    """Return the digests at these positions of the decompressed content of a stream; none of them is 0. For positions
    after the end of the content, or after damage, the digest at that end is returned."""
    found: dict[int, int] = {}
    positions = sorted(positions)
    buffer = memoryview(bytearray(max(decoder.room, min(CHUNK, positions[-1]))))
    first, recent, done = b"", b"", 0
    for position in positions:
        while done < position:
            try:
                count = decoder.readinto(buffer)
            except (CodecError, StorageError):
                count = 0
            if not count:
                return {**found, done: _hashed(done, first, recent[-LAST_BYTES:])} if done else found
            done += count
            first = first if len(first) >= FIRST_BYTES else (first + bytes(buffer[:count]))[:FIRST_BYTES]
            recent = recent[-LAST_BYTES:] + bytes(buffer[:count])
        end = len(recent) - (done - position)
        found[position] = _hashed(position, first[:position], recent[max(0, end - LAST_BYTES) : end])
    return found


def _hashed(position: int, first: bytes, before: bytes) -> int:
    hashed = blake2b(position.to_bytes(8, "big"), digest_size=8)
    hashed.update(first)
    hashed.update(before)
    return int.from_bytes(hashed.digest(), "big") or 1


def is_boundary(stream: Stream, position: int, delimiter: bytes) -> bool:
    """Return whether a row ends or begins at ``position``: if a delimiter is there or directly before it, or if the
    file ends there, possibly within the delimiter."""
    before = read_at(stream, max(0, position - len(delimiter)), position)
    after = read_at(stream, position, position + len(delimiter))
    return not position or before == delimiter or delimiter.startswith(after)


def original(name: str) -> str | None:
    """Return the name that a log had before it was rotated to ``name``, as far as it can be derived from the name;
    ``None`` if it was not rotated.

    >>> original("app.log.1"), original("app-20260301.log"), original("app.log.2026-03-01"), original("app.log")
    ('app.log', 'app.log', 'app.log', None)
    """
    found = _ROTATED.fullmatch(name)
    return None if found is None else found[1] + (found[3] or "")


def is_reused(path: str) -> bool:
    """Return whether each rotation of a log gives this name to another file: one with a number or ``.old``, not a date,
    possibly compressed.

    >>> is_reused("app.log.1.gz"), is_reused("app.old.log"), is_reused("app-20260301.log"), is_reused("app.log.gz")
    (True, True, False, False)
    """
    found = _ROTATED.fullmatch(codecs.without_suffix(os.path.basename(path)))
    return found is not None and _REUSED.fullmatch(found[2]) is not None


def family(path: str) -> tuple[str, str]:
    """Return the key that a log shares with its rotated files: the folder, and the name of the log without what may
    be the number or date of a rotation, as its own name may contain one.

    >>> family("logs/app-1.log.2"), family("logs/app-1.log")
    (('logs', 'app.log'), ('logs', 'app.log'))
    """
    folder, name = os.path.split(path)
    while (before := original(name)) is not None:
        name = before
    return folder, name


def folders_of(path: str) -> list[str]:
    """Return the folders in which a local file may get a new name: its own, and that of the target if it is a link."""
    targets = (os.path.realpath(path),) if os.path.islink(path) else ()
    return list(dict.fromkeys(os.path.dirname(each) for each in (path, *targets)))


def neighbours(folder: str) -> Iterator[tuple[str, int]]:
    """Yield the path and number of each file in a local folder; nothing if it cannot be listed."""
    try:
        with os.scandir(folder or ".") as entries:
            found = [each for each in entries if each.is_file(follow_symlinks=False)]
            # ``DirEntry.inode`` is not used: in overlay file systems it differs from the file's number.
            yield from [(os.path.join(folder, each.name), each.stat().st_ino) for each in found]
    except OSError:
        return


@dataclass(frozen=True)
class FollowedFile(FileInput):
    """A local file that is read from its current location, ``current_path``, and shown under the path with which it was
    planned.

    ``file_id`` is its number; another file that has appeared at that location is not read.
    """

    current_path: str = ""

    def open(self) -> Stream:
        """Open the file, like ``Input.open``."""
        try:
            stream = LocalStream(self.current_path, self.size)
        except FileNotFoundError:
            raise NothingThereError("cannot be opened: No such file or directory", path=self.path) from None
        except OSError as error:
            raise WireloomError(f"cannot be opened: {error.strerror}", path=self.path) from error
        if os.fstat(stream.fileno()).st_ino != self.file_id:
            stream.close()
            raise WireloomError("the file was replaced while it was being opened: run the query again", path=self.path)
        return stream
