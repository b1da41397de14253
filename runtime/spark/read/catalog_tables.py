"""Tables of Spark's catalog: how a reader gets the options that a table was made with.

Up to 4.3 Spark tells a source in Python the options of a table only while the table is being made without a list of
columns: it asks for them then. A read or write of the table gets the columns and no options. But the columns keep
their metadata in the catalog, so the options travel with the first one. That is good for reading alone: rows that are
written may have columns that come, with their metadata, from another table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql.types import StructField, StructType

from ...base.errors import WireloomError

KEY = "wireloom.options"
"""The metadata of a column that hold the options."""

CREATES = "provider"
"""A property that Spark adds where a table is being made, beside others of its own and of the user."""

OPTION = "option."
"""How the names of those properties begin that were given as options."""


def options_of_new(given: Mapping[str, str]) -> dict[str, str] | None:
    """Return the options of a table that is being made, from all that Spark knows of it; ``None``: none is being
    made."""
    if CREATES not in given:
        return None
    found = {key.removeprefix(OPTION): value for key, value in given.items() if key.startswith(OPTION)}
    if "path" in given:
        # Spark has made it absolute.
        found["path"] = given["path"]
    if "path" not in found and "paths" not in found:
        raise WireloomError(
            "the table has no path: give it one as LOCATION '…' or OPTIONS (path '…'), since Spark does not say "
            "where its own tables would be"
        )
    return found


def with_options(schema: StructType, options: Mapping[str, str]) -> StructType:
    """Return the columns with the options in the metadata of the first."""
    first, *rest = schema.fields
    metadata = {**first.metadata, KEY: json.dumps(dict(options), sort_keys=True)}
    return StructType([StructField(first.name, first.dataType, first.nullable, metadata), *rest])


def options_in(schema: StructType) -> dict[str, str]:
    """Return the options in the metadata of columns; none if they are not those of a table of the catalog."""
    for field in schema.fields:
        if KEY in field.metadata:
            try:
                found = json.loads(field.metadata[KEY])
                return {str(key): str(value) for key, value in found.items()}
            except (ValueError, TypeError, AttributeError):
                raise WireloomError(
                    f"the metadata {KEY} of column {field.name} cannot be understood: make the table again"
                ) from None
    return {}


def options_of_read(given: Mapping[str, str], schema: StructType) -> dict[str, str]:
    """Return the options of a reader: what its user says comes before what the table was made with."""
    own = {key.lower(): value for key, value in given.items()}
    if "path" in own or "paths" in own:
        return own
    return {**options_in(schema), **own}


def check_writing(given: Mapping[str, str], schema: StructType) -> None:
    """Raise ``WireloomError`` for rows straight from a table that go elsewhere: a table that Spark makes of them would
    have its columns, and be read at its place."""
    path = next((value for key, value in given.items() if key.lower() == "path"), "")
    source = options_in(schema).get("path", path)
    if path and _plain(source) != _plain(path):
        raise WireloomError(
            f"the columns carry the path of the table that they come from, {source}, and a table made of them would be "
            "read there: read the rows with spark.read.format(…).load(…) instead of from that table",
            path=path,
        )


def _plain(path: str) -> str:
    return path.removeprefix("file://").removeprefix("file:").rstrip("/")
