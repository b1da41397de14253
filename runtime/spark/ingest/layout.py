"""The layout of a table's rows in its files."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from ...base.errors import UnsupportedError, WireloomError
from ...base.nearest import unknown

FILE_BYTES = 1 << 30
NAMING = (
    pa.types.is_string,
    pa.types.is_integer,
    pa.types.is_boolean,
    pa.types.is_date,
    pa.types.is_timestamp,
    pa.types.is_decimal,
    pa.types.is_floating,
)
"""Types whose values can name folders."""


@dataclass(frozen=True)
class FileLayout:
    """The properties of a table's files. ``partition_by``: columns that name folders and are not in the files;
    ``sort_by``: columns by which each file is sorted; ``file_bytes``: approximate maximum size of a stored file;
    ``compression``; ``dictionary``: columns with dictionary encoding, by default all except binary ones."""

    partition_by: tuple[str, ...] = ()
    sort_by: tuple[str, ...] = ()
    file_bytes: int = FILE_BYTES
    compression: str = "snappy"
    dictionary: tuple[str, ...] | None = None

    def check_columns(self, schema: pa.Schema) -> None:
        """Raise ``WireloomError`` if rows with these columns cannot be written in this layout."""
        for what, columns in (("sort_by", self.sort_by), ("dictionary", self.dictionary or ())):
            for name in columns:
                if name not in schema.names:
                    raise unknown(f"column for {what}", name, schema.names)
                if name in self.partition_by:
                    raise WireloomError(f"{what} names {name!r}, which is a partition column: leave it out")
        for name in self.sort_by:
            if pa.types.is_nested(schema.field(name).type):
                raise UnsupportedError(f"sort_by names {name!r}, which is nested: sort by columns of single values")
        for name in self.partition_by:
            if not any(fits(schema.field(name).type) for fits in NAMING):
                raise UnsupportedError(
                    f"partition_by names {name!r}, a {schema.field(name).type}: folders are named by text, numbers, "
                    "dates, times and booleans"
                )
        if set(schema.names) <= set(self.partition_by):
            raise UnsupportedError("all columns are partition columns: choose at least one other column")

    def dictionaries(self, schema: pa.Schema) -> list[str]:
        """Return the columns with dictionary encoding."""
        if self.dictionary is not None:
            return list(self.dictionary)
        # Binary records are rarely equal, and detecting that takes as long as all other work.
        return [each.name for each in schema if not pa.types.is_binary(each.type)]
