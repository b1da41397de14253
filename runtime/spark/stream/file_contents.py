"""Reads the data that identifies the files of a streaming read: digests of their contents, and their
numbers. Runs on the driver."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import closing

from ... import codecs
from ...base.addresses import is_remote
from ...base.dataclass import dataclass, replace
from ...base.errors import NothingThereError
from ...format.description import Format
from ...input.inputs import LocalStream, Location
from ...input.stored import Stored
from .file_identity import digest, digests, folders_of, is_boundary, neighbours
from .listing import FileCache, ListedFile, file_now, local_folder
from .offset import FilePart, FileProgress


@dataclass(frozen=True)
class Content:
    """The content of a file up to a position. ``boundary``: whether a row can end there."""

    digest: int
    boundary: bool


class FileContents:
    """The contents of files, cached while the query runs, and the files next to the listed ones."""

    def __init__(self, format: Format, paths: Iterable[str]) -> None:
        self._delimiter = format.delimiter
        # Any file that a pattern matched may have another name by now.
        self._folders = {local_folder(path) for path in paths if not is_remote(path)}
        self._contents: FileCache[int, Content | None] = FileCache()
        self._unpacked: FileCache[frozenset[int], dict[int, int]] = FileCache()

    def content(self, file: ListedFile, position: int) -> Content | None:
        """Return the content of a file up to ``position``; ``None`` if the file has vanished or is not the one that was
        listed.

        Raises ``WireloomError`` if it cannot be read.
        """
        return self._contents.get(file, position, lambda: self._read(file, position))

    def unpacked(self, file: ListedFile, positions: frozenset[int]) -> dict[int, int]:
        """Return the digests of a compressed file at these positions of its decompressed content; see
        ``file_identity.digests``.

        Raises ``WireloomError`` if it cannot be read.
        """
        return self._unpacked.get(file, positions, lambda: unpacked(file, positions))

    def identify(self, part: FilePart, file: ListedFile, before: FileProgress | None) -> FilePart | None:
        """Return the part with the number and digest of its file; ``None`` if the file has changed since it was listed.

        ``before``: what is known of the file at the beginning of the part.
        """
        if is_remote(file.path) and part.kind in ("whole", "skip"):
            return part
        self._contents.forget(file.path)
        if part.kind != "part" and file.is_local:
            now = file_now(file.path, Location())
            if now is None or (now.size, now.modified, now.file_id) != (file.size, file.modified, file.file_id):
                return None
        if before is not None and before.digest:
            found = self.content(file, before.checked)
            if found is None or found.digest != before.digest:
                return None
        found = self.content(file, part.end)
        return None if found is None else replace(part, file_id=file.file_id, digest=found.digest)

    def beside(self, listed: Collection[str], followed: Iterable[str]) -> list[tuple[str, int]]:
        """Return the paths and numbers of the local files that are not listed, in the folders of the listed and
        followed paths: where a file may be whose name has changed."""
        paths = [each for each in (*listed, *followed) if not is_remote(each)]
        self._folders |= {folder for path in paths for folder in folders_of(path)}
        return [each for folder in sorted(self._folders) for each in neighbours(folder) if each[0] not in listed]

    def is_there(self, path: str, file_id: int) -> bool:
        """Return whether a local file still exists, under its path or another one in the folders that are known."""
        if not file_id:
            return False
        now = file_now(path, Location()) if path else None
        if now is not None and now.file_id == file_id:
            return True
        return any(number == file_id for _, number in self.beside((), [path]))

    def turn(self) -> None:
        """Remove the cached contents that were not needed since the last call."""
        self._contents.turn()
        self._unpacked.turn()

    def _read(self, file: ListedFile, position: int) -> Content | None:
        try:
            with closing(file.input.open()) as stream:
                number = os.fstat(stream.fileno()).st_ino if isinstance(stream, LocalStream) else 0
                if number != file.file_id:
                    return None
                boundary = not self._delimiter or is_boundary(stream, position, self._delimiter)
                return Content(digest(stream, position), boundary)
        except NothingThereError:
            return None


def unpacked(file: ListedFile, positions: Iterable[int]) -> dict[int, int]:
    """Return the digests of a compressed file, as ``FileContents.unpacked``; none if it has vanished."""
    try:
        stored = Stored(file.input.open(), file.size)
    except NothingThereError:
        return {}
    with closing(stored):
        codec = codecs.by_suffix(file.path) or codecs.NONE.name
        return digests(codecs.decoder(codec, stored), positions)
