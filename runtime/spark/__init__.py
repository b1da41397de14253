"""wireloom in Spark: every format as a data source, and a pipeline from files to tables.

>>> import wireloom.spark
>>> wireloom.spark.register(spark)                                   # doctest: +SKIP
>>> spark.read.format("edgemq_segment").load("s3://…/segments/")     # doctest: +SKIP

Where Spark finds data sources by itself, ``register`` is not needed. ``wireloom.spark.ingest`` holds the pipeline,
``wireloom.spark.session`` makes a session on this machine.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING

from ..errors import WireloomError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .source import FormatSource

__all__ = ["register", "sources"]


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
        except WireloomError as error:
            # One installed package that does not fit must not take the others away.
            warnings.warn(f"{name} is left out: {error}", stacklevel=3)
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
