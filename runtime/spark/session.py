"""Starts local Spark sessions with settings that suit wireloom."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .java import prepare_java
from .registration import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_OPTIONS = "spark.driver.extraJavaOptions"

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    # Times in the input are instants and are displayed in UTC.
    "spark.sql.session.timeZone": "UTC",
    # Other Parquet readers accept this time type directly; Spark's default is a type that Parquet has deprecated.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # With TCP, each task, and each call to Python during planning, waits 40 ms for a delayed acknowledgement.
    "spark.python.unix.domain.socket.enabled": "true" if os.name == "posix" else "false",
    # Without it, rows are sorted by the table's partition columns before they are written.
    "spark.sql.maxConcurrentOutputFileWriters": "32",
}
"""Settings of a quiet local session without a web interface."""
WRITTEN = ("spark.sql.session.timeZone", "spark.sql.parquet.outputTimestampType")
"""The subset of settings that affect what is written; these are also applied to sessions that were not started here."""


def local_session(
    name: str = "wireloom", *, cores: int | str = "*", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """Return the active session, or a new local one (see ``start``), with every format registered."""
    session = start(name, cores=cores, settings=settings)
    register(session)
    return session


def start(name: str = "wireloom", *, cores: int | str = "*", settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return the active session, or a new local one on ``cores`` processor cores.

    ``settings`` are Spark settings, which override wireloom's own; Java options are appended to wireloom's. Raises
    ``UnsupportedError`` with a one-sentence message if Java is missing.
    """
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    prepare_java()
    # Spark starts its Python workers and discovers data sources with this interpreter.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    wanted = {**SETTINGS, **(settings or {})}
    wanted[JAVA_OPTIONS] = f"{_quiet_logging()} {wanted.get(JAVA_OPTIONS, '')}".strip()
    builder = SparkSession.builder.appName(name).master(f"local[{cores}]")
    for key, value in wanted.items():
        builder = builder.config(key, value)
    before = _children()
    try:
        return builder.getOrCreate()
    except BaseException as error:
        _end_java(error, before)
        raise


def _end_java(error: BaseException, before: set[int]) -> None:
    """End the Java process that was being started when ``error`` was raised. pyspark does not end it, and it would
    stay: the file in which it reports its port can no longer be written. ``before``: the processes that had been
    started before."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for each in frame.f_locals.values():
            if not isinstance(each, subprocess.Popen):
                continue
            if each.pid is not None:
                each.kill()
                continue
            # An interrupt came before Python noted the number of the new process.
            for pid in _children() - before:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _children() -> set[int]:
    """Return the processes that this one has started; none where the system does not tell."""
    texts: list[str] = []
    with suppress(OSError):
        texts = [each.read_text() for each in Path("/proc/self/task").glob("*/children")]
    return {int(pid) for text in texts for pid in text.split()}


def session_elsewhere(name: str, address: str | None = None) -> SparkSession:
    """Return the session of the job as which this process was submitted, or a session of the Spark Connect server at
    ``address``, with every format registered.
    """
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    if address is not None:
        builder = builder.remote(address)
    for key in WRITTEN:
        builder = builder.config(key, SETTINGS[key])
    session = builder.getOrCreate()
    register(session)
    return session


def _quiet_logging() -> str:
    """Return the Java option for a logging configuration that suppresses the messages Spark logs before its log level
    applies.
    """
    configuration = Path(__file__).with_name("log4j2.properties")
    return f"-Dlog4j2.configurationFile={configuration.as_uri()}" if configuration.is_file() else ""
