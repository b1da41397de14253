"""The jobs that one thread starts, in Spark's own process or in a Spark Connect server: counts their
tasks and cancels them."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.shell.progress import ProgressHandler

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
