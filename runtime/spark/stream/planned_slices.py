"""Inputs of the tasks of a streaming read, and checks that they have not changed since planning. Runs in the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from ... import codecs
from ...base.addresses import is_remote
from ...base.errors import NothingThereError
from ...input.inputs import Location
from ..read.file_listing import input_of
from ..read.split_planning import Slice
from .file_contents import unpacked
from .file_identity import FollowedFile, digest, family, folders_of, neighbours
from .listing import listed_file, state_now
from .offset import FilePart


@dataclass(frozen=True)
class LocatedSlice:
    """A slice of the file that is at ``place`` now; ``file_id`` as in ``offset.FileProgress``. ``planned``: whether the
    file is the one that was planned, and not compressed since."""

    slice: Slice
    place: str
    file_id: int
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
        for place in (self.part.path, *self._other_places()):
            if self.change(place) is None:
                now = state_now(place, self.location)
                if now is not None:
                    return LocatedSlice(self._at(place, now.file_id), place, now.file_id)
        return self._compressed()

    def change(self, place: str) -> str | None:
        """Return a description of how the file at ``place`` has changed since it was planned; ``None`` if it has not.
        Raises ``WireloomError``."""
        part, now = self.part, state_now(place, self.location)
        if now is None:
            return f"the file vanished before it was read: {part.end - part.begin} bytes are lost"
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
            return None if same or (not is_remote(place) and self._digest(place) == part.digest) else other
        if part.digest and self._digest(place) != part.digest:
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
        now = state_now(found.place, self.location)
        if not self.part.grows or is_remote(found.place) or (now is not None and now.file_id == found.file_id):
            return None if now is None else self.change(found.place)
        there = next((path for path, number in self._neighbours() if number == found.file_id), None)
        return None if there is None else self.change(there)

    def as_it_is(self) -> LocatedSlice | None:
        """Return the slice of the file that has that name now, regardless of its identity, if whole files are read."""
        now = state_now(self.part.path, self.location) if self.part.kind == "whole" else None
        if now is None or now.size <= self.slice.begin:
            return None
        return LocatedSlice(self.slice, self.part.path, now.file_id, planned=False)

    def _other_places(self) -> Iterator[str]:
        part = self.part
        if is_remote(part.path) or not part.digest:
            return
        near = list(self._neighbours())
        yield from (path for path, number in near if number == part.file_id)
        if part.grows:
            # A log that was copied before it was truncated.
            yield from (path for path, _ in near if family(path) == family(part.path))

    def _compressed(self) -> LocatedSlice | None:
        part = self.part
        if is_remote(part.path) or not part.digest or codecs.by_suffix(part.path):
            return None
        for place, file_id in self._neighbours():
            plain = codecs.without_suffix(place)
            found = listed_file(place) if plain != place and family(plain) == family(part.path) else None
            if found is not None and unpacked(found, [part.end]).get(part.end) == part.digest:
                planned = self.slice.input
                moved = FollowedFile(
                    planned.path, found.size, planned.modified, seekable=True, file_id=file_id, place=place
                )
                return LocatedSlice(replace(self.slice, input=moved), place, file_id, planned=False)
        return None

    def _neighbours(self) -> Iterator[tuple[str, int]]:
        return (each for folder in folders_of(self.part.path) for each in neighbours(folder))

    def _at(self, place: str, file_id: int) -> Slice:
        """Return the slice at the file's current location. A growing file may be renamed at any time,
        even before it is opened."""
        part = self.part
        if is_remote(place) or (not part.grows and place == part.path):
            return self.slice
        planned = self.slice.input
        moved = FollowedFile(planned.path, planned.size, planned.modified, seekable=True, file_id=file_id, place=place)
        return replace(self.slice, input=moved)

    def _digest(self, place: str) -> int | None:
        source = input_of(place, self.part.size, self.part.modified, self.location)
        try:
            with closing(source.open()) as stream:
                return digest(stream, self.part.end)
        except NothingThereError:
            return None
