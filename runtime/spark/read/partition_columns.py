"""Partition columns from folders named ``key=value``, as in tables of Hive and Spark."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyspark.sql.types import DataType, DateType, IntegerType, LongType, StringType

from ...base.addresses import local_path
from ...base.errors import WireloomError

if TYPE_CHECKING:
    from ..options import ReadOptions

NULL = "__HIVE_DEFAULT_PARTITION__"
"""The folder value that represents null."""

_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def folder_values(path: str, base: str | None = None) -> dict[str, str | None]:
    """Return the values of all such folders of a path by key, outermost first, below ``base`` if given.

    >>> folder_values("s3://logs/day=2026-03-01/host=a%2Fb/x=1.log")
    {'day': '2026-03-01', 'host': 'a/b'}
    """
    if base is not None:
        outer = local_path(base).rstrip("/") + "/"
        if not local_path(path).startswith(outer):
            raise WireloomError(f"is not below basePath {base!r}: name a folder that contains all inputs", path=path)
        path = local_path(path)[len(outer) :]
    found: dict[str, str | None] = {}
    for part in path.split("/")[:-1]:
        key, sign, value = part.partition("=")
        if sign and key and value:
            found[unquote(key)] = None if value == NULL else unquote(value)
    return found


def folders_of(paths: Iterable[str]) -> Iterable[str]:
    """Return the distinct folders that contain the files, in order; there are usually far fewer folders than files."""
    return dict.fromkeys(f"{path.rpartition('/')[0]}/" for path in paths)


def constants_of(path: str | None, options: ReadOptions) -> dict[str, str | None]:
    """Return the partition values of a path by names in lower case."""
    if options.partition_columns == "off" or path is None:
        return {}
    return {key.lower(): value for key, value in folder_values(path, options.base_path).items()}


def column_types(found: Iterable[dict[str, str | None]], choice: str) -> dict[str, DataType]:
    """Return the type of the partition column of each key in any of the paths, in order of appearance and with the
    first spelling.

    ``choice``: ``text``, or ``infer``: ``int``, ``bigint`` or ``date`` if all values of a key are valid, otherwise
    ``string``. Values that Spark's own sources take for times, fractions and larger numbers remain strings as well.
    """
    spelling: dict[str, str] = {}
    values: dict[str, list[str]] = {}
    for each in found:
        for key, value in each.items():
            # Spark's column names are not case-sensitive.
            known = values.setdefault(spelling.setdefault(key.lower(), key), [])
            if value is not None:
                known.append(value)
    return {key: _type(each) if choice == "infer" else StringType() for key, each in values.items()}


def _type(values: list[str]) -> DataType:
    if values and all(_INTEGER.fullmatch(each) for each in values):
        return IntegerType() if all(-(1 << 31) <= int(each) < 1 << 31 for each in values) else LongType()
    return DateType() if values and all(map(_is_date, values)) else StringType()


def _is_date(value: str) -> bool:
    try:
        return _DATE.fullmatch(value) is not None and date.fromisoformat(value) > date.min
    except ValueError:
        return False
