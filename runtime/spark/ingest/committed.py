"""Lists the files of a table of plain Parquet that belong to complete batches.

Readers of a folder read all files that it contains, which may be a part of a batch while a commit moves its files into
place. A reader that must not see such a state gets the list of files here, and reads those.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...base.errors import NothingThereError, WireloomError
from ...input.inputs import Location
from ..folders import folder
from ..write.commit_log import TABLE, Commit, CommitLog

ATTEMPTS = 100
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
    for _ in range(ATTEMPTS):
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
