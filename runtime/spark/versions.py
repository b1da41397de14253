"""The differences between the versions of PySpark."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from pyspark import __version__

from ..base.errors import UnsupportedError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import ArrayType, StructType

LOWEST = (4, 0)
"""The first version with data sources in Python."""
FUNCTIONS = (4, 1)
"""The first version whose functions of columns in Python process Arrow arrays."""
STREAMS = (4, 2)
"""The first version whose streams in Python tell a source where a batch begins and how much it may read."""


def is_at_least(lowest: tuple[int, ...]) -> bool:
    """Return whether this version of PySpark is ``lowest`` or a later one."""
    return tuple(int(each) for each in __version__.split(".")[:2]) >= lowest


def _check(lowest: tuple[int, ...], what: str, advice: str = "") -> None:
    if not is_at_least(lowest):
        wanted = ".".join(map(str, lowest))
        raise UnsupportedError(
            f"{what} PySpark {wanted} or newer, and this is {__version__}: {advice}pip install 'pyspark>={wanted}'"
        )


def check_version() -> None:
    """Raise ``UnsupportedError`` if this version of PySpark is too old."""
    _check(LOWEST, "wireloom needs")


def check_streams() -> None:
    """Raise ``UnsupportedError`` if sources in Python have no batches of limited size in this version of PySpark."""
    _check(STREAMS, "streams need", "read the files as a batch, or ")


def check_functions() -> None:
    """Raise ``UnsupportedError`` if functions of columns cannot process Arrow arrays in this version of PySpark."""
    _check(FUNCTIONS, "from_wire and to_wire need", "use explode_wire, or ")


def to_arrow_schema(schema: StructType) -> pa.Schema:
    """Return the Arrow schema of Spark's batches of these columns."""
    from pyspark.sql.pandas.types import to_arrow_schema

    # Up to version 4.1, times are in UTC unless that is turned off.
    utc: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
    return to_arrow_schema(schema, **utc)


def to_arrow_type(kind: ArrayType) -> pa.DataType:
    """Return the Arrow type of Spark's batches of a column."""
    from pyspark.sql.types import StructField, StructType

    return to_arrow_schema(StructType([StructField("", kind)])).field(0).type


def from_arrow_schema(schema: pa.Schema) -> StructType:
    """Return the Spark schema of an Arrow schema. Times without a zone have none in Spark either."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema, prefer_timestamp_ntz=True)
