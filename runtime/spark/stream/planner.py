"""Determines the content of the next batch of a streaming read from a listing and an offset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import xor
from typing import TYPE_CHECKING

from ... import codecs
from ...base.dataclass import dataclass, field, replace
from ...base.errors import NothingThereError, WireloomError
from ...input.inputs import Location
from ..options import StreamOptions
from .listing import ListedFile, file_now
from .offset import FilePart, FileProgress, Kind, OlderFiles, StreamOffset, hash_of_time
from .rotation import Matches

if TYPE_CHECKING:
    from .file_contents import FileContents
    from .growing_files import GrowingFiles


class OlderFileSets:
    """The older files of a folder that have been read: an offset with very many files keeps only their number and a
    digest of their fingerprints. Contains the files of each such summary; ``most``: the number of files that an offset
    lists."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sets: dict[OlderFiles, frozenset[int]] = {}

    def read(
        self, summary: OlderFiles | None, files: Sequence[ListedFile], known: Mapping[int, FileProgress]
    ) -> tuple[frozenset[int], int]:
        """Return the fingerprints of the older files, and the number of those that may not have been read.

        After a restart nothing has changed if number and digest are equal, and a single additional file is identified
        by the digest. If there are fewer files, they are assumed to have been read, since folders are cleaned up.
        Otherwise it is unclear which files are new.
        """
        if summary is None:
            return frozenset(), 0
        sort_key, unclear = summary.sort_key, 0
        found = frozenset(
            each.fingerprint for each in files if each.sort_key <= sort_key and each.fingerprint not in known
        )
        read = self._sets.get(summary)
        if read is None:
            read, more = found, len(found) - summary.count
            single = reduce(xor, found, summary.digest)
            if more == 1 and single in found:
                read = found - {single}
            elif more > 0 or (more == 0 and single):
                unclear = max(more, 1)
        if not unclear:
            self._sets = {summary: read}
        return read, unclear

    def compacted(
        self,
        summary: OlderFiles | None,
        files: Sequence[ListedFile],
        tracked: dict[int, FileProgress],
        older: frozenset[int],
        taken: set[int],
    ) -> tuple[dict[int, FileProgress], OlderFiles | None]:
        """Return what is known of files and the summary of older ones that exist, within the limit of an offset."""
        if len(tracked) > self._most:
            # Vanished files are dropped first, but as late as possible, since listings may be incomplete for a while.
            present = {each.fingerprint for each in files}
            tracked = {number: each for number, each in tracked.items() if number in present or each.unread}
        count = sum(not each.path for each in tracked.values())
        under, sort_key = set(older), None if summary is None else summary.sort_key
        for each in files if count > self._most else ():
            number, own = each.fingerprint, tracked.get(each.fingerprint)
            unread = number not in under if own is None else bool(own.path) or not own.is_read(each.size)
            if unread or count <= self._most // 2 or number in taken:
                break
            if own is not None:
                del tracked[number]
                under.add(number)
                count -= 1
            sort_key = each.sort_key if sort_key is None else max(sort_key, each.sort_key)
        if sort_key is None:
            return tracked, None
        found = {each.fingerprint for each in files if each.sort_key <= sort_key and each.fingerprint in under}
        made = OlderFiles(*sort_key, len(found), reduce(xor, found, 0))
        self._sets[made] = frozenset(under)
        return tracked, made


ADVICE = "failOnDataLoss=false skips and counts such files"


@dataclass(frozen=True)
class Limits:
    """The limits of a batch; ``None``: unlimited."""

    files: int | None = None
    bytes: int | None = None


@dataclass
class _Batch:
    """A batch under construction. ``lost``: the paths of lost files; ``found``: whether something waits, or
    was recognised, that the offset does not contain yet."""

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
        self.backlog: list[int] = []
        """The sizes of what has not been read yet, with incomplete rows of growing files and copies of logs."""
        self._options = options
        self._growing = growing
        self._contents = contents
        self._older = OlderFileSets(options.max_tracked_files)
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
        located = Matches(self._contents, files, {**self._beyond, **start.known()}, self._growing.grows)
        known, most = located.known, self._options.max_tracked_files
        batch = _Batch(limits, lost=set(self.vanished), found=located.renumbered)
        self._check_lost(batch, located)
        if not self._take_compressed(batch, located):
            return start
        # A file is created first and filled later: an empty file may still become anything.
        files = [each for each in located.files if each.size]
        older, unclear = self._older.read(start.older, files, known)
        if unclear and start.older is not None:
            self.lose(
                f"{unclear} or more files with times before that of this file appeared while the query was "
                f"stopped, and there were more than maxTrackedFiles={most} to track one by one: "
                "touch the new ones, so that they have later times, and move away older ones that were read",
                start.older.path,
            )
        self.backlog, self._beyond, waiting = [each.size for each in located.copies], {}, 0
        for file in reversed(files) if self._options.latest_first else files:
            number, own = file.fingerprint, known.get(file.fingerprint)
            if number in older or (own is None and only_known) or (own is not None and own.is_read(file.size)):
                continue
            known.pop(number, None)
            if batch.full and waiting >= most and (own is None or not own.position):
                after: FileProgress | None = _unidentified(file, own)
            else:
                after = self._advance(batch, file, own, sizes or {}, identified=waiting < most)
            if after is None:
                continue
            waits = after.unread > 0 and not after.position
            (known if waiting < most or not waits else self._beyond)[number] = after
            waiting += waits
            batch.found |= number in known and (own is None or own.unread == 0 < after.unread)
            if after.unread:
                self.backlog.append(after.unread)
        if not (batch.taken or batch.lost or batch.found or unclear):
            return start
        planned = {each.fingerprint: each.known for each in batch.taken}
        known = {number: each for number, each in known.items() if planned.get(number) != each}
        tracked, summary = self._older.compacted(start.older, files, known, older, set(planned))
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
        begin, more, part = 0 if own is None else own.position, batch.full, None
        try:
            grows = self._growing.grows(file)
            if grows:
                file = replace(file, size=min(file.size, sizes.get(file.file_id, file.size)))
            if grows and not batch.full:
                complete = self._growing.complete(file, begin, batch.room())
                more = complete.more
                if complete.end > begin or complete.last:
                    kind: Kind = "last" if complete.last else "part"
                    part = FilePart(file.path, begin, complete.end, file.size, file.modified, kind)
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
            if (not begin and part is None and not identified) or not (grows or file.is_local):
                return _unidentified(file, own)
            position = begin if part is None else part.end
            rows, unread = self._growing.unread(file, position, more=more) if grows else (file.size, file.size)
            checked = rows or unread
            content = self._contents.content(file, checked)
        except NothingThereError:
            content = None
        if content is None:
            return self._changed(batch, file, own)
        return FileProgress(
            *(position, file.file_id, content.digest),
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
            if log.abandoned:
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
            # A compressed file may have been completed: only now it can be seen whether it is that of a log.
            return None if codecs.by_suffix(file.path) else _unidentified(file, None)
        now = file_now(file.path, Location()) if file.is_local else None
        if now is not None and now.size >= file.size:
            # It was replaced, as by a copy of itself.
            return None
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
                located.known[file.fingerprint] = FileProgress(
                    file.size, file.file_id, modified_hash=hash_of_time(file.modified)
                )


def _unidentified(file: ListedFile, own: FileProgress | None) -> FileProgress:
    """Return what is known of a file that waits and has not been opened: ``own`` if it has not changed, since many
    files may wait."""
    if own is not None and (own.path, own.file_id, own.unread, own.digest) == (file.path, file.file_id, file.size, 0):
        return own
    return FileProgress(0, file.file_id, path=file.path, unread=file.size, tentative=True)
