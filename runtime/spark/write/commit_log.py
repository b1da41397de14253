"""Commits: files of several folders that come to be seen together, once, whatever is killed at whatever moment.

Files are made in ``_wireloom/staging/ATTEMPT`` of the folder that they are for, where no reader looks. A commit is one
file, ``_wireloom/pending/NAME.json``, that appears at once: it says which staged file gets which name, and has what is
to be known of the commit. From then on it holds; whoever comes next carries out what was left undone, and every step of
that may be done twice: files are moved, files that are replaced are deleted, the record moves to ``_wireloom/commits``.
What is staged and in no record never happened, and is removed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.errors import WireloomError
from ..folders import Folder, folder

HOME = "_wireloom"
TABLE = "table"
"""The place that has the journal."""
VERSION = 1
ATTEMPTS = 3
UNFINISHED = ".tmp"
"""End of the name of a file that is being written (see ``writing.opened``)."""


@dataclass(frozen=True)
class Move:
    """A staged file's way: in folder ``place``, from ``staged`` to ``final``, both names from that folder on."""

    place: str
    staged: str
    final: str


@dataclass(frozen=True)
class Record:
    """A commit. ``places``: addresses of further folders by name; ``removes``: place and name of files that are
    replaced; ``facts``: what the one who commits wants to find again, as JSON takes it."""

    name: str
    moves: Sequence[Move] = ()
    removes: Sequence[tuple[str, str]] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """The record as it is stored."""
        return json.dumps(
            {
                "version": VERSION,
                "name": self.name,
                "moves": [[each.place, each.staged, each.final] for each in self.moves],
                "removes": [list(each) for each in self.removes],
                "places": dict(self.places),
                "facts": dict(self.facts),
            }
        ).encode()

    @classmethod
    def from_json(cls, content: bytes, path: str) -> Record:
        """The inverse. Raises ``WireloomError`` for a record of a newer version, or one that is damaged."""
        try:
            found = json.loads(content)
            version = found["version"]
            if isinstance(version, int) and version > VERSION:
                raise WireloomError(
                    f"was written by a newer wireloom (version {version}, this one knows {VERSION}): install that one",
                    path=path,
                )
            return cls(
                found["name"],
                tuple(Move(*each) for each in found["moves"]),
                tuple((place, name) for place, name in found["removes"]),
                found["places"],
                found["facts"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise WireloomError(f"is no record of a commit, or is damaged ({error}): restore it", path=path) from None


def nothing_more(record: Record) -> None:
    """What is to be done with a record when its files are where they belong, where that is nothing."""


class Journal:
    """The commits of a folder. ``publish`` is called for every record whose files are where they belong, perhaps again
    after a crash, before the commit is done. One process at a time commits under the same names."""

    def __init__(self, place: Folder, publish: Callable[[Record], None] = nothing_more) -> None:
        self.place = place
        self._publish = publish
        self._pending = place.inside(HOME, "pending")
        self._commits = place.inside(HOME, "commits")

    def commit(self, record: Record) -> None:
        """Makes a record hold, and carries it out."""
        for again in reversed(range(ATTEMPTS)):
            self._pending.make()
            try:
                self._pending.write(f"{record.name}.json", record.to_json())
                break
            except WireloomError:
                # Another commit that is done may have removed the folder, which was still empty.
                if not again:
                    raise
        self._carry_out(record)

    def recover(self) -> list[Record]:
        """Carries out every commit that was left undone; gives their records."""
        for each in (self._pending, self._commits, self.place.inside(HOME)):
            clear_unfinished(each)
        found = self.pending()
        for record in found:
            self._carry_out(record)
        return found

    def pending(self) -> list[Record]:
        """The commits that hold and are not carried out yet. Raises ``WireloomError``."""
        return [self._read(self._pending, name) for name in _records(self._pending)]

    def state(self) -> tuple[list[str], list[str]]:
        """The names of the commits that are carried out, and of those that are not: it changes with each commit, when
        it is made and when it is carried out."""
        return self.names(), _records(self._pending)

    @property
    def undone(self) -> bool:
        """Whether there are commits that are not carried out yet."""
        return bool(_records(self._pending))

    def names(self) -> list[str]:
        """The names of all commits that are carried out, sorted."""
        return [each.removesuffix(".json") for each in _records(self._commits)]

    def holds(self, name: str) -> bool:
        """Whether there is a commit of that name, carried out or not."""
        return self._commits.holds(f"{name}.json") or self._pending.holds(f"{name}.json")

    def record(self, name: str) -> Record:
        """A commit that is carried out."""
        return self._read(self._commits, f"{name}.json")

    def forget(self, name: str) -> None:
        """Deletes the record of a commit that is carried out."""
        self._commits.delete(f"{name}.json")

    def _read(self, place: Folder, name: str) -> Record:
        return Record.from_json(place.read(name), place.child(name))

    def _carry_out(self, record: Record) -> None:
        name = f"{record.name}.json"
        places = {
            TABLE: self.place,
            **{key: folder(address, self.place.location) for key, address in record.places.items()},
        }
        made: set[str] = set()
        for move in record.moves:
            _settle(places[move.place], move, made)
        for place, removed in record.removes:
            places[place].delete(removed)
        self._publish(record)
        self._commits.make()
        _moved(self._pending, name, self._commits, name)


def _records(place: Folder) -> list[str]:
    return [each for each in place.names() if each.endswith(".json") and not each.startswith(".")]


def _settle(place: Folder, move: Move, made: set[str]) -> None:
    """Gives a staged file its name, unless it has it."""
    if not place.holds(move.staged):
        if place.holds(move.final):
            return
        raise WireloomError(
            "was committed, and is neither there nor in _wireloom/staging: somebody has removed it; restore it, or "
            "delete the record in _wireloom/pending to do without it",
            path=place.child(move.final),
        )
    parent, slash, _ = move.final.rpartition("/")
    if slash and parent not in made:
        place.inside(parent).make()
        made.add(parent)
    _moved(place, move.staged, place, move.final)


def _moved(place: Folder, name: str, target: Folder, new_name: str) -> None:
    """Moves a file, unless somebody who carries out the same commit was faster."""
    try:
        place.move(name, target, new_name)
    except WireloomError:
        if place.holds(name) or not target.holds(new_name):
            raise


# Staging -------------------------------------------------------------------------------------------------------------


def staging(place: Folder, attempt: str) -> Folder:
    """Where an attempt makes its files for a folder."""
    return place.inside(HOME, "staging", attempt)


def staged_name(attempt: str, name: str) -> str:
    """The name of a file in the staging folder, from the folder itself on."""
    return f"{HOME}/staging/{attempt}/{name}"


def clear_staging(place: Folder, wanted: Callable[[str], bool] = lambda attempt: True) -> None:
    """Removes what attempts have left, and folders of the journal that are empty."""
    stage = place.inside(HOME, "staging")
    for attempt in stage.names():
        if wanted(attempt):
            stage.delete(attempt)
    tidy(place)


def clear_unfinished(place: Folder) -> None:
    """Removes files in a folder, not in those below, whose writing was cut off; for where nobody else writes."""
    for name in place.names():
        if name.endswith(UNFINISHED):
            place.delete(name)


def tidy(place: Folder) -> None:
    """Removes the folders of the journal that are empty."""
    for each in ("staging", "pending", "commits"):
        place.inside(HOME, each).drop()
    place.inside(HOME).drop()
