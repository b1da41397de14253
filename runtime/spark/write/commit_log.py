"""The commit log of a folder: files of several folders appear together and exactly once, even if the process is killed.

Files are written to ``_wireloom/staging/ATTEMPT`` of their folder, which readers ignore. A commit is one file,
``_wireloom/pending/NAME.json``, that is created atomically. It lists the final name of each staged file and contains
the committer's own data. From then on the commit is in effect. The next process applies what was left undone, and every
step of that is idempotent: staged files are moved, replaced files are deleted, and the record moves to
``_wireloom/commits``. Staged files that no record names were never committed, and are removed.

Readers of a folder read all files that it contains, which may be a part of a batch while a commit moves its files into
place. A reader that must not see such a state gets the list of files from ``committed_files``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...base.dataclass import dataclass, field
from ...base.errors import NothingThereError, WireloomError
from ...input.inputs import Location
from ..folders import Folder, folder

LOG_FOLDER = "_wireloom"
TABLE = "table"
"""Name of the place that contains the commit log."""
VERSION = 1
ATTEMPTS = 3
UNFINISHED = ".tmp"
"""Suffix of the name of a file that is being written (see ``writing.opened``)."""


@dataclass(frozen=True)
class Move:
    """A move of a staged file in folder ``place``; both names are relative to that folder."""

    place: str
    staged: str
    final: str


@dataclass(frozen=True)
class Commit:
    """A commit. ``places``: addresses of further folders by name; ``removes``: place and name of files that are
    replaced; ``facts``: the committer's own data, as values that JSON supports.
    """

    name: str
    moves: Sequence[Move] = ()
    removes: Sequence[tuple[str, str]] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Return the record as it is stored."""
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
    def from_json(cls, content: bytes, path: str) -> Commit:
        """Parse a record. Raises ``WireloomError`` if it is damaged or of a newer version."""
        try:
            found = json.loads(content)
            version = found["version"]
            if isinstance(version, int) and version > VERSION:
                raise WireloomError(
                    f"was written by a newer wireloom (version {version}, this one supports {VERSION}): install the "
                    "newer one",
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
            raise WireloomError(
                f"is not a record of a commit, or is damaged ({error}): restore it", path=path
            ) from None


class CommitLog:
    """The commits of a folder. ``publish`` is called for every record whose files are in place, before the commit is
    complete, and possibly again after a crash. Only one process at a time may commit under the same names.
    """

    def __init__(self, place: Folder, publish: Callable[[Commit], None] = lambda _: None) -> None:
        self.place = place
        self._publish = publish
        self._pending = place.inside(LOG_FOLDER, "pending")
        self._commits = place.inside(LOG_FOLDER, "commits")

    def commit(self, record: Commit) -> None:
        """Put a commit in effect and apply it."""
        for again in reversed(range(ATTEMPTS)):
            self._pending.make()
            try:
                self._pending.write(f"{record.name}.json", record.to_json())
                break
            except WireloomError:
                # Another completed commit may have removed the folder while it was still empty.
                if not again:
                    raise
        self._apply(record)

    def recover(self) -> list[Commit]:
        """Apply every commit that was left undone; return them."""
        for each in (self._pending, self._commits, self.place.inside(LOG_FOLDER)):
            clear_unfinished(each)
        found = self.pending()
        for record in found:
            self._apply(record)
        return found

    def pending(self) -> list[Commit]:
        """Return the commits that are in effect and not applied yet. Raises ``WireloomError``."""
        return [self._read(self._pending, name) for name in self.pending_names()]

    def pending_names(self) -> list[str]:
        """Return the sorted names of pending commits."""
        return _records(self._pending)

    def names(self) -> list[str]:
        """Return the sorted names of all applied commits."""
        return _records(self._commits)

    def record(self, name: str) -> Commit:
        """Return an applied commit."""
        return self._read(self._commits, name)

    def forget(self, name: str) -> None:
        """Delete the record of an applied commit."""
        self._commits.delete(f"{name}.json")

    def _read(self, place: Folder, name: str) -> Commit:
        return Commit.from_json(place.read(f"{name}.json"), place.child(f"{name}.json"))

    def _apply(self, record: Commit) -> None:
        name = f"{record.name}.json"
        places = {
            TABLE: self.place,
            **{key: folder(address, self.place.location) for key, address in record.places.items()},
        }
        made: set[str] = set()
        for move in record.moves:
            _move_staged(places[move.place], move, made)
        for place, removed in record.removes:
            places[place].delete(removed)
        self._publish(record)
        self._commits.make()
        _moved(self._pending, name, self._commits, name)


def _records(place: Folder) -> list[str]:
    names = (each for each in place.names() if not each.startswith("."))
    return [each.removesuffix(".json") for each in names if each.endswith(".json")]


def _move_staged(place: Folder, move: Move, made: set[str]) -> None:
    """Move a staged file to its final name, unless that has been done. ``made``: the folders known to exist."""
    if not place.holds(move.staged):
        if place.holds(move.final):
            return
        raise WireloomError(
            "was committed, but is missing there and in _wireloom/staging, so it was removed; restore "
            "it, or delete the record in _wireloom/pending to give it up",
            path=place.child(move.final),
        )
    parent, slash, _ = move.final.rpartition("/")
    if slash and parent not in made:
        place.inside(parent).make()
        made.add(parent)
    _moved(place, move.staged, place, move.final)


def _moved(place: Folder, name: str, target: Folder, new_name: str) -> None:
    """Move a file, unless another process that applies the same commit was faster."""
    try:
        place.move(name, target, new_name)
    except WireloomError:
        if place.holds(name) or not target.holds(new_name):
            raise


# Staging -------------------------------------------------------------------------------------------------------------


def staging(place: Folder, attempt: str) -> Folder:
    """Return the folder in which an attempt writes its files for a folder."""
    return place.inside(LOG_FOLDER, "staging", attempt)


def staged_name(attempt: str, name: str) -> str:
    """Return the name of a file in the staging folder, relative to the folder that it is for."""
    return f"{LOG_FOLDER}/staging/{attempt}/{name}"


def clear_staging(place: Folder, wanted: Callable[[str], bool] = lambda attempt: True) -> None:
    """Remove the remains of attempts, and empty folders of the commit log."""
    stage = place.inside(LOG_FOLDER, "staging")
    for attempt in stage.names():
        if wanted(attempt):
            stage.delete(attempt)
    for each in ("staging", "pending", "commits"):
        place.inside(LOG_FOLDER, each).drop()
    place.inside(LOG_FOLDER).drop()


def clear_unfinished(place: Folder) -> None:
    """Remove files of a folder, but not of its subfolders, whose writing was interrupted. Nothing else may be writing
    there.
    """
    for name in place.names():
        if name.endswith(UNFINISHED):
            place.delete(name)


LISTINGS = 100
"""Number of times the folder is listed if commits are made meanwhile."""


def committed_files(table: str, location: Location | None = None) -> list[str]:
    """Return the sorted addresses of the files: all files of a commit or none, even if another process is committing.

    ``location``: options for access to an object store. The files remain in place until the table is replaced. Raises
    ``NothingThereError`` if there is no table, and ``WireloomError``.
    """
    place = folder(table, location)
    if place.kind() != "folder":
        raise NothingThereError("there is no table", path=table)
    log = CommitLog(place)
    for _ in range(LISTINGS):
        before = log.names(), log.pending_names()
        files = place.files()
        try:
            pending = log.pending()
        except WireloomError:
            # The commit was applied while it was read.
            continue
        if (log.names(), log.pending_names()) == before:
            return [place.child(name) for name in _whole(files, pending)]
    raise WireloomError("batches are committed faster than the folder can be listed: try again", path=table)


def _whole(files: Iterable[str], pending: Iterable[Commit]) -> list[str]:
    """Return the files without those of commits that are not completely in place, and without those that complete
    commits replace."""
    found = set(files)
    for record in pending:
        moved = {each.final for each in record.moves if each.place == TABLE}
        found -= {name for where, name in record.removes if where == TABLE} if moved <= found else moved
    return sorted(found)
