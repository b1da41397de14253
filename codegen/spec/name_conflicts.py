"""Names that a format should not have: those of Spark's data sources, of Python's modules, and of imports in generated
code."""

from __future__ import annotations

import builtins
import sys

SPARK_SOURCES = frozenset(
    (
        # Spark's own; kafka, avro and protobuf are in packages that belong to Spark.
        *("avro", "binaryfile", "console", "csv", "hive", "image", "jdbc", "json", "kafka", "libsvm", "memory", "noop"),
        *("orc", "parquet", "protobuf", "rate", "socket", "statestore", "text", "xml"),
        # Table formats and databases whose connectors are often on the class path.
        *("bigquery", "cassandra", "delta", "deltasharing", "elasticsearch", "excel", "hbase", "hudi", "iceberg"),
        *("kudu", "lance", "mongodb", "paimon", "redshift", "snowflake", "teradata"),
    )
)
"""In lower case, since Spark ignores case."""

IMPORTED = frozenset(("wireloom", "pyarrow", "pyspark", "pytest", "kaitaistruct"))
"""Packages that generated code, or a test of it, imports."""


def spark_conflict(name: str) -> str | None:
    """Return a sentence about a name that is used by another data source of Spark; ``None`` if it is free.

    >>> spark_conflict("json")
    "Spark has another data source called 'json', so spark.read.format('json') would not be this format"
    """
    if name.lower() not in SPARK_SOURCES:
        return None
    return f"Spark has another data source called {name!r}, so spark.read.format({name!r}) would not be this format"


def python_conflict(name: str) -> str | None:
    """Return a sentence about a name of a Python module, or of a package that the code of a format imports: a package
    of that name hides the module from code that imports it or is located beside its folder. ``None`` if the name is
    free.

    >>> python_conflict("types")
    'Python has a module of that name, which the format would shadow'
    """
    if name in IMPORTED:
        return "its code imports a package of that name, which its folder would shadow"
    if name in sys.stdlib_module_names:
        return "Python has a module of that name, which the format would shadow"
    if hasattr(builtins, name):
        return "Python has a built-in of that name, which the format would shadow"
    return None
