"""Tables of which a column of bytes is decoded by a schema that is known only with an input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..base.cached import cached_property
from ..base.dataclass import dataclass, fields, replace
from ..base.errors import UnsupportedError
from .columns import READER_NAMES, Column
from .description import Format

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, repr=False)
class DecodedFormat(Format):
    """A table with a decoded column. ``encoded``: the table with the bytes; ``data``: the column; ``decoder``: decodes
    its values, see ``wireloom.reading.decoding.values``; ``is_flat``: whether the fields of the decoded values are the
    columns of the table."""

    encoded: Format | None = None
    data: str = ""
    decoder: Any = None
    is_flat: bool = False

    @property
    def wire(self) -> Format:
        """Return the table with the bytes."""
        assert self.encoded is not None
        return self.encoded

    def encoded_columns(self, names: Iterable[str]) -> list[str]:
        """Return the columns of the table with the bytes that are needed for columns of this table."""
        kept = () if self.is_flat else (each for each in names if each in self.wire.column_numbers)
        return list(dict.fromkeys((*kept, self.data, *self.decoder.needs)))

    @cached_property
    def _lowered(self) -> tuple[pyarrow.Schema, None]:
        # Imported here: descriptions of formats need no pyarrow.
        import pyarrow as pa

        decoded = pa.field(self.data, self.decoder.type)
        if self.is_flat:
            return pa.schema([each.with_nullable(True) for each in flat_fields(decoded)]), None
        return pa.schema([decoded if each.name == self.data else each for each in self.wire.schema]), None


def decoded_format(format: Format, data: str, decoder: Any, *, is_flat: bool) -> DecodedFormat:
    """Return a table with a decoded column; parameters are those of ``DecodedFormat``. Raises ``UnsupportedError`` if a
    field of the schema has the name of a column of readers."""
    given = {each.name: getattr(format, each.name) for each in fields(Format)}
    found = DecodedFormat(**given, encoded=format, data=data, decoder=decoder, is_flat=is_flat)
    taken = next((each.name for each in found.schema if each.name in READER_NAMES), None)
    if taken is not None:
        raise UnsupportedError(f"the schema has a field {taken}, which is a column of readers")
    if is_flat:
        columns = tuple(Column(each.name, str(each.type)) for each in found.schema)
    else:
        columns = tuple(_decoded(each, data, str(decoder.type)) for each in format.columns)
    return replace(found, columns=columns)


def _decoded(column: Column, data: str, kind: str) -> Column:
    return Column(data, kind, default=column.default, doc=column.doc) if column.name == data else column


def flat_fields(field: pyarrow.Field) -> list[pyarrow.Field]:
    """Return the fields of a struct; a field of another type by itself."""
    import pyarrow as pa

    return list(field.type) if pa.types.is_struct(field.type) else [field]
