"""Log rotation: finds the files of an offset under their own or new names. Runs on the driver.

A file is searched for in this order, and found where the content that was read, or waits, exists:

1. under its number: it may have been renamed;
2. under its name: it may have been replaced by a copy of itself;
3. under a rotated name in its folder: it was copied, and truncated or removed;
4. in a compressed file with such a name.

A file that is not found is lost if some of its content was not read, or if an unknown file has its name. A copy of a
log that still exists is not read, since it may be the first half of a rotation.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ... import codecs
from ...base.addresses import is_remote
from ...base.cached import cached_property
from ...base.errors import NothingThereError
from .file_contents import FileContents
from .file_identity import family, original
from .listing import ListedFile, listed_file
from .offset import FileProgress, mark


@dataclass(frozen=True)
class LostFile:
    """A file of which content that was not read may be lost, and how; ``file``: the one that has its name now."""

    path: str
    change: str
    file: ListedFile | None
    known: FileProgress


@dataclass
class Matches:
    """``files`` are in reading order, including those that are followed under names that the listing leaves out.

    ``known``: what is known of them, by the fingerprints of their current paths. ``copies``, of logs that still exist,
    are not included in ``files``, and neither are ``compressed`` files of logs that are gone, each with what is known
    of its log.
    """

    files: list[ListedFile]
    known: dict[int, FileProgress]
    lost: list[LostFile] = field(default_factory=list)
    copies: list[ListedFile] = field(default_factory=list)
    compressed: list[tuple[ListedFile, FileProgress]] = field(default_factory=list)


def match_files(
    contents: FileContents,
    files: Sequence[ListedFile],
    known: Mapping[int, FileProgress],
    grows: Callable[[ListedFile], bool],
) -> Matches:
    """Find the files of ``known`` among the listed ones and those next to them.

    ``grows``: whether more rows may come at a file's end. Raises ``WireloomError`` if a file cannot be read.
    """
    return _Matching(contents, files, known, grows).located()


class _Matching:
    """The matching of one listing. ``missing``: the entries of ``known`` whose files are not found yet; ``found``: the
    entries of files, by their paths."""

    def __init__(
        self,
        contents: FileContents,
        files: Sequence[ListedFile],
        known: Mapping[int, FileProgress],
        grows: Callable[[ListedFile], bool],
    ) -> None:
        self._contents = contents
        self._listed = files
        self._can_grow = grows
        self._missing = dict(known)
        self._found: dict[str, tuple[ListedFile, FileProgress]] = {}
        self._compressed: list[tuple[ListedFile, FileProgress]] = []
        self._gone: set[str] = set()
        self._read = {(each.file_id, each.position) for each in known.values() if each.mark}
        """Files that were read as a whole, possibly under names that are not listed."""

    def located(self) -> Matches:
        for file in self._listed:
            entry = self._missing.get(file.fingerprint)
            if entry is not None and entry.file_id in (0, file.file_id or entry.file_id) and self._holds(file, entry):
                self._found[file.path] = file, self._missing.pop(file.fingerprint)
        if self._missing:
            names = {each.fingerprint: each for each in self._listed}
            for number, entry in list(self._missing.items()):
                if self._is_found(entry, names.get(number)):
                    del self._missing[number]
        lost = self._lost()
        copies = [each for each in self._listed if self._is_copy(each)]
        without = {each.path for each in copies} | {file.path for file, _ in self._compressed} | self._gone
        listed = {each.path for each in self._listed}
        more = [file for path, (file, _) in self._found.items() if path not in listed]
        files = [each for each in self._listed if each.path not in without] + more
        if more:
            files.sort(key=lambda each: each.place)
        found = {file.fingerprint: self._renewed(entry, file) for file, entry in self._found.values()}
        return Matches(files, {**self._missing, **found}, lost, copies, self._compressed)

    # Matching ------------------------------------------------------------------------------------------------------

    def _is_found(self, entry: FileProgress, named: ListedFile | None) -> bool:
        """Find the file of an entry. ``named``: the one that has its name now."""
        near = self._numbered(entry) + ([] if named is None else [named])
        for file in near:
            if self._holds(file, entry):
                # If another entry has it, it is one file with two names.
                self._found.setdefault(file.path, (file, entry))
                return True
        for file in self._families.get(family(entry.path), ()) if entry.path and entry.digest else ():
            if self._is_free(file) and self._holds(file, entry):
                self._found[file.path] = file, entry
                return True
            if self._is_free(file) and self._holds_compressed(file, entry):
                self._compressed.append((file, entry))
                return True
        for file in near if entry.tentative else ():
            # No row of it was complete, so its content may have changed.
            same = file.file_id == entry.file_id > 0 or (file.size >= entry.unread and not self._grows(file))
            if same and self._is_free(file):
                self._found[file.path] = file, FileProgress(0, file.file_id, path=file.path, tentative=True)
                return True
        return False

    def _numbered(self, entry: FileProgress) -> list[ListedFile]:
        """Return the files with the number of an entry's file."""
        listed = self._numbers.get(entry.file_id, []) if entry.file_id else []
        if listed or not entry.file_id or entry.mark:
            # A file that was read as a whole has no more rows.
            return listed
        beside = (listed_file(path) for path, number in self._beside if number == entry.file_id)
        return [each for each in beside if each is not None]

    @cached_property
    def _numbers(self) -> dict[int, list[ListedFile]]:
        found = defaultdict(list)
        for file in self._listed:
            found[file.file_id].append(file)
        return dict(found)

    @cached_property
    def _families(self) -> dict[tuple[str, str], list[ListedFile]]:
        """Return the files whose names are those of a log that is missing, or of its rotated files, by what these names
        have in common; compressed files last."""
        wanted = {family(each.path) for each in self._missing.values() if each.path and not is_remote(each.path)}
        if not wanted:
            return {}
        beside = (listed_file(path) for path, _ in self._beside if _family(path) in wanted)
        more = [each for each in beside if each is not None]
        found = defaultdict(list)
        for file in sorted((*self._listed, *more), key=lambda each: codecs.by_suffix(each.path) is not None):
            if file.is_local and file.size:
                found[_family(file.path)].append(file)
        return dict(found)

    @cached_property
    def _beside(self) -> list[tuple[str, int]]:
        """Return the paths and numbers of the files that are not listed."""
        paths = {each.path for each in self._listed}
        return self._contents.beside(paths, [each.path for each in self._missing.values() if each.path])

    @cached_property
    def _positions(self) -> frozenset[int]:
        return frozenset(each.checked for each in self._missing.values() if each.path and each.digest)

    def _is_free(self, file: ListedFile) -> bool:
        return file.path not in self._found and all(each.path != file.path for each, _ in self._compressed)

    def _holds_compressed(self, file: ListedFile, entry: FileProgress) -> bool:
        return (
            codecs.by_suffix(file.path) is not None
            and codecs.by_suffix(entry.path) is None
            and (file.file_id, file.size) not in self._read
            and self._contents.unpacked(file, self._positions).get(entry.checked) == entry.digest
        )

    def _holds(self, file: ListedFile, entry: FileProgress) -> bool:
        """Return whether a file still begins with the content that is known, and rows can follow it."""
        if file.size < (entry.checked if entry.digest else entry.position + entry.unread) or file.path in self._gone:
            return False
        if entry.mark and (file.size, mark(file.modified)) == (entry.position, entry.mark):
            if 0 in (entry.file_id, file.file_id) or entry.file_id == file.file_id:
                return True
        elif not self._grows(file) and not entry.tentative and (entry.mark or file.size != entry.position):
            return False
        if not entry.checked:
            return True
        found = self._contents.content(file, entry.checked)
        if found is None:
            self._gone.add(file.path)
            return False
        whole = entry.tentative or not self._grows(file) or file.size == entry.checked
        return entry.digest in (0, found.digest) and (whole or found.boundary)

    def _grows(self, file: ListedFile) -> bool:
        try:
            return self._can_grow(file)
        except NothingThereError:
            self._gone.add(file.path)
            return False

    # Results ----------------------------------------------------------------------------------------------

    def _lost(self) -> list[LostFile]:
        """Remove the files that are lost from ``missing`` and return them. A file that was read to its end may be
        removed, and a rotated one replaced by the next."""
        free = {each.fingerprint: each for each in self._listed if self._is_free(each) and each.path not in self._gone}
        lost = []
        for number, entry in list(self._missing.items()):
            file = free.get(number)
            if not entry.unread and file is None:
                continue
            if self._gone and self._contents.is_there(entry.path, entry.file_id):
                # It was renamed after the listing.
                continue
            del self._missing[number]
            rotated = file is not None and original(os.path.basename(file.path)) is not None and self._grows(file)
            if entry.unread or not rotated:
                path = entry.path if file is None else file.path
                lost.append(LostFile(path, self._change(file, entry), file, entry))
        return lost

    def _change(self, file: ListedFile | None, known: FileProgress) -> str:
        """Return a description of what happened to a lost file."""
        position, unread = known.position, f", and {known.unread} bytes were not read" if known.unread else ""
        if file is None:
            if not position:
                return f"the file vanished before it was read: {known.unread} bytes are lost"
            what = f"{known.unread} bytes from byte {position} on are lost"
            return f"the file vanished before it was read to its end: {what}"
        if not position and known.unread:
            return f"a file that was not read yet was replaced by another one: {known.unread} bytes are lost"
        if file.size < known.checked:
            return (
                f"the file had {known.checked} bytes when it was read, and became shorter since, to {file.size}{unread}"
            )
        if not self._grows(file):
            if not known.mark and file.size != position:
                return f"the file was read up to byte {position} of {file.size}, and only whole files are read now"
            if file.size > position:
                return f"the file had {position} bytes when it was read, and grew since, to {file.size}"
            return f"the file was replaced by another of the same size, {position} bytes, since it was read, or touched"
        found = self._contents.content(file, known.checked)
        if found is not None and known.digest in (0, found.digest):
            return f"the file was read up to byte {position}, and no longer has a delimiter there"
        return (
            f"the file was read up to byte {position}, and was then replaced, or truncated and written "
            f"again: the content that was read is in no renamed or copied file of its folder{unread}"
        )

    def _is_copy(self, file: ListedFile) -> bool:
        """Return whether a new file is a copy, possibly an unfinished one, of an existing log."""
        if not file.size or not file.is_local or not self._is_free(file) or file.path in self._gone:
            return False
        plain = codecs.without_suffix(file.path)
        logs = self._logs.get(family(plain), ())
        if plain != file.path:
            # Rounded, so that the file is not decompressed again whenever a log grows.
            most = 1 << max((each.size for each in logs), default=0).bit_length()
            held = self._contents.unpacked(file, frozenset([most])) if logs else {}
            size, digest = max(held.items(), default=(0, 0))
        elif original(os.path.basename(plain)) is not None and logs:
            found = self._contents.content(file, file.size)
            size, digest = file.size, 0 if found is None else found.digest
        else:
            return False
        return any(0 < size <= log.size and self._digest(log, size) == digest for log in logs)

    def _digest(self, file: ListedFile, position: int) -> int | None:
        found = self._contents.content(file, position)
        return None if found is None else found.digest

    @cached_property
    def _logs(self) -> dict[tuple[str, str], list[ListedFile]]:
        """Return the growing files that were found, by the names they share with their rotated files."""
        logs = defaultdict(list)
        for file, entry in self._found.values():
            if file.is_local and not entry.mark and self._grows(file):
                logs[family(file.path)].append(file)
        return logs

    def _renewed(self, known: FileProgress, file: ListedFile) -> FileProgress:
        """Add data that has changed, or that an older version has not stored."""
        if known.mark or not self._grows(file):
            return replace(known, file_id=file.file_id or known.file_id, path=file.path if known.path else "")
        if not known.digest and known.checked:
            found = self._contents.content(file, known.checked)
            known = known if found is None else replace(known, digest=found.digest)
        return replace(known, file_id=file.file_id, path=file.path)


def _family(path: str) -> tuple[str, str]:
    return family(codecs.without_suffix(path))
