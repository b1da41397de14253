"""The files of a table of plain Parquet that belong to whole batches.

Readers of a folder take what is there. While a commit moves its files to their places, that may be a part of a batch;
a reader that must not see that asks here for the files, and reads those.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...base.errors import NothingThereError, WireloomError
from ...input.inputs import Location
from ..folders import folder
from ..write.commit_log import TABLE, Commit, CommitLog

ATTEMPTS = 100
"""How often the folder is listed again because a commit was made meanwhile."""


def committed_files(table: str, location: Location | None = None) -> list[str]:
    """Return the addresses of the files, sorted: of each commit all or none, whatever another process is doing now.

    ``location``: how to reach an object store. The files stay where they are until the table is replaced. Raises
    ``NothingThereError`` where there is no table, and ``WireloomError``.
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
            # It was applied while it was read.
            continue
        if (log.names(), log.pending_names()) == before:
            return [place.child(name) for name in _whole(files, pending)]
    raise WireloomError("batches are committed faster than the folder can be listed: try again", path=table)


def _whole(files: Iterable[str], pending: Iterable[Commit]) -> list[str]:
    """Return the files without those of a commit of which some are not in place yet, else without what it replaces."""
    found = set(files)
    for record in pending:
        moved = {each.final for each in record.moves if each.place == TABLE}
        found -= {name for where, name in record.removes if where == TABLE} if moved <= found else moved
    return sorted(found)
