"""The reports of the tasks of a streaming read, batch by batch (option ``reportFolder``; see ``read.task_reports``)."""

from __future__ import annotations

from ...input.inputs import Location
from ..folders import folder
from ..read.task_reports import TaskReports, count_by_reason, merge_reports


def folder_of(address: str, batch: int) -> str:
    """Return the folder to which the tasks of a batch write their reports and damaged records."""
    return f"{address.rstrip('/')}/batch-{batch:09d}"


class BatchReports:
    """The totals of the reports on the driver, from the first batch of this process on."""

    def __init__(self, address: str, location: Location) -> None:
        self._location = location
        self._address = address
        self._before = {"rows": 0, "damaged": 0}
        self._current: TaskReports | None = None
        self._batch = 0

    def begin(self, batch: int) -> None:
        """Begin a batch, or begin it again."""
        if self._current is not None and self._batch == batch:
            return
        self._before = self.totals() or self._before
        place = folder(folder_of(self._address, batch), self._location)
        # An earlier process may have read the same batch in more parts and left their reports when it died.
        place.remove()
        place.make()
        self._current, self._batch = TaskReports(place), batch

    def totals(self) -> dict[str, int]:
        """Return the number of good rows and damaged ranges so far; empty before the first batch."""
        if self._current is None:
            return {}
        self._current.refresh()
        reports = self._current.reports
        damaged = sum(sum(count_by_reason(each).values()) for each in merge_reports(reports))
        rows = sum(each["rows"] for each in reports)
        return {"rows": self._before["rows"] + rows, "damaged": self._before["damaged"] + damaged}
