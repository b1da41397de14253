"""Determines the content of the next batch of a streaming read from a listing and an offset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...base.errors import NothingThereError, WireloomError
from .listing import ListedFile
from .offset import FilePart, FileProgress, Kind, OlderFiles, StreamOffset, mark
from .older_files import find_late, summarize
from .options import StreamOptions
from .rotation import Matches, match_files

if TYPE_CHECKING:
    from .file_contents import FileContents
    from .growing import GrowingFiles

ADVICE = "failOnDataLoss=false skips and counts such files"


@dataclass(frozen=True)
class Limits:
    """The limits of a batch; ``None``: unlimited."""

    files: int | None = None
    bytes: int | None = None


@dataclass
class Backlog:
    """Input that exists and has not been read yet, including incomplete rows of growing files."""

    files: int = 0
    bytes: int = 0

    def add(self, size: int) -> None:
        """Count one more file."""
        self.files += 1
        self.bytes += size


@dataclass
class _Batch:
    """A batch under construction."""

    limits: Limits
    fixed: bool
    taken: list[FilePart] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    lost: int = 0
    full: bool = False

    def room(self) -> int | None:
        """Return the number of bytes that still fit; ``None``: unlimited."""
        return None if self.limits.bytes is None else max(1, self.limits.bytes - self.bytes)

    def take(self, part: FilePart, size: int) -> bool:
        """Add a part to the batch if it fits; the first one always does. After one that does not fit, all others have
        to wait. Return whether it was added."""
        most, room = self.limits.files, self.room()
        if self.files and ((most is not None and self.files >= most) or (room is not None and size > room)):
            self.full = True
            return False
        self.taken.append(part)
        self.files += 1
        self.bytes += size
        return True


class Planner:
    """Plans batch after batch. It only caches: after a restart it decides by the offset alone."""

    def __init__(self, options: StreamOptions, growing: GrowingFiles, contents: FileContents) -> None:
        self.backlog = Backlog()
        self._options = options
        self._growing = growing
        self._contents = contents
        self._older: dict[OlderFiles, frozenset[int]] = {}
        """The older files of each summary, all of which have been read."""
        self._waiting: dict[str, ListedFile] = {}
        """Existing files that have not been added to a batch yet."""
        self._vanished = 0
        self._missing: set[str] = set()
        """Files of a fixed listing that have vanished."""

    def next(
        self, start: StreamOffset, files: Sequence[ListedFile], limits: Limits, *, fixed: bool = False
    ) -> StreamOffset:
        """Return the end offset of the next batch; ``start`` itself if there is nothing to read.

        ``files``: in reading order; ``fixed``: they are from an earlier listing. Raises ``WireloomError`` if data was
        lost and ``failOnDataLoss`` is on.
        """
        located = match_files(self._contents, files, start.known(), self._growing.grows)
        files, known = located.files, located.known
        if not fixed:
            files = self._check_waiting(files)
        batch = _Batch(limits, fixed=fixed)
        lost = self._check_lost(batch, located)
        # A file is created first and filled later: an empty file may still become anything.
        files = [each for each in files if each.size and each.path not in lost]
        if not self._take_compressed(batch, located):
            return start
        older, unclear = self._read_before(start.older, files, known)
        batch.lost += unclear
        backlog, waiting = Backlog(), {}
        for each in located.copies:
            backlog.add(each.size)
        for file in reversed(files) if self._options.latest_first else files:
            if file.fingerprint in older:
                continue
            own = known.get(file.fingerprint)
            if own is not None and (own.done or own.position == file.size):
                self._check_same(batch, file, own)
                continue
            if batch.full or not self._added(batch, file, own):
                begin = 0 if own is None or own.position > file.size else own.position
                backlog.add(file.size - begin)
                waiting[file.path] = file
        self.backlog, self._waiting = backlog, waiting
        if not batch.taken:
            return start
        for part in batch.taken:
            known.pop(part.fingerprint, None)
        tracked, summary = self._compacted(start.older, files, known, older, {each.path for each in batch.taken})
        end = StreamOffset(
            batch=start.batch + 1,
            files=start.files + sum(each.begin == 0 and each.kind != "skip" for each in batch.taken),
            bytes=start.bytes + batch.bytes,
            lost=start.lost + batch.lost + self._vanished,
            taken=tuple(batch.taken),
            tracked=tracked,
            older=summary,
        )
        self._vanished = 0
        return end

    # Files ---------------------------------------------------------------------------------------------------------

    def _added(self, batch: _Batch, file: ListedFile, known: FileProgress | None) -> bool:
        """Add the unread part of a file to the batch. Return ``False`` if some of it has to wait."""
        try:
            return self._add(batch, file, known)
        except NothingThereError:
            return self._changed(batch, file)

    def _add(self, batch: _Batch, file: ListedFile, known: FileProgress | None) -> bool:
        begin = known.position if known is not None else 0
        grows = self._growing.grows(file)
        if known is not None and begin and not grows:
            what, advice = f"the file had {begin} bytes when it was read, and", ADVICE
            if begin > file.size:
                what += f" became shorter since, to {file.size}"
            else:
                what += f" grew since, to {file.size}"
                if not known.mark:
                    # The file may have been read as a growing one, whose end was incomplete.
                    what = f"the file was read up to byte {begin} of {file.size}, and only whole files are read now"
                if self._growing.may_grow(file):
                    advice = f"tail=true reads files that grow, {ADVICE}"
            self._lose(what, file, advice)
            batch.lost += 1
            self._skip(batch, file)
            return True
        if not grows:
            return self._take(batch, FilePart(file.path, 0, file.size, file.size, file.modified, "whole"), file, known)
        found = self._growing.complete(file, begin, batch.room())
        if found.end == begin and not found.last:
            return True
        kind: Kind = "last" if found.last else "part"
        return self._take(batch, FilePart(file.path, begin, found.end, file.size, file.modified, kind), file, known)

    def _take_compressed(self, batch: _Batch, located: Matches) -> bool:
        """Add the unread rest of logs that were compressed since, regardless of limits: another file may already have a
        log's name, and then the next offset no longer contains the position in the log. Return ``False`` if planning
        has to be repeated."""
        for file, begin in located.compressed:
            rest = FilePart(file.path, begin, file.size, file.size, file.modified, "rest")
            identified = self._contents.identify(rest, file, None)
            if identified is None:
                return False
            batch.taken.append(identified)
            batch.bytes += file.size
        return True

    def _take(self, batch: _Batch, part: FilePart, file: ListedFile, before: FileProgress | None) -> bool:
        identified = self._contents.identify(part, file, before)
        size = (part.size if part.kind in ("last", "whole") else part.end) - part.begin
        return self._changed(batch, file) if identified is None else batch.take(identified, size)

    def _changed(self, batch: _Batch, file: ListedFile) -> bool:
        """Return ``False``: a file that has changed since it was listed waits for a later listing. If there will be
        none, the file has to exist still, under any name."""
        if batch.fixed and file.path not in self._missing and not self._contents.is_there(file):
            self._lose("the file vanished before it was read", file)
            self._missing.add(file.path)
            self._vanished += 1
        return False

    def _skip(self, batch: _Batch, file: ListedFile) -> None:
        """Add a file to the batch without reading it, so that it counts as read."""
        part = FilePart(file.path, file.size, file.size, file.size, file.modified, "skip", file.file_id)
        batch.taken.append(self._contents.identify(part, file, None) or part)

    def _check_same(self, batch: _Batch, file: ListedFile, known: FileProgress) -> None:
        """Check that a file with unchanged size is still the one that was read."""
        if known.mark in (0, mark(file.modified)) or self._growing.grows(file):
            return
        self._lose(
            f"the file was replaced by another of the same size, {file.size} bytes, since it was read, or touched", file
        )
        batch.lost += 1
        self._skip(batch, file)

    # Data loss --------------------------------------------------------------------------------------------------------

    def _lose(self, what: str, file: ListedFile | str, advice: str = ADVICE) -> None:
        if self._options.fail_on_data_loss:
            raise WireloomError(what, path=file if isinstance(file, str) else file.path, advice=advice)

    def _check_lost(self, batch: _Batch, located: Matches) -> set[str]:
        """Return the paths of files that are not those that were read, and of which nothing is read now. A growing log
        that has been replaced by another file is read."""
        skipped = set()
        for file, what in located.lost:
            self._lose(what, file)
            batch.lost += 1
            if not file.size or not self._growing.grows(file):
                self._skip(batch, file)
                skipped.add(file.path)
        return skipped

    def _check_waiting(self, files: Sequence[ListedFile]) -> list[ListedFile]:
        """Return the files, including those that waited to be read and now have names that the listing leaves out."""
        there = {each.path: each for each in files}
        numbers = {each.file_id for each in files if each.file_id}
        moved = {each.file_id for each in self._waiting.values() if each.file_id} - numbers
        beside = self._contents.elsewhere(files, lambda _, number: number in moved) if moved else []
        numbers |= {each.file_id for each in beside}
        for path, each in sorted(self._waiting.items()):
            now = there.get(path)
            if each.file_id in numbers or (now is not None and now.size >= each.size):
                # A copy may have replaced a shorter file by a longer one.
                continue
            self._lose(
                "the file vanished before it was read"
                if now is None
                else "a file that was not read yet was replaced by another one",
                path,
            )
            self._vanished += 1
        return sorted([*files, *beside], key=lambda each: each.place)

    # Older files ---------------------------------------------------------------------------------------------------

    def _read_before(
        self, summary: OlderFiles | None, files: Sequence[ListedFile], known: Mapping[int, FileProgress]
    ) -> tuple[frozenset[int], int]:
        """Return the fingerprints of the older files, and the number of those that may not have been read."""
        if summary is None:
            return frozenset(), 0
        place = summary.place
        found = [each for each in files if each.place <= place and each.fingerprint not in known]
        fingerprints = [each.fingerprint for each in found]
        remembered = self._older.get(summary)
        late = find_late(summary, fingerprints, remembered)
        if late.unclear:
            self._lose(
                f"{late.unclear} or more files with times before that of this file appeared while the query was "
                f"stopped, and there were more than maxTrackedFiles={self._options.max_tracked} to track one by one: "
                "touch the new ones, so that they have later times, and move away older ones that were read",
                summary.path,
            )
        read = (remembered or frozenset()) | (frozenset(fingerprints) - late.late)
        self._older = {summary: read}
        return read, late.unclear

    def _compacted(
        self,
        summary: OlderFiles | None,
        files: Sequence[ListedFile],
        tracked: dict[int, FileProgress],
        older: frozenset[int],
        taken: set[str],
    ) -> tuple[dict[int, FileProgress], OlderFiles | None]:
        """Return the progress and the summary of the files read before this batch that the offset keeps,
        within its limit."""
        most = self._options.max_tracked
        if len(tracked) > most:
            # Vanished files are dropped first, but as late as possible, since listings may be incomplete for a while.
            present = {each.fingerprint for each in files}
            tracked = {each: known for each, known in tracked.items() if each in present}
        if len(tracked) <= most:
            return tracked, self._updated(summary, files, older)
        under, last = set(older), None
        for each in files:
            number = each.fingerprint
            if len(tracked) <= most // 2 or each.path in taken or (number not in under and number not in tracked):
                break
            if number in tracked:
                if self._growing.grows(each) or not (tracked[number].done or tracked[number].position == each.size):
                    break
                del tracked[number]
                under.add(number)
            last = each
        if last is None:
            return tracked, self._updated(summary, files, older)
        place = max(last.place, summary.place) if summary is not None else last.place
        present = {each.fingerprint for each in files if each.place <= place}
        made = summarize(*place, under & present)
        self._older[made] = frozenset(under)
        return tracked, made

    def _updated(
        self, summary: OlderFiles | None, files: Sequence[ListedFile], older: frozenset[int]
    ) -> OlderFiles | None:
        """Return the summary of those older files that still exist."""
        if summary is None:
            return None
        place = summary.place
        made = summarize(*place, {each.fingerprint for each in files if each.place <= place} & older)
        self._older[made] = older
        return made
