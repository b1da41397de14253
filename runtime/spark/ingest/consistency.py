"""Consistency of a table, its ledger and its quarantine.

The ledger says which inputs are done, and its numbers say which commits the log of a Delta or Iceberg table has.
Without it, or with that of another table or of another time, a run would take files for done that are not in the table,
or read files again that are. Files that no ingest has written are neither appended to nor replaced unasked.
"""

from __future__ import annotations

import os
import re

from ...base.addresses import same_for_all
from ...base.errors import WireloomError
from ..folders import Folder, folder
from ..write.commit_log import LOG_FOLDER
from .catalogs import Catalog
from .ledger import Ledger, record_name

ADVICE = (
    f"restore its {LOG_FOLDER} as it was, ingest to another table, or replace this one with overwrite, which reads all "
    "files again"
)
QUARANTINE_ADVICE = "name a folder that only has quarantines"
_OURS = re.compile(r"(?:.*/)?part-[0-9]{9}-([0-9a-f]{8})-[0-9a-f]{8}(?:-[0-9]{5})?\.[^/]*")


def part_name(number: int, attempt: str, index: int, ending: str) -> str:
    """Return the name of a file of a table: of which commit, which attempt, and which of its files."""
    return f"part-{record_name(number)}-{attempt}-{index:05d}{ending}"


def mark_of(name: str) -> str | None:
    """Return the mark of the table that a file of a table or a quarantine belongs to; ``None`` where no ingest has
    written it."""
    found = _OURS.fullmatch(name)
    return None if found is None else found.group(1)


def check_no_others(place: Folder, advice: str) -> None:
    """Raise ``WireloomError`` where a folder has files that no ingest has written."""
    other = next((name for name in place.files() if mark_of(name) is None), None)
    if other is not None:
        raise WireloomError(
            f"has files that ingest has not written, such as {other}", path=place.address, advice=advice
        )


def check_quarantine(table: str, quarantine: Folder, ledger: Ledger) -> None:
    """Raise ``WireloomError`` where damaged records of earlier runs are in another quarantine, or where the folder has
    other files. ``table``: the address as the ledger has it."""
    known = ledger.quarantines.get(table)
    if known is None:
        check_no_others(quarantine, QUARANTINE_ADVICE)
    elif known != absolute_address(quarantine) and folder(known, quarantine.location).kind() != "nothing":
        raise WireloomError(
            f"the damaged records of earlier runs are in {known}",
            path=quarantine.address,
            advice="name that quarantine, or move its folder here first, so that all of them are in one place",
        )


def absolute_address(place: Folder) -> str:
    """Return an address that means the same in every folder that a later process may run in."""
    return same_for_all(place.address).rstrip("/") if place.remote else os.path.abspath(place.path)


def check_consistency(table: Folder, catalog: Catalog | None, ledger: Ledger) -> None:
    """Raise ``WireloomError`` where the table has commits of an ingest that the ledger does not have, or the ledger
    has some that the table's log does not have. ``catalog``: ``None`` for plain Parquet, which has no log."""
    published = None if catalog is None else catalog.published(table, ledger.identity)
    place, reason = f"the ledger in {LOG_FOLDER}", ""
    if not ledger.last:
        if published is not None or any(map(mark_of, table.files())):
            reason = (
                f"ingest has filled this table, and its ledger ({LOG_FOLDER}) is gone: which files are done is unknown"
            )
    elif catalog is None or published == ledger.last:
        return
    elif published is None:
        # Commits without rows need no table.
        if table.files():
            reason = f"{place} has {ledger.last} commits, and the log of the table has none of them"
    elif published == 0:
        reason = f"the log of the table has commits of an ingest, but none of {place}"
    else:
        reason = (
            f"{place} ends with commit {ledger.last}, and the log of the table with commit {published} of that ledger: "
            "one of them is of another time"
        )
    if reason:
        raise WireloomError(reason, path=table.address, advice=ADVICE)
