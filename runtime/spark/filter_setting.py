"""Whether Spark leaves filters to a reader. By itself, since every read asks for it and few read on."""

from __future__ import annotations

import sys

from pyspark.sql.datasource import DataSourceReader

WORKER = "pyspark.sql.worker.data_source_pushdown_filters"
"""The program that Spark plans a read with where ``spark.sql.python.filterPushdown.enabled`` is true."""


def is_enabled(choice: str) -> bool:
    """Whether this process plans a read that filters are to be left to. ``choice``: option ``pushFilters``.

    Spark refuses a reader that has ``pushFilters`` wherever its setting is false, and does not say which it is; but
    each of the two cases has a worker program of its own.

    Up to Spark 4.3 what was planned with the filters of one query is kept with the data frame, and read again by other
    queries of it, whatever their filters, so that rows are missing there. What can push limits does that no more.
    """
    if choice == "false" or (choice == "auto" and not hasattr(DataSourceReader, "pushLimit")):
        return False
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return WORKER in sys.modules or (main is not None and main.name == WORKER)
