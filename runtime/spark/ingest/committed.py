"""The files of a table of plain Parquet that belong to whole batches.

Readers of a folder take what is there. While a commit moves its files to their places, that may be a part of a batch;
who must not see that asks here for the files, and reads those.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...base.errors import NothingThereError, WireloomError
from ...input.inputs import Location
from ..folders import folder
from ..write.commit_log import TABLE, Journal, Record

ATTEMPTS = 100
"""How often it is looked again because a commit was made meanwhile."""


def committed_files(table: str, location: Location | None = None) -> list[str]:
    """Addresses of the files, sorted: those of a commit all or none of them, whatever another process is doing now.

    ``location``: how to reach an object store. The files stay where they are until the table is replaced. Raises
    ``NothingThereError`` where there is no table, and ``WireloomError``.
    """
    place = folder(table, location)
    if place.kind() != "folder":
        raise NothingThereError("there is no table", path=table)
    journal = Journal(place)
    for _ in range(ATTEMPTS):
        before = journal.state()
        files = place.files()
        try:
            undone = journal.pending()
        except WireloomError:
            # It was carried out while it was read.
            continue
        if journal.state() == before:
            return [place.child(name) for name in _whole(files, undone)]
    raise WireloomError("batches are committed faster than the folder can be listed: try again", path=table)


def _whole(files: Iterable[str], undone: Iterable[Record]) -> list[str]:
    """The table as it was before a commit whose files are not all in their places, else as it is behind it."""
    found = set(files)
    for record in undone:
        moved = {each.final for each in record.moves if each.place == TABLE}
        found -= {name for where, name in record.removes if where == TABLE} if moved <= found else moved
    return sorted(found)
