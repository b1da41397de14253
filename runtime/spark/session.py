"""A local Spark session with the settings that suit wireloom."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
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
    # Times on the wire are instants; they are shown as such.
    "spark.sql.session.timeZone": "UTC",
    # Times that other readers of Parquet take without ado; Spark's default is a type that Parquet has given up.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Over TCP each task, and each question to Python while a query is planned, waits 40 ms for an acknowledgement.
    "spark.python.unix.domain.socket.enabled": "true" if os.name == "posix" else "false",
    # Without it, rows are sorted by the table's partition columns before they are written.
    "spark.sql.maxConcurrentOutputFileWriters": "32",
}
"""Quiet, local, and without a web page."""
WRITTEN = ("spark.sql.session.timeZone", "spark.sql.parquet.outputTimestampType")
"""Those of them that say what is written; in a session elsewhere, all else is not ours to say."""


def local_session(
    name: str = "wireloom", *, cores: int | str = "*", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """Return the session that is active, or a new local one (see ``start``), with every format registered."""
    session = start(name, cores=cores, settings=settings)
    register(session)
    return session


def start(name: str = "wireloom", *, cores: int | str = "*", settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return the session that is active, or a new local one on ``cores`` processor cores.

    ``settings`` are Spark's and replace wireloom's own; Java's options are put after them. Raises ``UnsupportedError``
    with one sentence where Java is missing.
    """
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    prepare_java()
    # Spark starts its Python workers, and looks for data sources, with what this names.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    wanted = {**SETTINGS, **(settings or {})}
    wanted[JAVA_OPTIONS] = f"{_quiet_logging()} {wanted.get(JAVA_OPTIONS, '')}".strip()
    builder = SparkSession.builder.appName(name).master(f"local[{cores}]")
    for key, value in wanted.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def session_elsewhere(name: str, address: str | None = None) -> SparkSession:
    """Return the session of the job that this process was submitted as, or one at the server of Spark Connect at
    ``address``, with every format registered."""
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
    """Spark's own start-up lines come before its log level applies; a logging configuration stops them."""
    configuration = Path(__file__).with_name("log4j2.properties")
    return f"-Dlog4j2.configurationFile={configuration.as_uri()}" if configuration.is_file() else ""
