"""Recognises local files that were read: a log may have been renamed since, and another one have its name.

A file is identified like those of a stream (see ``stream.file_identity``): by its number and by a digest of its first
bytes and of those before the position up to which it was read.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing

from ... import codecs
from ...base.addresses import is_remote, local_path
from ...base.report import FileReport
from ...input.inputs import FileInput, Input, LocalStream
from ..stream.file_identity import digest
from .ledger import key


def identity_of(report: FileReport, size: int | None) -> str | None:
    """Return the identity of a file that was read, as the ledger contains it; ``None`` if it is not local or has
    vanished. ``size``: the number of stored bytes that were read, ``None`` if the file was read by a stream."""
    path = None if report.path is None or is_remote(report.path) else local_path(report.path)
    if path is None or not os.path.isfile(path):
        return None
    if size is None and codecs.by_suffix(path) is None and report.tail in ("clean", "growing"):
        size = report.tail_offset
    try:
        with closing(LocalStream(path, None)) as stream:
            status = os.fstat(stream.fileno())
            end = status.st_size if size is None else size
            return None if status.st_size < end else f"{status.st_ino:x}:{end:x}:{digest(stream, end):x}"
    except OSError:
        return None


class ReadFiles:
    """The local files that a table's ledger identifies. ``identities``: those of the ledger, by their keys; ``rest``:
    maximum number of bytes after the end of what was read that are no record."""

    def __init__(self, identities: Mapping[str, str], rest: int) -> None:
        self._entries = {path: _parsed(each) for path, each in identities.items()}
        self._rest = rest
        self._numbers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, end, found in self._entries.values():
            self._numbers[number].append((end, found))

    def is_renamed(self, file: Input) -> bool:
        """Return whether a file with a new name was read under another one."""
        return self._end(file) is not None

    def is_changed(self, file: Input, size: int | None) -> bool:
        """Return whether a file that was read, under any name, has received bytes since, or is another one. ``size``:
        its size when its name was read, if known."""
        entry = self._entries.get(key(file.path or ""))
        if not isinstance(file, FileInput) or file.size is None:
            return size not in (None, file.size)
        if entry is not None and entry[0] == file.file_id and entry[1] <= file.size <= entry[1] + self._rest:
            return False
        end = self._end(file)
        if end is not None:
            return file.size > end + self._rest
        if entry is None:
            return size not in (None, file.size)
        return file.size > entry[1] + self._rest or _digest(file, entry[1]) != entry[2]

    def _end(self, file: Input) -> int | None:
        """Return the position up to which a file was read; ``None`` if it was not."""
        if not isinstance(file, FileInput) or file.size is None:
            return None
        places = self._numbers.get(file.file_id, ())
        return max((end for end, found in places if 0 < end <= file.size and _digest(file, end) == found), default=None)


def _parsed(text: str) -> tuple[int, int, int]:
    number, end, found = (int(each, 16) for each in text.split(":"))
    return number, end, found


def _digest(file: Input, end: int) -> int | None:
    try:
        with closing(LocalStream(local_path(file.address), None)) as stream:
            return digest(stream, end)
    except OSError:
        return None
