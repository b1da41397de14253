"""Runs a Spark job and tells how far it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...base import errors
from ...base.errors import WireloomError
from ..read.task_reports import Findings
from .failures import disk_is_full, full
from .jobs import jobs_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .jobs import Jobs

ABORT_SECONDS = 30.0
"""How long an interrupted job may take to clean up."""
_ERRORS = f"{errors.__name__}."


@dataclass(frozen=True)
class IngestProgress:
    """How far it is: ``tasks`` of ``all_tasks`` are done (0: not known yet); and what those have read."""

    tasks: int
    all_tasks: int
    rows: int
    bytes: int
    damaged: int
    seconds: float


class Watch:
    """Runs the job in a thread and tells the caller's how far it is."""

    def __init__(
        self,
        spark: SparkSession,
        findings: Findings,
        progress: Callable[[IngestProgress], None] | None,
        started: float,
        pause: float,
    ) -> None:
        self._spark = spark
        self._findings = findings
        self._progress = progress
        self._started = started
        self._pause = pause
        self._error: BaseException | None = None

    def run(self, job: Callable[[], None]) -> None:
        """Returns when the job is done. Raises what it raised, in brief; an interrupt cancels it."""
        from pyspark import inheritable_thread_target

        jobs = jobs_of(self._spark)

        def work() -> None:
            try:
                jobs.begin()
                try:
                    job()
                finally:
                    jobs.end()
            except BaseException as error:
                self._error = error

        thread = threading.Thread(target=inheritable_thread_target(self._spark)(work), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(self._pause)
                self._tell(jobs)
        except BaseException:
            jobs.cancel()
            # Spark takes away what its tasks have written so far.
            thread.join(ABORT_SECONDS)
            raise
        if self._error is not None:
            with in_brief():
                raise self._error
        self._tell(jobs)

    def _tell(self, jobs: Jobs) -> None:
        if self._progress is None:
            return
        tasks = jobs.tasks()
        self._findings.refresh()
        reports = self._findings.reports
        self._progress(
            IngestProgress(
                tasks=self._findings.partitions,
                all_tasks=max(tasks, self._findings.partitions),
                rows=sum(each["rows"] for each in reports),
                bytes=sum(each["bytes"] for each in reports),
                damaged=sum(len(each["damaged"]) for each in reports),
                seconds=time.monotonic() - self._started,
            )
        )


@contextmanager
def in_brief() -> Iterator[None]:
    """Raises what wireloom said in a task, or while it planned, in place of Spark's account of it."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        said = _said(str(error))
        if said is not None:
            raise said from None
        if disk_is_full(error):
            raise full(error) from error
        raise


def _said(told: str) -> WireloomError | None:
    for line in told.splitlines():
        name, colon, message = line.strip().partition(": ")
        if colon and name.startswith(_ERRORS):
            kind = getattr(errors, name.removeprefix(_ERRORS), None)
            if isinstance(kind, type) and issubclass(kind, WireloomError):
                return kind(message)
    return None
