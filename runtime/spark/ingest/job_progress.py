"""Runs a Spark job and reports its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..read.task_reports import TaskReports
from .failures import unwrap_task_errors
from .jobs import jobs_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..folders import Folder

ABORT_SECONDS = 30.0
"""Maximum time in seconds for which an interrupted job may clean up."""


@dataclass(frozen=True)
class IngestProgress:
    """The progress of an ingest: ``tasks`` of ``all_tasks`` are done (0: not known yet), with the totals
    of what they have read."""

    tasks: int
    all_tasks: int
    rows: int
    bytes: int
    damaged: int
    seconds: float


def run_job(
    spark: SparkSession,
    job: Callable[[], None],
    reports: Folder,
    progress: Callable[[IngestProgress], None] | None,
    started: float,
    pause: float,
) -> None:
    """Run a job in a thread; meanwhile call ``progress`` every ``pause`` seconds with the reports of its tasks.

    Raises the job's own error instead of Spark's error that contains it; an interrupt cancels the job.
    """
    from pyspark import inheritable_thread_target

    jobs, found = jobs_of(spark), TaskReports(reports)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            jobs.begin()
            try:
                job()
            finally:
                jobs.end()
        except BaseException as error:
            errors.append(error)

    def tell() -> None:
        if progress is None:
            return
        tasks = jobs.tasks()
        found.refresh()
        progress(
            IngestProgress(
                tasks=found.partitions,
                all_tasks=max(tasks, found.partitions),
                rows=sum(each["rows"] for each in found.reports),
                bytes=sum(each["bytes"] for each in found.reports),
                damaged=sum(len(each["damaged"]) for each in found.reports),
                seconds=time.monotonic() - started,
            )
        )

    thread = threading.Thread(target=inheritable_thread_target(spark)(work), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(pause)
            tell()
    except BaseException:
        jobs.cancel()
        # Spark removes the files that its tasks have written so far.
        thread.join(ABORT_SECONDS)
        raise
    if errors:
        with unwrap_task_errors():
            raise errors[0]
    tell()
