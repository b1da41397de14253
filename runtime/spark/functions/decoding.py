"""Decodes columns of blobs in Spark's tasks. Instances contain plain data only, since they are pickled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, StructType

from ...base.dataclass import dataclass
from ...format.description import Format
from ...format.registry import get
from ...reading.blobs.exploding import Exploder
from ...reading.blobs.reader import NO_COLUMNS, BlobReader
from ...reading.request import of_table
from ..options import TYPE_OPTIONS, ColumnTypes
from ..read.casting import Caster
from ..read.schema import CORRUPT_RECORD, TargetColumn, chosen_schema, known_columns, targets, wire_schema
from ..versions import to_arrow_type


@dataclass(frozen=True)
class Decoding:
    """A format with its options. ``schema``: the Spark schema of a row; ``targets``: the source of each column."""

    format: Format
    options: Mapping[str, Any]
    schema: StructType
    targets: tuple[TargetColumn, ...]
    in_table: bool = False

    @classmethod
    def of(
        cls,
        format: str | Path | Format,
        *,
        in_table: bool = False,
        allow_modules: Sequence[str] = (),
        **options: Any,
    ) -> Decoding:
        """Return a decoding after checking all arguments. ``in_table``: whether options may name columns of a table.
        Raises ``UnknownNameError`` and ``WireloomError``.
        """
        outermost = get(format, allow_modules)
        found, _ = of_table(outermost, options)
        types = ColumnTypes(**{name: options.pop(name) for name in TYPE_OPTIONS if name in options})
        reader = BlobReader(outermost, options, in_table=in_table)
        known = known_columns(found, wire_schema(found), CORRUPT_RECORD, types)
        schema = chosen_schema(found, known, options.get("columns"))
        # The table of the kind is not stored: only a format from a spec file includes its code when it is pickled.
        options["columns"] = tuple(reader.schema.names)
        return cls(outermost, options, schema, targets(schema, known, CORRUPT_RECORD), in_table)

    def lists(self, arrays: Iterable[pa.Array], beside: Mapping[str, pa.Array] = NO_COLUMNS) -> Iterator[pa.Array]:
        """Yield an array of lists of structs, in Spark's Arrow types, for each array of blobs. ``beside``: the columns
        that options name, by option, if there is a single array.
        """
        reader = BlobReader(self.format, self.options, in_table=self.in_table)
        caster, done = Caster(self.targets), 0
        wanted = to_arrow_type(ArrayType(self.schema))
        for array in arrays:
            yield reader.lists(array, done, caster, beside).cast(wanted)
            done += len(array)

    def exploder(self, column: str, keep: Sequence[str] | None) -> Exploder:
        """Return a function that turns batches with that column into flat rows."""
        return Exploder(self.format, column, self.options, keep=keep, caster=Caster(self.targets))
