"""What the next batch of a streaming read takes: pure decisions over a listing and an offset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import WireloomError
from .stream_growing import Complete
from .stream_listing import Listed
from .stream_offset import GIVEN_UP, Kind, Seal, StreamOffset, Taken, mark
from .stream_options import StreamOptions
from .stream_seal import opened, sealed

ADVICE = "failOnDataLoss=false skips and counts such files"


class Growing(Protocol):
    """Which files grow, and how far: ``stream_growing.Growth``."""

    def grows(self, file: Listed) -> bool:
        """Whether more rows may come at its end."""
        ...

    def may_grow(self, file: Listed) -> bool:
        """Whether ``tail=true`` would read what comes at its end."""
        ...

    def complete(self, file: Listed, begin: int, most: int | None) -> Complete:
        """How far its rows behind ``begin`` are complete."""
        ...


@dataclass(frozen=True)
class Limits:
    """Most of a batch; ``None``: any."""

    files: int | None = None
    bytes: int | None = None


@dataclass
class Backlog:
    """What is there and not taken yet; of files that grow, incomplete rows are counted too."""

    files: int = 0
    bytes: int = 0

    def add(self, size: int) -> None:
        """Counts one more file."""
        self.files += 1
        self.bytes += size


@dataclass
class _Batch:
    """A batch while it is put together."""

    limits: Limits
    taken: list[Taken] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    lost: int = 0
    full: bool = False

    def room(self) -> int | None:
        """Bytes that still fit; ``None``: any."""
        return None if self.limits.bytes is None else max(1, self.limits.bytes - self.bytes)

    def take(self, part: Taken, size: int) -> bool:
        """Takes it, where it fits; the first one always does. What comes after one that does not fit has to wait."""
        most, room = self.limits.files, self.room()
        if self.files and ((most is not None and self.files >= most) or (room is not None and size > room)):
            self.full = True
            return False
        self.taken.append(part)
        self.files += 1
        self.bytes += size
        return True


class Planner:
    """Decides batch by batch. What it remembers only helps: after a restart it decides by the offset alone."""

    def __init__(self, options: StreamOptions, growing: Growing) -> None:
        self.backlog = Backlog()
        self._options = options
        self._growing = growing
        self._older: dict[Seal, frozenset[int]] = {}
        """Per seal, the files under it, all of which are read."""
        self._waiting: set[str] = set()
        """Files that were there and not taken yet."""
        self._vanished = 0

    def next(
        self, start: StreamOffset, files: Sequence[Listed], limits: Limits, *, fixed: bool = False
    ) -> StreamOffset:
        """The offset behind the next batch; ``start`` itself where there is nothing to read.

        ``files``: in the order of reading; ``fixed``: they are not what is there now. Raises ``WireloomError`` where
        data was lost and ``failOnDataLoss`` is on.
        """
        if not fixed:
            self._check_waiting(files)
        positions, times = start.positions(), start.times()
        older, unclear = self._sealed(start.seal, files, positions)
        batch = _Batch(limits, lost=unclear)
        backlog, waiting = Backlog(), set()
        for file in reversed(files) if self._options.latest_first else files:
            if file.fingerprint in older:
                continue
            position = positions.get(file.fingerprint)
            if position is not None and position in (file.size, GIVEN_UP):
                self._check_same(batch, file, times.get(file.fingerprint, 0))
                continue
            if batch.full or not self._add(batch, file, position, times.get(file.fingerprint, 0)):
                backlog.add(file.size - (position or 0) if file.size > (position or 0) else file.size)
                if position is None:
                    waiting.add(file.path)
        self.backlog, self._waiting = backlog, waiting
        if not batch.taken:
            return start
        for each in batch.taken:
            positions.pop(each.fingerprint, None)
        tracked, seal = self._compacted(start.seal, files, positions, older, {each.path for each in batch.taken})
        end = StreamOffset(
            batch=start.batch + 1,
            files=start.files + sum(each.begin == 0 and each.kind != "skip" for each in batch.taken),
            bytes=start.bytes + batch.bytes,
            lost=start.lost + batch.lost + self._vanished,
            taken=tuple(batch.taken),
            tracked=tracked,
            seal=seal,
            marks={each: times[each] for each in tracked if each in times},
        )
        self._vanished = 0
        return end

    # Files ---------------------------------------------------------------------------------------------------------

    def _add(self, batch: _Batch, file: Listed, position: int | None, known: int) -> bool:
        """Takes what is new of a file. False: there is something, and no room for it. ``known``: the mark of its time,
        none of a file that was read as one that grows."""
        begin = position or 0
        grows = self._growing.grows(file)
        if begin > file.size or (begin and not grows):
            what, advice = f"the file had {begin} bytes when it was read, and", ADVICE
            if begin > file.size:
                what += f" became shorter since, to {file.size}"
            else:
                what += f" grew since, to {file.size}"
                if not known:
                    # It may have been read as one that grows, whose end was not complete.
                    what = f"the file was read up to byte {begin} of {file.size}, and only whole files are read now"
                if self._growing.may_grow(file):
                    advice = f"tail=true reads files that grow, {ADVICE}"
            self._lose(what, file, advice)
            batch.lost += 1
            if not grows:
                batch.taken.append(Taken(file.path, file.size, file.size, file.size, file.modified, "skip"))
                return True
            # Under the old name there is another file now.
            begin = 0
        if not grows:
            return batch.take(Taken(file.path, 0, file.size, file.size, file.modified, "whole"), file.size)
        found = self._growing.complete(file, begin, batch.room())
        if found.end == begin and not found.last:
            return True
        size = (file.size if found.last else found.end) - begin
        kind: Kind = "last" if found.last else "part"
        return batch.take(Taken(file.path, begin, found.end, file.size, file.modified, kind), size)

    def _check_same(self, batch: _Batch, file: Listed, known: int) -> None:
        """A file of the size that it had when it was read may still be another one. ``known``: the mark of its time."""
        if known in (0, mark(file.modified)) or self._growing.grows(file):
            return
        self._lose(
            f"the file was replaced by another of the same size, {file.size} bytes, since it was read, or touched", file
        )
        batch.lost += 1
        batch.taken.append(Taken(file.path, file.size, file.size, file.size, file.modified, "skip"))

    # Losses --------------------------------------------------------------------------------------------------------

    def _lose(self, what: str, file: Listed | str, advice: str = ADVICE) -> None:
        if self._options.fail_on_data_loss:
            raise WireloomError(what, path=file if isinstance(file, str) else file.path, advice=advice)

    def _check_waiting(self, files: Iterable[Listed]) -> None:
        gone = self._waiting - {each.path for each in files} if self._waiting else set()
        self._waiting -= gone
        for path in sorted(gone):
            self._lose("the file vanished before it was read", path)
            self._vanished += 1

    # Older files ---------------------------------------------------------------------------------------------------

    def _sealed(
        self, seal: Seal | None, files: Sequence[Listed], positions: dict[int, int]
    ) -> tuple[frozenset[int], int]:
        """The fingerprints of the files under the seal, and how many of them may not have been read."""
        if seal is None:
            return frozenset(), 0
        place = (seal.modified, seal.path)
        found = [each for each in files if each.place <= place and each.fingerprint not in positions]
        fingerprints = [each.fingerprint for each in found]
        remembered = self._older.get(seal)
        older = opened(seal, fingerprints, remembered)
        if older.unclear:
            self._lose(
                f"{older.unclear} or more files with times before that of this file came while the query was stopped, "
                f"and there were more than maxTrackedFiles={self._options.max_tracked} to remember one by one: touch "
                "the new ones, so that they have later times, and move away those of older times that were read",
                seal.path,
            )
        read = (remembered or frozenset()) | (frozenset(fingerprints) - older.late)
        self._older = {seal: read}
        return read, older.unclear

    def _compacted(
        self,
        seal: Seal | None,
        files: Sequence[Listed],
        tracked: dict[int, int],
        older: frozenset[int],
        taken: set[str],
    ) -> tuple[dict[int, int], Seal | None]:
        """What the offset keeps of the files that were read before this batch: not more than it may."""
        most = self._options.max_tracked
        if len(tracked) > most:
            # Those that have vanished go first, as late as can be: a folder may be shown incompletely for a while.
            present = {each.fingerprint for each in files}
            tracked = {each: position for each, position in tracked.items() if each in present}
        if len(tracked) <= most:
            return tracked, self._renewed(seal, files, older)
        under, last = set(older), None
        for each in files:
            number = each.fingerprint
            if len(tracked) <= most // 2 or each.path in taken or (number not in under and number not in tracked):
                break
            if number in tracked:
                if self._growing.grows(each) or tracked[number] not in (each.size, GIVEN_UP):
                    break
                del tracked[number]
                under.add(number)
            last = each
        if last is None:
            return tracked, self._renewed(seal, files, older)
        place = max(last.place, (seal.modified, seal.path)) if seal is not None else last.place
        present = {each.fingerprint for each in files if each.place <= place}
        made = sealed(*place, under & present)
        self._older[made] = frozenset(under)
        return tracked, made

    def _renewed(self, seal: Seal | None, files: Sequence[Listed], older: frozenset[int]) -> Seal | None:
        """The seal over those of its files that are still there."""
        if seal is None:
            return None
        place = (seal.modified, seal.path)
        made = sealed(*place, {each.fingerprint for each in files if each.place <= place} & older)
        self._older[made] = older
        return made
