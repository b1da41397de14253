"""Tables of Spark's catalog: passes the options with which a table was created on to its readers.

Up to version 4.3, Spark passes the options of a table to a Python source only while a table is created without a list
of columns, when it requests the columns. A later read or write of the table gets the columns but no options. Since the
catalog keeps the metadata of columns, the options are stored in that of the first column. This works for reads only:
rows that are written may have columns, with metadata, from another table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql.types import StructField, StructType

from ...base.errors import WireloomError

KEY = "wireloom.options"
"""Key of the column metadata that contains the options."""

CREATES = "provider"
"""A property that Spark adds when a table is created, next to others of its own and of the user."""

OPTION = "option."
"""Prefix of the names of properties that were given as options."""


def options_of_new(given: Mapping[str, str]) -> dict[str, str] | None:
    """Return the options of a table that is being created, from all properties that Spark passes; ``None`` if none is
    being created.
    """
    if CREATES not in given:
        return None
    found = {key.removeprefix(OPTION): value for key, value in given.items() if key.startswith(OPTION)}
    if "path" in given:
        # Spark has made the path absolute.
        found["path"] = given["path"]
    if "path" not in found and "paths" not in found:
        raise WireloomError(
            "the table has no path: give it one as LOCATION '…' or OPTIONS (path '…'), since Spark does not "
            "provide the location of managed tables"
        )
    return found


def with_options(schema: StructType, options: Mapping[str, str]) -> StructType:
    """Return the columns with the options in the metadata of the first one."""
    first, *rest = schema.fields
    metadata = {**first.metadata, KEY: json.dumps(dict(options), sort_keys=True)}
    return StructType([StructField(first.name, first.dataType, first.nullable, metadata), *rest])


def options_in(schema: StructType) -> dict[str, str]:
    """Return the options in the metadata of columns; empty if the columns are not those of a catalog table."""
    for field in schema.fields:
        if KEY in field.metadata:
            try:
                found = json.loads(field.metadata[KEY])
                return {str(key): str(value) for key, value in found.items()}
            except (ValueError, TypeError, AttributeError):
                raise WireloomError(
                    f"the metadata {KEY} of column {field.name} is invalid: create the table again"
                ) from None
    return {}


def options_of_read(given: Mapping[str, str], schema: StructType) -> dict[str, str]:
    """Return the options of a reader. The user's options override those with which the table was created."""
    own = {key.lower(): value for key, value in given.items()}
    if "path" in own or "paths" in own:
        return own
    return {**options_in(schema), **own}


def check_writing(given: Mapping[str, str], schema: StructType) -> None:
    """Raise ``WireloomError`` for rows read from a table that are written elsewhere: a table that Spark creates from
    them would have the columns of the first table, and would be read from its location.
    """
    path = next((value for key, value in given.items() if key.lower() == "path"), "")
    source = options_in(schema).get("path", path)
    if path and _plain(source) != _plain(path):
        raise WireloomError(
            f"the columns carry the path of the table that they come from, {source}, and a table created from them "
            "would be read from there: read the rows with spark.read.format(…).load(…) instead",
            path=path,
        )


def _plain(path: str) -> str:
    return path.removeprefix("file://").removeprefix("file:").rstrip("/")
