"""wireloom in Spark: every format as a data source, and a pipeline from files to tables.

>>> import wireloom.spark
>>> wireloom.spark.register(spark)                                   # doctest: +SKIP
>>> spark.read.format("edgemq_segment").load("s3://…/segments/")     # doctest: +SKIP

Where Spark finds data sources by itself, ``register`` is not needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .ingest import IngestSummary, ingest
    from .session import local_session
    from .source import FormatSource
    from .watch import IngestProgress

__all__ = ["IngestProgress", "IngestSummary", "ingest", "local_session", "register", "sources"]

_LAZY = {
    "ingest": "ingest",
    "IngestProgress": "watch",
    "IngestSummary": "ingest",
    "local_session": "session",
}


def __getattr__(name: str) -> object:
    # Spark's workers import this package; they need neither the pipeline nor sessions.
    if name in _LAZY:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def sources() -> list[type[FormatSource]]:
    """The data source of every format that has one, by name."""
    from ..registry import formats, get
    from .source import FormatSource

    found: list[type[FormatSource]] = []
    for name in formats():
        try:
            module = importlib.import_module(f"{get(name).module}.spark")
        except ModuleNotFoundError:
            continue
        found += [
            each
            for each in vars(module).values()
            if isinstance(each, type) and issubclass(each, FormatSource) and each is not FormatSource
        ]
    return found


def register(spark: SparkSession) -> None:
    """Makes every format known to the session, for where Spark's own discovery does not find them."""
    for source in sources():
        spark.dataSource.register(source)
