"""What the tasks of a streaming read met, batch by batch (option ``reportFolder``; see ``read.task_reports``)."""

from __future__ import annotations

from ...input.inputs import Location
from ..folders import folder
from ..read.damaged_ranges import counted_losses
from ..read.task_reports import Findings, merged


def folder_of(address: str, batch: int) -> str:
    """Where the tasks of a batch leave their reports and damaged records."""
    return f"{address.rstrip('/')}/batch-{batch:09d}"


class BatchReports:
    """Sums them up on the driver, from the batch on with which this process began."""

    def __init__(self, address: str, location: Location | None = None) -> None:
        self._location = location
        self._address = address
        self._rows = 0
        self._damaged = 0
        self._current: Findings | None = None
        self._batch = 0

    def begin(self, batch: int) -> None:
        """A batch is about to be read, perhaps once more."""
        if self._current is not None and self._batch != batch:
            self._rows, self._damaged = self._sums()
        if self._current is None or self._batch != batch:
            place = folder(folder_of(self._address, batch), self._location)
            # What an earlier process left when it read the same batch, and died, may be in more parts.
            place.remove()
            place.make()
            self._current, self._batch = Findings(place), batch

    def totals(self) -> dict[str, int]:
        """Good rows and damaged ranges so far."""
        rows, damaged = self._sums()
        return {"rows": rows, "damaged": damaged}

    def _sums(self) -> tuple[int, int]:
        if self._current is None:
            return self._rows, self._damaged
        self._current.refresh()
        reports = self._current.reports
        damaged = sum(sum(counted_losses(each).values()) for each in merged(reports))
        return self._rows + sum(each["rows"] for each in reports), self._damaged + damaged
