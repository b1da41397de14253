"""Runs a Spark job and reports its progress, in Spark's own process or in a Spark Connect server."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from ...base.dataclass import dataclass
from ..read.task_reports import TaskReports
from .failures import unwrap_task_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.shell.progress import ProgressHandler

    from ..folders import Folder

NAME = "wireloom ingest"


def is_connect(spark: SparkSession) -> bool:
    """Return whether a session is one of Spark Connect, whose Java may run on another machine."""
    # The dependencies of the class are not installed without Spark Connect.
    return type(spark).__module__.startswith("pyspark.sql.connect.")


class _LocalJobs:
    """Jobs in a job group. Cancelling interrupts their tasks, unlike those of jobs that only have a tag."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self._group = f"{NAME} {secrets.token_hex(4)}"

    def begin(self) -> None:
        """Mark the jobs of this thread; called before it starts any."""
        self._context.setJobGroup(self._group, NAME, interruptOnCancel=True)

    def end(self) -> None:
        """Remove the mark, after the last job. The group ends with the thread."""

    def tasks(self) -> int:
        """Return the number of tasks of the jobs, as far as it is known."""
        tracker = self._context.statusTracker()
        count = 0
        for job in tracker.getJobIdsForGroup(self._group):
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info is not None else ():
                details = tracker.getStageInfo(stage)
                count += details.numTasks if details is not None else 0
        return count

    def cancel(self) -> None:
        """Cancel the jobs, if Spark can still be reached."""
        # If Java is gone, the caller has to see the job's error instead.
        with suppress(Exception):
            self._context.cancelJobGroup(self._group)


class _ConnectJobs:
    """Jobs with a tag; the server reports the number of their tasks."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._tag = f"wireloom-ingest-{secrets.token_hex(4)}"
        self._stages: dict[Any, int] = {}
        self._handler = cast("ProgressHandler", self._update)

    def begin(self) -> None:
        self._spark.addTag(self._tag)
        self._spark.registerProgressHandler(self._handler)

    def end(self) -> None:
        self._spark.removeProgressHandler(self._handler)

    def _update(self, stages: Any = (), **_: Any) -> None:
        self._stages.update((each.stage_id, each.num_tasks) for each in stages or ())

    def tasks(self) -> int:
        return sum(self._stages.values())

    def cancel(self) -> None:
        with suppress(Exception):
            self._spark.interruptTag(self._tag)


def jobs_of(spark: SparkSession) -> _LocalJobs | _ConnectJobs:
    """Return the jobs of the next thread that calls ``begin``."""
    return _ConnectJobs(spark) if is_connect(spark) else _LocalJobs(spark)


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
