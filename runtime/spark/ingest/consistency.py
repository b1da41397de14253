"""Consistency of a table and its ledger.

The ledger says which inputs are done, and its numbers say which commits the log of a Delta or Iceberg table has.
Without it, or with that of another table or of another time, a run would take files for done that are not in the table,
or read files again that are.
"""

from __future__ import annotations

import re

from ...base.errors import WireloomError
from ..folders import Folder
from ..write.commit_log import LOG_FOLDER
from .catalogs import Catalog
from .ledger import Ledger, record_name

ADVICE = (
    f"restore its {LOG_FOLDER} as it was, ingest to another table, or replace this one with overwrite, which reads all "
    "files again"
)
_OURS = re.compile(r"(?:.*/)?part-[0-9]{9}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9]{5}\.[^/]*")


def part_name(number: int, attempt: str, index: int, ending: str) -> str:
    """Return the name of a file of a table: of which commit, which attempt, and which of its files."""
    return f"part-{record_name(number)}-{attempt}-{index:05d}{ending}"


def check_consistency(table: Folder, catalog: Catalog | None, ledger: Ledger) -> None:
    """Raise ``WireloomError`` where the table has commits of an ingest that the ledger does not have, or the ledger
    has some that the table's log does not have. ``catalog``: ``None`` for plain Parquet, which has no log."""
    published = None if catalog is None else catalog.published(table, ledger.identity)
    place, reason = f"the ledger in {LOG_FOLDER}", ""
    if not ledger.last:
        if published is not None or any(_OURS.fullmatch(name) for name in table.files()):
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
