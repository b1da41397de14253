"""Determines the content of the next batch of a streaming read from a listing and an offset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    """Input that exists and has not been read yet, including incomplete rows of growing files and copies of logs."""

    files: int = 0
    bytes: int = 0

    def add(self, size: int) -> None:
        """Count one more file."""
        self.files += 1
        self.bytes += size


@dataclass
class _Batch:
    """A batch under construction. ``lost``: the paths of lost files; ``found``: whether a file waits that the offset
    does not contain yet."""

    limits: Limits
    taken: list[FilePart] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    files: int = 0
    bytes: int = 0
    full: bool = False
    found: bool = False

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
    """Plans batch after batch. After a restart it decides by the offset alone, which contains each file that is known
    and not read to its end, up to ``maxTrackedFiles``."""

    def __init__(self, options: StreamOptions, growing: GrowingFiles, contents: FileContents) -> None:
        self.backlog = Backlog()
        self._options = options
        self._growing = growing
        self._contents = contents
        self._older: dict[OlderFiles, frozenset[int]] = {}
        """The older files of each summary, all of which have been read."""
        self._beyond: dict[int, FileProgress] = {}
        """Files that wait, beyond those for which the offset has room."""
        self.vanished: set[str] = set()
        """Files of the last batch that vanished or changed after it was planned, which the next one counts."""

    def next(
        self,
        start: StreamOffset,
        files: Sequence[ListedFile],
        limits: Limits,
        *,
        sizes: Mapping[int, int] | None = None,
        only_known: bool = False,
    ) -> StreamOffset:
        """Return the end offset of the next batch; ``start`` itself if there is nothing to read.

        ``files``: in reading order; ``sizes``: those up to which growing files are read, by their numbers;
        ``only_known``: whether new files have to wait. Raises ``WireloomError`` if data was lost and
        ``failOnDataLoss`` is on.
        """
        located = match_files(self._contents, files, {**self._beyond, **start.known()}, self._growing.grows)
        known, most = located.known, self._options.max_tracked
        batch = _Batch(limits, lost=set(self.vanished))
        self._check_lost(batch, located)
        if not self._take_compressed(batch, located):
            return start
        # A file is created first and filled later: an empty file may still become anything.
        files = [each for each in located.files if each.size]
        older, unclear = self._read_before(start.older, files, known)
        self.backlog, self._beyond, waiting = Backlog(), {}, 0
        for each in located.copies:
            self.backlog.add(each.size)
        for file in reversed(files) if self._options.latest_first else files:
            number, own = file.fingerprint, known.get(file.fingerprint)
            if number in older or (own is None and only_known) or (own is not None and _is_read(own, file)):
                continue
            known.pop(number, None)
            after = self._advance(batch, file, own, sizes or {}, identified=waiting < most)
            if after is None:
                continue
            waits = after.unread > 0 and not after.position
            (known if waiting < most or not waits else self._beyond)[number] = after
            waiting += waits
            batch.found |= own is None and number in known
            if after.unread:
                self.backlog.add(after.unread)
        if not (batch.taken or batch.lost or batch.found):
            return start
        planned = {each.fingerprint: each.known for each in batch.taken}
        known = {number: each for number, each in known.items() if planned.get(number) != each}
        tracked, summary = self._compacted(start.older, files, known, older, set(planned))
        self.vanished.clear()
        return StreamOffset(
            batch=start.batch + 1,
            files=start.files + sum(each.begin == 0 for each in batch.taken),
            bytes=start.bytes + batch.bytes,
            lost=start.lost + unclear + len(batch.lost),
            taken=tuple(batch.taken),
            tracked=tracked,
            older=summary,
        )

    # Files ---------------------------------------------------------------------------------------------------------

    def _advance(
        self, batch: _Batch, file: ListedFile, own: FileProgress | None, sizes: Mapping[int, int], *, identified: bool
    ) -> FileProgress | None:
        """Add what fits of the unread part of a file to the batch. Return what is known of it after the batch.

        ``identified``: whether its content has to be known if it waits.
        """
        try:
            grows = self._growing.grows(file)
            begin, more, part = 0 if own is None else own.position, batch.full, None
            if grows:
                file = replace(file, size=min(file.size, sizes.get(file.file_id, file.size)))
            if grows and not batch.full:
                rows = self._growing.complete(file, begin, batch.room())
                more = rows.more
                if rows.end > begin or rows.last:
                    kind: Kind = "last" if rows.last else "part"
                    part = FilePart(file.path, begin, rows.end, file.size, file.modified, kind)
            elif not batch.full:
                part = FilePart(file.path, 0, file.size, file.size, file.modified, "whole")
            if part is not None:
                part = self._contents.identify(part, file, own)
                if part is None:
                    return self._changed(batch, file, own)
                if not batch.take(part, (part.size if part.kind != "part" else part.end) - part.begin):
                    part, more = None, True
            if part is not None and part.kind != "part":
                return part.known
            if not begin and part is None and not identified:
                return _unidentified(file)
            after = self._unread(file, begin if part is None else part.end, grows=grows, more=more)
        except NothingThereError:
            after = None
        return self._changed(batch, file, own) if after is None else after

    def _unread(self, file: ListedFile, position: int, *, grows: bool, more: bool) -> FileProgress | None:
        """Return what is known of a file that was read up to ``position``; ``None`` if it has changed since it was
        listed."""
        if not grows and not file.is_local:
            return _unidentified(file)
        rows, unread = file.size, file.size
        if grows:
            found = self._growing.unread(file, position, more=more)
            rows, unread = found.rows, found.size
        checked = rows or unread
        content = self._contents.content(file, checked)
        if content is None:
            return None
        return FileProgress(
            position,
            content.file_id,
            content.digest,
            path=file.path,
            ahead=checked - position,
            unread=unread,
            tentative=not grows or not rows,
        )

    def _take_compressed(self, batch: _Batch, located: Matches) -> bool:
        """Add the unread rest of logs that were compressed since, regardless of limits: another file may already have a
        log's name, and then the next offset no longer contains the position in the log. Return ``False`` if planning
        has to be repeated."""
        for file, log in located.compressed:
            rest = FilePart(file.path, log.position, file.size, file.size, file.modified, "rest")
            identified = self._contents.identify(rest, file, None)
            if identified is None:
                return False
            if log.done:
                located.known[file.fingerprint] = identified.known
                continue
            located.known.pop(file.fingerprint, None)
            batch.taken.append(identified)
            batch.bytes += file.size
        return True

    def _changed(self, batch: _Batch, file: ListedFile, own: FileProgress | None) -> FileProgress | None:
        """Return what is known of a file that has changed since it was listed: it waits for the next listing, but has
        to exist still, under any name."""
        if own is not None:
            return own
        if self._contents.is_there(file.path, file.file_id):
            return _unidentified(file)
        self.lose(f"the file vanished before it was read: {file.size} bytes are lost", file.path)
        batch.lost.add(file.path)
        return None

    # Data loss --------------------------------------------------------------------------------------------------------

    def lose(self, what: str, path: str, advice: str = ADVICE) -> None:
        """Raise ``WireloomError`` for a file that is lost if ``failOnDataLoss`` is on."""
        if self._options.fail_on_data_loss:
            raise WireloomError(what, path=path, advice=advice)

    def _check_lost(self, batch: _Batch, located: Matches) -> None:
        """Count lost files. A file with the name of one that was read as a whole counts as read."""
        for each in located.lost:
            file, advice = each.file, ADVICE
            whole = file is not None and file.size > 0 and not self._growing.grows(file)
            if whole and file is not None and file.size > each.known.position and self._growing.may_grow(file):
                advice = f"tail=true reads files that grow, {ADVICE}"
            self.lose(each.change, each.path, advice)
            batch.lost.add(each.path)
            if whole and file is not None and each.known.position:
                located.known[file.fingerprint] = FileProgress(file.size, file.file_id, mark=mark(file.modified))

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
            self.lose(
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
        taken: set[int],
    ) -> tuple[dict[int, FileProgress], OlderFiles | None]:
        """Return what is known of files and the summary of older ones that the offset keeps, within its limit."""
        most = self._options.max_tracked
        if len(tracked) > most:
            # Vanished files are dropped first, but as late as possible, since listings may be incomplete for a while.
            present = {each.fingerprint for each in files}
            tracked = {number: each for number, each in tracked.items() if number in present or each.unread}
        count = sum(not each.path for each in tracked.values())
        if count <= most:
            return tracked, self._updated(summary, files, older)
        under, last = set(older), None
        for each in files:
            number, own = each.fingerprint, tracked.get(each.fingerprint)
            if count <= most // 2 or number in taken or (number not in under and own is None):
                break
            if own is not None:
                if own.path or not _is_read(own, each):
                    break
                del tracked[number]
                under.add(number)
                count -= 1
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


def _is_read(known: FileProgress, file: ListedFile) -> bool:
    """Return whether there is nothing after what was read of a file."""
    return known.done or known.mark > 0 or known.position == file.size


def _unidentified(file: ListedFile) -> FileProgress:
    """Return what is known of a file that waits and has not been opened."""
    return FileProgress(0, file.file_id, path=file.path, unread=file.size, tentative=True)
