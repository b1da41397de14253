"""What the next batch of a streaming read takes: decisions over a listing and an offset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...base.errors import NothingThereError, WireloomError
from .growing import Complete
from .listing import Listed
from .offset import Kind, Known, Seal, StreamOffset, Taken, mark
from .older_files import opened, sealed
from .options import StreamOptions
from .rotation import Located

ADVICE = "failOnDataLoss=false skips and counts such files"


class Growing(Protocol):
    """Which files grow, and how far: ``growing.Growth``."""

    def grows(self, file: Listed) -> bool:
        """Whether more rows may come at its end."""
        ...

    def may_grow(self, file: Listed) -> bool:
        """Whether ``tail=true`` would read what comes at its end."""
        ...

    def complete(self, file: Listed, begin: int, most: int | None) -> Complete:
        """How far its rows behind ``begin`` are complete."""
        ...


class Following(Protocol):
    """Which files those that were read are now: ``rotation.Follower``."""

    def locate(self, files: Sequence[Listed], known: Mapping[int, Known], grows: Callable[[Listed], bool]) -> Located:
        """Finds them among the listed ones and beside them."""
        ...

    def identify(self, part: Taken, file: Listed, before: Known | None) -> Taken | None:
        """The part with number and digest of its file; ``None``: the file has changed since it was listed."""
        ...

    def elsewhere(self, files: Iterable[Listed], is_wanted: Callable[[str, int], bool]) -> list[Listed]:
        """Files beside the listed ones, by name and number."""
        ...

    def is_there(self, file: Listed) -> bool:
        """Whether a file is there, under its own name or another one in the folders of the listed files."""
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
    fixed: bool
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

    def __init__(self, options: StreamOptions, growing: Growing, following: Following) -> None:
        self.backlog = Backlog()
        self._options = options
        self._growing = growing
        self._following = following
        self._older: dict[Seal, frozenset[int]] = {}
        """Per seal, the files under it, all of which are read."""
        self._waiting: dict[str, Listed] = {}
        """Files that were there and not taken yet."""
        self._vanished = 0
        self._missing: set[str] = set()
        """Of the files of a listing that is not renewed, those that vanished."""

    def next(
        self, start: StreamOffset, files: Sequence[Listed], limits: Limits, *, fixed: bool = False
    ) -> StreamOffset:
        """The offset behind the next batch; ``start`` itself where there is nothing to read.

        ``files``: in the order of reading; ``fixed``: they are not what is there now. Raises ``WireloomError`` where
        data was lost and ``failOnDataLoss`` is on.
        """
        located = self._following.locate(files, start.known(), self._growing.grows)
        files, known = located.files, located.known
        if not fixed:
            files = self._check_waiting(files)
        batch = _Batch(limits, fixed=fixed)
        lost = self._check_lost(batch, located)
        # A file is made first and filled later: while it is empty it may become anything.
        files = [each for each in files if each.size and each.path not in lost]
        if not self._take_compressed(batch, located):
            return start
        older, unclear = self._sealed(start.seal, files, known)
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
        tracked, seal = self._compacted(start.seal, files, known, older, {each.path for each in batch.taken})
        end = StreamOffset(
            batch=start.batch + 1,
            files=start.files + sum(each.begin == 0 and each.kind != "skip" for each in batch.taken),
            bytes=start.bytes + batch.bytes,
            lost=start.lost + batch.lost + self._vanished,
            taken=tuple(batch.taken),
            tracked=tracked,
            seal=seal,
        )
        self._vanished = 0
        return end

    # Files ---------------------------------------------------------------------------------------------------------

    def _added(self, batch: _Batch, file: Listed, known: Known | None) -> bool:
        """Takes what is new of a file. False: there is something that has to wait."""
        try:
            return self._add(batch, file, known)
        except NothingThereError:
            return self._changed(batch, file)

    def _add(self, batch: _Batch, file: Listed, known: Known | None) -> bool:
        begin = known.position if known is not None else 0
        grows = self._growing.grows(file)
        if known is not None and begin and not grows:
            what, advice = f"the file had {begin} bytes when it was read, and", ADVICE
            if begin > file.size:
                what += f" became shorter since, to {file.size}"
            else:
                what += f" grew since, to {file.size}"
                if not known.mark:
                    # It may have been read as one that grows, whose end was not complete.
                    what = f"the file was read up to byte {begin} of {file.size}, and only whole files are read now"
                if self._growing.may_grow(file):
                    advice = f"tail=true reads files that grow, {ADVICE}"
            self._lose(what, file, advice)
            batch.lost += 1
            self._skip(batch, file)
            return True
        if not grows:
            return self._take(batch, Taken(file.path, 0, file.size, file.size, file.modified, "whole"), file, known)
        found = self._growing.complete(file, begin, batch.room())
        if found.end == begin and not found.last:
            return True
        kind: Kind = "last" if found.last else "part"
        return self._take(batch, Taken(file.path, begin, found.end, file.size, file.modified, kind), file, known)

    def _take_compressed(self, batch: _Batch, located: Located) -> bool:
        """Takes what was not read of logs before they were compressed, whatever the limits: another file may have a
        log's name already, and then the next offset does not say any more how far it was read. False: try again."""
        for file, begin in located.compressed:
            rest = Taken(file.path, begin, file.size, file.size, file.modified, "rest")
            identified = self._following.identify(rest, file, None)
            if identified is None:
                return False
            batch.taken.append(identified)
            batch.bytes += file.size
        return True

    def _take(self, batch: _Batch, part: Taken, file: Listed, before: Known | None) -> bool:
        identified = self._following.identify(part, file, before)
        size = (part.size if part.kind in ("last", "whole") else part.end) - part.begin
        return self._changed(batch, file) if identified is None else batch.take(identified, size)

    def _changed(self, batch: _Batch, file: Listed) -> bool:
        """A file has changed since it was listed, so it is left to a later look; False. Where nobody is going to look
        again, it has to be there still, under whatever name."""
        if batch.fixed and file.path not in self._missing and not self._following.is_there(file):
            self._lose("the file vanished before it was read", file)
            self._missing.add(file.path)
            self._vanished += 1
        return False

    def _skip(self, batch: _Batch, file: Listed) -> None:
        """Takes nothing of a file, and counts it as read."""
        part = Taken(file.path, file.size, file.size, file.size, file.modified, "skip", file.file_id)
        batch.taken.append(self._following.identify(part, file, None) or part)

    def _check_same(self, batch: _Batch, file: Listed, known: Known) -> None:
        """A file of the size that it had when it was read may still be another one."""
        if known.mark in (0, mark(file.modified)) or self._growing.grows(file):
            return
        self._lose(
            f"the file was replaced by another of the same size, {file.size} bytes, since it was read, or touched", file
        )
        batch.lost += 1
        self._skip(batch, file)

    # Losses --------------------------------------------------------------------------------------------------------

    def _lose(self, what: str, file: Listed | str, advice: str = ADVICE) -> None:
        if self._options.fail_on_data_loss:
            raise WireloomError(what, path=file if isinstance(file, str) else file.path, advice=advice)

    def _check_lost(self, batch: _Batch, located: Located) -> set[str]:
        """The paths of files that are not any more what was read, and of which nothing is read now. In place of a log
        that grew there is another one, which is."""
        skipped = set()
        for file, what in located.lost:
            self._lose(what, file)
            batch.lost += 1
            if not file.size or not self._growing.grows(file):
                self._skip(batch, file)
                skipped.add(file.path)
        return skipped

    def _check_waiting(self, files: Sequence[Listed]) -> list[Listed]:
        """The files, with those that waited to be read and now have names that the listing leaves out."""
        there = {each.path: each for each in files}
        numbers = {each.file_id for each in files if each.file_id}
        moved = {each.file_id for each in self._waiting.values() if each.file_id} - numbers
        beside = self._following.elsewhere(files, lambda _, number: number in moved) if moved else []
        numbers |= {each.file_id for each in beside}
        for path, each in sorted(self._waiting.items()):
            now = there.get(path)
            if each.file_id in numbers or (now is not None and now.size >= each.size):
                # Whoever copies files may put a longer one in the place of a shorter one.
                continue
            self._lose(
                "the file vanished before it was read"
                if now is None
                else "another file came in the place of one that was not read yet",
                path,
            )
            self._vanished += 1
        return sorted([*files, *beside], key=lambda each: each.place)

    # Older files ---------------------------------------------------------------------------------------------------

    def _sealed(
        self, seal: Seal | None, files: Sequence[Listed], known: Mapping[int, Known]
    ) -> tuple[frozenset[int], int]:
        """The fingerprints of the files under the seal, and how many of them may not have been read."""
        if seal is None:
            return frozenset(), 0
        place = (seal.modified, seal.path)
        found = [each for each in files if each.place <= place and each.fingerprint not in known]
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
        tracked: dict[int, Known],
        older: frozenset[int],
        taken: set[str],
    ) -> tuple[dict[int, Known], Seal | None]:
        """What the offset keeps of the files that were read before this batch: not more than it may."""
        most = self._options.max_tracked
        if len(tracked) > most:
            # Those that have vanished go first, as late as can be: a folder may be shown incompletely for a while.
            present = {each.fingerprint for each in files}
            tracked = {each: known for each, known in tracked.items() if each in present}
        if len(tracked) <= most:
            return tracked, self._renewed(seal, files, older)
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
