"""The jobs that one thread starts, in Spark's own process or at a Spark Connect server: counted, and cancelled."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.shell.progress import ProgressHandler

NAME = "wireloom ingest"


class Jobs(Protocol):
    """The jobs of a thread."""

    def begin(self) -> None:
        """Called in the thread, before it starts any."""
        ...

    def end(self) -> None:
        """Called in the thread, behind the last one."""
        ...

    def tasks(self) -> int:
        """How many tasks they have, as far as that is known."""
        ...

    def cancel(self) -> None:
        """Ends them, where they can still be reached."""
        ...


def jobs_of(spark: SparkSession) -> Jobs:
    """Those of the next thread that begins."""
    return _ConnectJobs(spark) if is_connect(spark) else _LocalJobs(spark)


def is_connect(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, whose Java is in another process, perhaps on another machine."""
    # What the class stands on is not installed where there is no Spark Connect.
    return type(spark).__module__.startswith("pyspark.sql.connect.")


class _LocalJobs:
    """By a job group: the tasks are interrupted, which does not happen to those that have a tag only."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self._group = f"{NAME} {secrets.token_hex(4)}"

    def begin(self) -> None:
        self._context.setJobGroup(self._group, NAME, interruptOnCancel=True)

    def end(self) -> None:
        """The group ends with the thread."""

    def tasks(self) -> int:
        tracker = self._context.statusTracker()
        count = 0
        for job in tracker.getJobIdsForGroup(self._group):
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info is not None else ():
                details = tracker.getStageInfo(stage)
                count += details.numTasks if details is not None else 0
        return count

    def cancel(self) -> None:
        # Java may be gone, which is not what the caller is to hear of first.
        with suppress(Exception):
            self._context.cancelJobGroup(self._group)


class _ConnectJobs:
    """By a tag; the server tells how many tasks there are."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._tag = f"wireloom-ingest-{secrets.token_hex(4)}"
        self._stages: dict[Any, int] = {}

    def begin(self) -> None:
        self._spark.addTag(self._tag)
        self._spark.registerProgressHandler(cast("ProgressHandler", self._told))

    def end(self) -> None:
        self._spark.removeProgressHandler(cast("ProgressHandler", self._told))

    def _told(self, stages: Any = (), **_: Any) -> None:
        self._stages.update((each.stage_id, each.num_tasks) for each in stages or ())

    def tasks(self) -> int:
        return sum(self._stages.values())

    def cancel(self) -> None:
        with suppress(Exception):
            self._spark.interruptTag(self._tag)
