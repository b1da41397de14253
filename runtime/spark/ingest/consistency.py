"""Consistency of a table, its ledger and its quarantine.

The ledger contains the inputs that are done, and its commit numbers are compared with the log of a Delta or Iceberg
table. If the ledger were missing, or were that of another table or another point in time, a run would skip files that
are not in the table, or read files again that are. Files that were not written by an ingest are neither appended to nor
replaced unless requested.
"""

from __future__ import annotations

import os
import re

from ...base.addresses import same_for_all
from ...base.errors import WireloomError
from ..folders import Folder, folder
from ..write.commit_log import LOG_FOLDER
from .catalogs import TableCatalog
from .ledger import Ledger, record_name

ADVICE = (
    f"restore its {LOG_FOLDER}, ingest to another table, or replace this one with overwrite, which reads all "
    "files again"
)
LOST = (
    f"this table was written by ingest, but its ledger ({LOG_FOLDER}) is missing: it is unknown which files were read"
)
QUARANTINE_ADVICE = "name a folder that contains only quarantines"
_OURS = re.compile(r"(?:.*/)?part-([0-9]{9})-([0-9a-f]{8})-[0-9a-f]{8}(?:-[0-9]{5})?\.[^/]*")


def part_name(number: int, attempt: str, index: int, ending: str) -> str:
    """Return the name of a file of a table, from its commit, its attempt and its index."""
    return f"part-{record_name(number)}-{attempt}-{index:05d}{ending}"


def mark_of(name: str) -> str | None:
    """Return the mark of the table to which a file of a table or a quarantine belongs; ``None`` if the file was not
    written by an ingest."""
    found = _OURS.fullmatch(name)
    return None if found is None else found.group(2)


def _number(name: str) -> int:
    """Return the number of the commit that wrote a file; 0 if the file was not written by an ingest."""
    found = _OURS.fullmatch(name)
    return 0 if found is None else int(found.group(1))


def check_no_others(directory: Folder, advice: str) -> None:
    """Raise ``WireloomError`` if a folder has files that were not written by an ingest."""
    other = next((name for name in directory.files() if mark_of(name) is None), None)
    if other is not None:
        raise WireloomError(
            f"contains files that ingest did not write, such as {other}", path=directory.address, advice=advice
        )


def check_kind(table: Folder, ledger: Ledger, kind: str) -> None:
    """Raise ``WireloomError`` where the table is of another kind, even if it is to be replaced: its log, which only
    its own kind knows, would name files that are gone."""
    there = ledger.shape
    if there is not None and there.to != kind:
        raise WireloomError(
            f"the table is of kind {there.to}, not {kind}",
            path=table.address,
            advice=f"write to it as {there.to} (option to), or name another table",
        )


def check_quarantine(table: str, quarantine: Folder, ledger: Ledger) -> None:
    """Raise ``WireloomError`` if damaged records of earlier runs are in another quarantine, or if the folder has other
    files. ``table``: the table's address in the ledger."""
    known = ledger.quarantines.get(table)
    if known is None:
        check_no_others(quarantine, QUARANTINE_ADVICE)
    elif known != absolute_address(quarantine) and folder(known, quarantine.location).kind() != "nothing":
        raise WireloomError(
            f"the damaged records of earlier runs are in {known}",
            path=quarantine.address,
            advice="name that quarantine, or move its folder here first",
        )


def absolute_address(directory: Folder) -> str:
    """Return an address that is independent of the working directory."""
    return same_for_all(directory.address).rstrip("/") if directory.remote else os.path.abspath(directory.path)


def check_catalog(table: Folder, catalog: TableCatalog, ledger: Ledger) -> None:
    """Raise ``WireloomError`` if the log of a Delta or Iceberg table has commits of an ingest that are missing in the
    ledger, or the ledger has commits that are missing in the table's log."""
    published = catalog.published(table, ledger.identity)
    ledger_name, reason = f"the ledger in {LOG_FOLDER}", ""
    if not ledger.last:
        if published is not None or any(map(mark_of, table.files())):
            reason = LOST
    elif published == ledger.last:
        return
    elif published is None:
        # Commits without rows need no table.
        if ledger.newest or table.files():
            reason = f"{ledger_name} has {ledger.last} commits, but the table's log has none of them"
    elif published == 0:
        reason = f"the table's log has commits of an ingest, but {ledger_name} has none"
    else:
        reason = (
            f"{ledger_name} ends with commit {ledger.last}, but the table's log ends with commit {published} of "
            "that ledger: one of them is out of date"
        )
    if reason:
        raise WireloomError(reason, path=table.address, advice=ADVICE)


def check_files(table: Folder, quarantine: Folder | None, mark: str, ledger: Ledger) -> None:
    """Raise ``WireloomError`` if a table of plain Parquet, or its quarantine, has files that no commit of the ledger
    names, or lacks all files of the ledger's newest commit with rows: then the ledger is that of another day or of
    another table. ``mark``: the mark of the table's address.
    """
    there = table.files()
    ledger_name, reason = f"the ledger in {LOG_FOLDER}", ""
    marks = {mark, *map(mark_of, there)}
    damaged = {} if quarantine is None else quarantine.files()
    # The records that the snapshot replaces have left only their number.
    other = next(
        (
            name
            for name in [*there, *(each for each in damaged if mark_of(each) in marks - {None})]
            if _number(name) > ledger.snapshot and name not in ledger.written
        ),
        None,
    )
    if other is not None:
        reason = (
            f"no commit of {ledger_name}, which ends with commit {ledger.last}, names {other}" if ledger.last else LOST
        )
    elif ledger.newest == [] and any(map(mark_of, there)):
        reason = f"{ledger_name} has no commit with rows, but the table has files of an ingest"
    elif ledger.newest and not any(name in there for name in ledger.newest):
        reason = f"{ledger_name} has a commit that wrote {ledger.newest[0]}, which is not in the table"
    if reason:
        raise WireloomError(
            reason if reason == LOST else f"{reason}: one of them is out of date, or of another table",
            path=table.address,
            advice=ADVICE,
        )
