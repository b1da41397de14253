"""Inputs of the tasks of a streaming read, and checks that they have not changed since planning. Runs in the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain

from ... import codecs
from ...base.addresses import is_remote
from ...base.dataclass import dataclass, replace
from ...base.errors import NothingThereError
from ...input.inputs import Location
from ..read.split_planning import Slice
from .file_contents import unpacked
from .file_identity import FollowedFile, digest, family, folders_of, is_reused, neighbours
from .listing import ListedFile, file_now
from .offset import FilePart


@dataclass(frozen=True)
class LocatedSlice:
    """A slice of the file that is ``there`` now. ``planned``: whether it is the one that was planned, and not
    compressed since."""

    slice: Slice
    there: ListedFile
    planned: bool = True


@dataclass(frozen=True)
class PlannedSlice:
    """A slice of a file, and what was known of the file when the batch was planned."""

    slice: Slice
    part: FilePart
    location: Location

    def locate(self) -> LocatedSlice | None:
        """Find the file that was planned, even if it was renamed, copied or compressed; return ``None`` if it is gone.
        Raises ``WireloomError``."""
        for path in chain((self.part.path,), self._other_places()):
            now = file_now(path, self.location)
            if now is not None and self._difference(now) is None:
                return self._located(now)
        return self._compressed()

    def change(self) -> str | None:
        """Return a description of how the file has changed since it was planned; ``None`` if it has not. Raises
        ``WireloomError``."""
        now = file_now(self.part.path, self.location)
        if now is None:
            part = self.part
            if part.kind == "rest":
                return f"the file vanished before it was read: what follows {part.begin} decompressed bytes is lost"
            return f"the file vanished before it was read: {part.end - part.begin} bytes are lost"
        return self._difference(now)

    def _difference(self, now: ListedFile) -> str | None:
        part = self.part
        planned = f"the file had {part.size} bytes when its read was planned, and"
        if now.size < (part.end if part.grows else part.size):
            return f"{planned} became shorter since, to {now.size}"
        if not part.grows:
            if now.size > part.size:
                return f"{planned} grew since, to {now.size}"
            other = (
                f"the file, of {part.size} bytes, was replaced by another of the same size after its read was planned"
            )
            if 0 not in (part.modified, now.modified) and part.modified != now.modified:
                return other
            same = 0 in (part.file_id, now.file_id) or part.file_id == now.file_id
            return None if same or (now.is_local and self._digest(now) == part.digest) else other
        if part.digest and self._digest(now) != part.digest:
            return (
                f"after its read up to byte {part.end} was planned, the file was replaced, or truncated "
                "and written again: its previous content is in no renamed or copied file of its folder"
            )
        return None

    def change_after_reading(self, found: LocatedSlice) -> str | None:
        """Return a description of how the file has changed while it was read; ``None`` if it has not. It may have been
        removed or renamed, but not altered."""
        if not found.planned:
            return None
        there, now = found.there, file_now(found.there.path, self.location)
        if self.part.grows and there.is_local and (now is None or now.file_id != there.file_id):
            moved_to = next((path for path, number in self._neighbours() if number == there.file_id), None)
            now = None if moved_to is None else file_now(moved_to, self.location)
        return None if now is None else self._difference(now)

    def as_it_is(self) -> LocatedSlice | None:
        """Return the slice of the file that has that name now, regardless of its identity, if whole files are read. One
        that may be the next of a rotation is left to a later batch."""
        whole = self.part.kind == "whole" and not is_reused(self.part.path)
        now = file_now(self.part.path, self.location) if whole else None
        if now is None or now.size <= self.slice.begin:
            return None
        return LocatedSlice(self.slice, now, planned=False)

    def _other_places(self) -> Iterator[str]:
        part, near = self.part, list(self._neighbours())
        yield from (path for path, number in near if number == part.file_id)
        if part.grows:
            # A log that was copied before it was truncated.
            yield from (path for path, _ in near if family(path) == family(part.path))

    def _compressed(self) -> LocatedSlice | None:
        part = self.part
        if codecs.by_suffix(part.path):
            return None
        for path, _ in self._neighbours():
            plain = codecs.without_suffix(path)
            found = file_now(path, self.location) if plain != path and family(plain) == family(part.path) else None
            if found is not None and unpacked(found, [part.end]).get(part.end) == part.digest:
                return replace(self._located(found, found.size), planned=False)
        return None

    def _neighbours(self) -> Iterator[tuple[str, int]]:
        recognised = self.part.digest and not is_remote(self.part.path)
        return (each for folder in folders_of(self.part.path) if recognised for each in neighbours(folder))

    def _located(self, there: ListedFile, size: int | None = None) -> LocatedSlice:
        """Return the slice at the file's current location, with its stored size if that is another. A growing file may
        be renamed at any time, even before it is opened."""
        planned = self.slice.input
        if not there.is_local or (not self.part.grows and there.path == self.part.path):
            return LocatedSlice(self.slice, there)
        shown = planned.path, planned.size if size is None else size, planned.modified
        moved = FollowedFile(*shown, seekable=True, file_id=there.file_id, current_path=there.path)
        return LocatedSlice(replace(self.slice, input=moved), there)

    def _digest(self, there: ListedFile) -> int | None:
        try:
            with closing(there.input.open()) as stream:
                return digest(stream, self.part.end)
        except NothingThereError:
            return None
