"""Log rotation: finds the files of an offset under their own or new names. Runs on the driver.

A file is searched for in this order, and found where the content that was read, or waits, exists:

1. under its number: it may have been renamed;
2. under its name: it may have been replaced by a copy of itself;
3. under a rotated name in its folder: it was copied, and truncated or removed;
4. in a compressed file with such a name.

A file that is not found is lost if some of its content was not read, or if an unknown file has its name. A new file
whose content so far is the beginning of a log, known or new, is the same log, copied or compressed: one of the two is
read, and the other waits, since it may be the first half of a rotation.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ... import codecs
from ...base.addresses import is_remote
from ...base.cached import cached_property
from ...base.dataclass import dataclass, replace
from ...base.errors import NothingThereError
from ...input.inputs import Location
from .file_contents import FileContents
from .file_identity import FIRST_BYTES, family, is_reused, original
from .listing import ListedFile, file_now
from .offset import FileProgress, hash_of_time


@dataclass(frozen=True)
class LostFile:
    """A file of which content that was not read may be lost, and how; ``file``: the one that has its name now."""

    path: str
    change: str
    file: ListedFile | None
    known: FileProgress


class Matches:
    """The matching of one listing with what is known of files.

    ``files`` are in reading order, including those that are followed under names that the listing leaves out.
    ``known``: what is known of them, by the fingerprints of their current paths. ``copies``, of logs that still exist,
    are not included in ``files``, and neither are ``compressed`` files of logs that are gone, each with what is known
    of its log. ``lost``: files of which content that was not read may be lost. ``renumbered``: whether a log was found
    in a file with another number, which the offset has to contain before another file gets the old one.
    """

    def __init__(
        self,
        contents: FileContents,
        files: Sequence[ListedFile],
        known: Mapping[int, FileProgress],
        grows: Callable[[ListedFile], bool],
    ) -> None:
        """Find the files of ``known`` among the listed ones and those next to them.

        ``grows``: whether more rows may come at a file's end. Raises ``WireloomError`` if a file cannot be read.
        """
        self._contents = contents
        self._listed = files
        self._can_grow = grows
        self._missing = dict(known)
        self._found: dict[int, FileProgress] = {}
        self._moved: dict[int, ListedFile] = {}
        self._gone: set[str] = set()
        whole = [each for each in known.values() if each.modified_hash]
        self._read = {(each.file_id, each.position) for each in whole}
        """Files that were read as a whole, possibly under names that are not listed."""
        self._whole = {(each.position, each.digest) for each in whole}
        self._followed = {family(each.path) for each in known.values() if each.path and not each.tentative}
        """What the names of logs and of their rotated files have in common."""
        self.compressed: list[tuple[ListedFile, FileProgress]] = []
        self.renumbered = False
        for file in files:
            fingerprint, entry = file.fingerprint, known.get(file.fingerprint)
            if entry is not None and entry.file_id in (0, file.file_id or entry.file_id) and self._holds(file, entry):
                self._found[fingerprint] = self._renewed(entry, file)
                del self._missing[fingerprint]
        self._named = {each.fingerprint: each for each in files} if self._missing else {}
        self._missing = {
            fingerprint: each for fingerprint, each in self._missing.items() if not self._is_found(fingerprint, each)
        }
        self.lost = [each for fingerprint in list(self._missing) for each in self._lost(fingerprint)]
        self.copies = [each for each in files if each.fingerprint not in self._found and self._is_copy(each)]
        without = {each.path for each in self.copies} | {file.path for file, _ in self.compressed} | self._gone
        self.files = [each for each in files if each.path not in without] if without else list(files)
        if more := [each for fingerprint, each in self._moved.items() if fingerprint not in self._named]:
            self.files = sorted([*self.files, *more], key=lambda each: each.sort_key)
        self.known = {**self._missing, **self._found}

    # Matching ------------------------------------------------------------------------------------------------------

    def _is_found(self, fingerprint: int, entry: FileProgress) -> bool:
        """Find the file of an entry."""
        named = self._named.get(fingerprint)
        near = self._numbered(entry) + ([] if named is None else [named])
        for file in near:
            if self._holds(file, entry) and (named is None or not self._is_copied(file, named, entry)):
                # If another entry has it, it is one file with two names.
                return file.fingerprint in self._found or self._put(file, entry)
        for file in self._families.get(family(entry.path), ()) if entry.path and entry.digest else ():
            if self._is_free(file) and self._holds(file, entry):
                return self._put(file, entry)
            if self._is_free(file) and self._holds_compressed(file, entry):
                self.compressed.append((file, entry))
                return True
        for file in near if entry.tentative else ():
            # No row of it was complete, so its content may have changed.
            changed = file.size >= entry.unread or self._grows(file)
            if changed and file.file_id == entry.file_id > 0 and self._is_free(file):
                return self._put(file, FileProgress(0, file.file_id, path=file.path, tentative=True))
        return False

    def _put(self, file: ListedFile, entry: FileProgress) -> bool:
        self.renumbered |= 0 < entry.file_id != file.file_id and not entry.modified_hash
        self._found[file.fingerprint], self._moved[file.fingerprint] = self._renewed(entry, file), file
        return True

    def _is_copied(self, file: ListedFile, named: ListedFile, entry: FileProgress) -> bool:
        """Return whether a file with the number of a log is a copy of the one that has its name: the log was replaced
        by a copy of itself, and its number used again. A log that was renamed is older than the next one."""
        return (
            (named.path != file.path and named.file_id != entry.file_id and named.modified < file.modified)
            and (self._is_free(named) and self._begins(named, file.size, self._digest(file, file.size)))
            and self._holds(named, entry)
        )

    def _numbered(self, entry: FileProgress) -> list[ListedFile]:
        """Return the files with the number of an entry's file."""
        listed = self._numbers.get(entry.file_id, []) if entry.file_id else []
        if listed or not entry.file_id or entry.modified_hash:
            # A file that was read as a whole has no more rows.
            return listed
        return self._now(path for path, number in self._beside if number == entry.file_id)

    def _now(self, paths: Iterable[str]) -> list[ListedFile]:
        return [found for path in paths if (found := file_now(path, Location())) is not None]

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
        more = self._now(path for path, _ in self._beside if _family(path) in wanted)
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
        return file.fingerprint not in self._found and all(each.path != file.path for each, _ in self.compressed)

    def _holds_compressed(self, file: ListedFile, entry: FileProgress) -> bool:
        return (
            codecs.by_suffix(file.path) is not None
            and codecs.by_suffix(entry.path) is None
            and (file.file_id, file.size) not in self._read
            and self._contents.unpacked(file, self._positions).get(entry.checked) == entry.digest
        )

    def _holds(self, file: ListedFile, entry: FileProgress) -> bool:
        """Return whether a file still begins with the content that is known, and rows can follow it."""
        if entry.tentative and not entry.digest:
            same = 0 in (entry.file_id, file.file_id) or entry.file_id == file.file_id
            return same and file.size >= entry.unread and file.path not in self._gone
        if file.size < (entry.checked if entry.digest else entry.position + entry.unread) or file.path in self._gone:
            return False
        if entry.modified_hash and (file.size, hash_of_time(file.modified)) == (entry.position, entry.modified_hash):
            if 0 in (entry.file_id, file.file_id) or entry.file_id == file.file_id:
                return True
        elif not entry.tentative and (entry.modified_hash or file.size != entry.position) and not self._grows(file):
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

    def _lost(self, fingerprint: int) -> Iterator[LostFile]:
        """Yield a file if it is lost, which is then no longer known. One that was read to its end may be removed, and a
        rotated one replaced by the next."""
        entry, file = self._missing[fingerprint], self._named.get(fingerprint)
        if file is not None and (file.path in self._gone or not self._is_free(file)):
            file = None
        if not entry.unread and not entry.checked and file is not None:
            # Nothing was read of it that another file could replace.
            del self._missing[fingerprint]
            return
        if not entry.unread and file is None:
            return
        if self._gone and self._contents.is_there(entry.path, entry.file_id):
            # It was renamed after the listing.
            return
        del self._missing[fingerprint]
        if entry.unread or file is None or not self._is_next(file, entry):
            path = entry.path if file is None else file.path
            yield LostFile(path, self._change(file, entry), file, entry)

    def _is_next(self, file: ListedFile, read: FileProgress) -> bool:
        """Return whether a file with the name of one that was read is the next one of a rotation.

        Files that are read as a whole may be numbered without being rotated, and be replaced by corrected ones. Those
        of a rotation have their log beside them, and content that was not read yet.
        """
        if self._grows(file):
            return original(os.path.basename(file.path)) is not None
        log = _family(file.path)
        return (
            (file.is_local and read.digest > 0 and is_reused(file.path))
            and (log in self._followed or os.path.exists(os.path.join(*log)))
            and (file.size, self._digest(file, file.size)) not in self._whole
            and (file.size < read.checked or self._digest(file, read.checked) != read.digest)
        )

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
            if not known.modified_hash and file.size != position:
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
        plain = codecs.without_suffix(file.path)
        rotated = plain != file.path or original(os.path.basename(plain)) is not None
        if not rotated or not file.size or not file.is_local or not self._is_free(file) or file.path in self._gone:
            return False
        packed, name = plain != file.path, os.path.basename(plain)

        def may_be_copied(log: ListedFile) -> bool:
            before = original(os.path.basename(log.path))
            if packed or before is None or original(name) == os.path.basename(log.path):
                return True
            # Of two rotated logs with the same content neither waits for the other, and a log not for its copies.
            return log.fingerprint in self._found and before != name

        logs = [each for each in self._logs.get(family(plain), ()) if may_be_copied(each) and self._grows(each)]
        if packed:
            return self._holds_beginning(file, logs)
        return any(self._begins(each, file.size, self._digest(file, file.size)) for each in logs)

    def _holds_beginning(self, file: ListedFile, logs: list[ListedFile]) -> bool:
        """Return whether a compressed file contains the beginning of one of these logs, or nothing yet."""
        # Most archives differ at once.
        most = FIRST_BYTES
        while logs:
            size, digest = max(self._contents.unpacked(file, frozenset([most])).items(), default=(0, 0))
            if not size:
                codec = codecs.by_suffix(file.path)
                return file.size < codecs.CODECS[codec or codecs.NONE.name].largest_block
            logs = [each for each in logs if self._begins(each, size, digest)]
            if size < most or not logs:
                break
            # Rounded, so that the file is not decompressed again whenever a log grows.
            most = 1 << max(each.size for each in logs).bit_length()
        return bool(logs)

    def _begins(self, log: ListedFile, size: int, digest: int | None) -> bool:
        """Return whether a log begins with content of this size and digest."""
        return 0 < size <= log.size and self._digest(log, size) == digest

    def _digest(self, file: ListedFile, position: int) -> int | None:
        found = self._contents.content(file, position)
        return None if found is None else found.digest

    @cached_property
    def _logs(self) -> dict[tuple[str, str], list[ListedFile]]:
        """Return the files of which others may be copies, by the names they share with their rotated files."""
        logs = defaultdict(list)
        for file in (*self._listed, *self._moved.values()):
            entry = self._found.get(file.fingerprint)
            if file.is_local and file.size and (entry is None or not entry.modified_hash):
                logs[family(file.path)].append(file)
        return logs

    def _renewed(self, known: FileProgress, file: ListedFile) -> FileProgress:
        """Add data that has changed, or that an older version has not stored."""
        path, number = file.path if known.path else "", file.file_id or known.file_id
        if not known.modified_hash and (not path or (known.checked and not known.digest)) and self._grows(file):
            path, digest = file.path, known.digest or self._digest(file, known.checked) or 0
            return replace(known, file_id=number, path=path, digest=digest)
        same = known.path == path and known.file_id == number
        return known if same else replace(known, file_id=number, path=path)


def _family(path: str) -> tuple[str, str]:
    return family(codecs.without_suffix(path))
