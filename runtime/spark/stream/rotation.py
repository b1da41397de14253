"""Log rotation: finds the files that were read under their own or new names. Runs on the driver.

Logs are rotated in two ways. If the log is renamed and a new file gets its name, the file is recognised by its number.
If its content is copied to a new file and the log is truncated, the copy is recognised by its content and name. A copy
of a log that still exists is not read, since it may be the first half of a rotation. Either way the file may be
compressed afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ... import codecs
from ...base.addresses import is_remote
from ...base.cached import cached_property
from ...base.errors import NothingThereError
from .file_contents import FileContents
from .file_identity import family, original
from .listing import ListedFile
from .offset import FileProgress, mark


@dataclass
class Matches:
    """``files`` are in reading order, including those that are followed under names that the listing leaves out.

    ``known``: what is known of them, by the fingerprints of their current paths. ``lost``: files that are not those
    that were read, each with the change. ``copies``, of logs that still exist, are not included in ``files``, and
    neither are ``compressed`` files of logs that are gone, each with the position up to which its log was read.
    """

    files: list[ListedFile]
    known: dict[int, FileProgress]
    lost: list[tuple[ListedFile, str]] = field(default_factory=list)
    copies: list[ListedFile] = field(default_factory=list)
    compressed: list[tuple[ListedFile, int]] = field(default_factory=list)


def match_files(
    contents: FileContents,
    files: Sequence[ListedFile],
    known: Mapping[int, FileProgress],
    grows: Callable[[ListedFile], bool],
) -> Matches:
    """Find the files of ``known`` among the listed ones, and growing ones next to these in their folders.

    ``grows``: whether more rows may come at a file's end. Raises ``WireloomError`` if a file cannot be read.
    """
    return _Matching(contents, files, known, grows).located()


class _Matching:
    """The matching of one listing. ``claims``: the current file of an entry of ``known``, by the entry's
    fingerprint."""

    def __init__(
        self,
        contents: FileContents,
        files: Sequence[ListedFile],
        known: Mapping[int, FileProgress],
        grows: Callable[[ListedFile], bool],
    ) -> None:
        self._contents = contents
        self._files = list(files)
        self._known = known
        self._can_grow = grows
        self._claims: dict[int, ListedFile] = {}
        self._owned: set[str] = set()
        self._gone: set[str] = set()
        self._shared: set[int] = set()
        """Entries of files that are read under another name."""

    def located(self) -> Matches:
        listed = len(self._files)
        # An object without a known entry cannot be a copy of another one, so it need not be examined.
        rest = [
            each
            for each in self._files
            if not self._is_unchanged(each) and (each.is_local or each.fingerprint in self._known)
        ]
        # In order of certainty: the number, then the content under the old name.
        self._by_number()
        for file in rest:
            if self._is_free(file) and self._is_unclaimed(file.fingerprint) and self._holds(file, file.fingerprint):
                self._claim(file, file.fingerprint)
        self._by_content(rest)
        compressed = self._compressed(rest)
        lost = [(each, self._change(each)) for each in rest if self._is_lost(each)]
        copies = [each for each in rest if self._is_copy(each)]
        without = {each.path for each in (*copies, *(file for file, _ in compressed))} | self._gone
        files = [each for each in self._files if each.path not in without] if without else self._files
        if len(self._files) > listed:
            files.sort(key=lambda each: each.place)
        return Matches(files, self._renamed(lost), lost, copies, compressed)

    # Matching ------------------------------------------------------------------------------------------------------

    def _is_unchanged(self, file: ListedFile) -> bool:
        """Return whether a file is the one that was read under its name."""
        own = self._known.get(file.fingerprint)
        if (
            own is None
            or own.file_id not in (0, file.file_id or own.file_id)
            or not self._holds(file, file.fingerprint)
        ):
            return False
        self._claim(file, file.fingerprint)
        return True

    def _by_number(self) -> None:
        """Match files that have new names by their numbers."""
        missing: dict[int, list[int]] = {}
        for entry, known in self._known.items():
            if entry not in self._claims and known.file_id:
                missing.setdefault(known.file_id, []).append(entry)
        if not missing:
            return
        for file in self._files:
            for entry in missing.get(file.file_id, ()):
                if file.path in self._owned:
                    if self._holds(file, entry):
                        self._shared.add(entry)
                elif entry not in self._claims and self._holds(file, entry):
                    self._claim(file, entry)
        listed = {each.file_id for each in self._files if each.path not in self._gone}
        # A file that is read as a whole has no more rows.
        wanted = {
            number: entries
            for number, entries in missing.items()
            if number not in listed and any(not self._known[each].mark for each in entries)
        }
        if not wanted or all(is_remote(each.path) for each in self._files):
            return
        for file in self._contents.elsewhere(self._files, lambda _, number: number in wanted):
            for entry in wanted[file.file_id]:
                if entry not in self._claims and file.path not in self._owned and self._holds(file, entry):
                    self._files.append(file)
                    self._claim(file, entry)

    def _by_content(self, rest: Sequence[ListedFile]) -> None:
        """Match logs that were copied and truncated by their content."""
        for log in rest:
            entry = log.fingerprint
            if not self._is_free(log) or not self._is_unclaimed(entry) or not self._known[entry].digest:
                continue
            if is_remote(log.path) or not (log.size == 0 or self._grows(log)):
                continue
            beside = self._contents.elsewhere(self._files, _in_family(log.path))
            near = [each for each in rest if family(each.path) == family(log.path) and each is not log]
            for file in (*near, *beside):
                if self._is_free(file) and file.path not in self._gone and self._holds(file, entry):
                    if file in beside:
                        self._files.append(file)
                    self._claim(file, entry)
                    break

    def _compressed(self, rest: Sequence[ListedFile]) -> list[tuple[ListedFile, int]]:
        """Return the logs that were compressed, with the position up to which each was read."""
        entries = {
            entry: each
            for entry, each in self._known.items()
            if self._is_unclaimed(entry) and each.digest and not each.mark and not each.done
        }
        if not entries:
            return []
        families = {family(each.path) for each in rest if self._is_lost(each) and not is_remote(each.path)}

        def is_wanted(path: str, _: int) -> bool:
            plain = _uncompressed(path)
            return plain is not None and family(plain) in families

        beside = self._contents.elsewhere(self._files, is_wanted) if families else []
        found = []
        for file in (*rest, *beside):
            if is_remote(file.path) or _uncompressed(file.path) is None or not self._is_free(file) or not file.size:
                continue
            if self._is_unclaimed(file.fingerprint) and self._holds(file, file.fingerprint):
                # It was read, and is at a location that is not listed.
                continue
            positions = frozenset(each.position for each in entries.values())
            held = self._contents.unpacked(file, positions)
            entry = next((entry for entry, each in entries.items() if held.get(each.position) == each.digest), None)
            if entry is not None:
                found.append((file, entries.pop(entry).position))
                self._shared.add(entry)
        return found

    def _holds(self, file: ListedFile, entry: int) -> bool:
        """Return whether a file still begins with the content that was read, and rows can follow it."""
        known = self._known[entry]
        if file.size < known.position:
            return False
        if known.position == 0 or not file.size:
            return True
        untouched = self._is_untouched(file, known)
        if untouched and (known.file_id == file.file_id or 0 in (known.file_id, file.file_id)):
            return True
        grows = self._grows(file)
        if not grows and not untouched:
            return False
        found = self._contents.content(file, known.position)
        if found is None:
            self._gone.add(file.path)
            return False
        if grows and file.size > known.position and not found.boundary:
            return False
        return known.digest in (0, found.digest)

    def _grows(self, file: ListedFile) -> bool:
        try:
            return self._can_grow(file)
        except NothingThereError:
            self._gone.add(file.path)
            return False

    def _is_untouched(self, file: ListedFile, known: FileProgress) -> bool:
        """Return whether a file that was read as a whole has an unchanged size and time."""
        return bool(known.mark) and (file.size, mark(file.modified)) == (known.position, known.mark)

    def _claim(self, file: ListedFile, entry: int) -> None:
        self._claims[entry] = file
        self._owned.add(file.path)

    def _is_free(self, file: ListedFile) -> bool:
        return file.path not in self._owned

    @cached_property
    def _logs(self) -> dict[str, tuple[ListedFile, FileProgress]]:
        """Return the files for which there is a ``known`` entry, by their paths."""
        return {file.path: (file, self._known[entry]) for entry, file in self._claims.items()}

    def _is_unclaimed(self, entry: int) -> bool:
        return entry in self._known and entry not in self._claims and entry not in self._shared

    # Results ----------------------------------------------------------------------------------------------

    def _is_lost(self, file: ListedFile) -> bool:
        """Return whether the file that was read under this name no longer exists anywhere. Files that do not grow are
        searched for elsewhere, unless they can be recognised by their content only."""
        entry = file.fingerprint
        if file.path in self._gone or not self._is_free(file) or not self._is_unclaimed(entry):
            return False
        return not file.size or self._grows(file) or self._is_untouched(file, self._known[entry])

    def _change(self, file: ListedFile) -> str:
        """Return a description of how a lost file has changed."""
        known = self._known[file.fingerprint]
        position = known.position
        if file.size < position:
            return f"the file had {position} bytes when it was read, and became shorter since, to {file.size}"
        if not self._grows(file):
            return f"the file was replaced by another of the same size, {position} bytes, and time since it was read"
        found = self._contents.content(file, position)
        if found is not None and known.digest in (0, found.digest):
            return f"the file was read up to byte {position}, and no longer has a delimiter there"
        return (
            f"the file was read up to byte {position}, and was then replaced, or truncated and written "
            "again: the content that was read is in no renamed or copied file of its folder"
        )

    def _is_copy(self, file: ListedFile) -> bool:
        """Return whether a new file is a copy, possibly an unfinished one, of an existing log."""
        is_known = not self._is_free(file) or self._is_unclaimed(file.fingerprint)
        if not file.size or is_known or is_remote(file.path):
            return False
        plain = _uncompressed(file.path)
        folder, name = os.path.split(file.path)
        log, known = self._logs.get(plain or os.path.join(folder, original(name) or name), (None, None))
        if log is None or known is None or not self._grows(log):
            return False
        if plain is not None:
            held = self._contents.unpacked(file, frozenset([known.position]))
            size = max(held, default=0)
            digest = held.get(size)
        else:
            found = self._contents.content(file, file.size) if self._grows(file) else None
            size, digest = file.size, None if found is None else found.digest
        if not 0 < size <= log.size:
            return False
        there = self._contents.content(log, size)
        return there is not None and there.digest == digest

    def _renamed(self, lost: Iterable[tuple[ListedFile, str]]) -> dict[int, FileProgress]:
        found = {
            entry: known
            for entry, known in self._known.items()
            if entry not in self._claims and entry not in self._shared
        }
        for file, _ in lost:
            found.pop(file.fingerprint)
        for entry, file in self._claims.items():
            found[file.fingerprint] = self._renewed(self._known[entry], file)
        return found

    def _renewed(self, known: FileProgress, file: ListedFile) -> FileProgress:
        """Add data that an older version has not stored."""
        if known.digest and known.file_id == file.file_id:
            return known
        if known.mark or not known.position or not self._grows(file):
            return replace(known, file_id=file.file_id or known.file_id)
        found = self._contents.content(file, known.position)
        return known if found is None else replace(known, file_id=found.file_id, digest=found.digest)


def _uncompressed(path: str) -> str | None:
    """Return the path without the suffix of a codec; ``None`` if it has none."""
    plain = codecs.without_suffix(path)
    return plain if plain != path else None


def _in_family(log: str) -> Callable[[str, int], bool]:
    wanted = family(log)
    return lambda path, _: family(path) == wanted
