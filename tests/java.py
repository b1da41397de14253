"""Java, and sessions of Spark, that start quickly in separate processes.

``python -m tests.java`` makes an archive of the classes that Spark loads when it starts, reads and writes (class data
sharing): with it, Java starts a session in about half the time. ``make setup`` makes it next to the environment's
packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
"""The archive. Java ignores one of another version, and one of other jars."""


def java_options(*more: str) -> str:
    """Return options with which Java does not optimise short-lived code, keeps all code that it has compiled, and loads
    classes from the archive if there is one."""
    # Without the optimising compiler, Java reserves 48 MB for compiled code. The suite fills them, and what Java then
    # drops is interpreted and compiled again.
    options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=192m"]
    if ARCHIVE.exists():
        # Processes with other jars, such as the one that composes Spark's command line, would warn of a mismatch.
        silent = [f"-Xlog:{each}=off" for each in ("cds", "cds+dynamic", "class+path")]
        options += [f"-XX:SharedArchiveFile={ARCHIVE}", *silent]
    return " ".join([*options, *more])


QUICK_JAVA = {"JDK_JAVA_OPTIONS": java_options()}
"""An environment in which Java starts quickly."""

PRELOADING = str(Path(__file__).with_name("spark") / "preloading")
"""The folder of the ``sitecustomize`` of Spark's Python processes."""

QUICK_SPARK = {**QUICK_JAVA, "PYTHONPATH": os.pathsep.join(filter(None, [PRELOADING, os.environ.get("PYTHONPATH")]))}
"""The same; in addition, Spark's Python processes import what they need before they are forked."""

FORK_SERVER = "WIRELOOM_FORK_SERVER"
"""The variable with the address of a running fork server, from which Spark's Python processes are then forked."""


@contextmanager
def fork_server() -> Iterator[None]:
    """Start a process from which Spark's Python processes are forked, and name it in the environment."""
    with tempfile.TemporaryDirectory() as folder:
        address = os.path.join(folder, "socket")
        # Spark's Python processes have this seed too.
        environment = {**os.environ, **QUICK_SPARK, "PYTHONHASHSEED": "0"}
        process = subprocess.Popen(
            [sys.executable, "-m", "fork_server", address], env=environment, stdout=subprocess.PIPE, cwd=folder
        )
        with process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline(), "the fork server has ended"
                os.environ[FORK_SERVER] = address
                yield
            finally:
                os.environ.pop(FORK_SERVER, None)
                process.kill()


EXERCISE = """
import sys
from pathlib import Path
from wireloom.spark.session import start

folder = Path(sys.argv[1])
session = start("classes", cores=1, settings={"spark.driver.extraJavaOptions": sys.argv[2]})
rows = session.range(10).selectExpr("id", "cast(id as string) as text")
rows.write.parquet(str(folder / "rows"))
read = session.read.schema(rows.schema).parquet(str(folder / "rows"))
read.where("id > 3").groupBy("text").count().orderBy("text").collect()
stream = session.readStream.schema(rows.schema).parquet(str(folder / "rows"))
writer = stream.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
writer.trigger(availableNow=True).foreachBatch(lambda frame, number: frame.count()).start().awaitTermination()
session.stop()
"""


def make_archive() -> None:
    """Make the archive; a Java that cannot is no error, since everything works without it."""
    ARCHIVE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        options = java_options(f"-XX:ArchiveClassesAtExit={ARCHIVE}", "-Xlog:disable")
        done = subprocess.run(
            [sys.executable, "-c", EXERCISE, folder, options], capture_output=True, text=True, check=False
        )
    if done.returncode or not ARCHIVE.exists():
        print(f"Java makes no archive of Spark's classes, so the tests take longer: {done.stderr[-300:]}")


if __name__ == "__main__":
    make_archive()
