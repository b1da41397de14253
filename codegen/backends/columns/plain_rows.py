"""Rows that a writer writes without their class: numbers, and then at most one byte string."""

from __future__ import annotations

from collections.abc import Sequence

from wireloom.format.columns import PlainRow, RowChecksum

from ...expression.types import BytesType, FloatType, IntegerType, StringType
from ...passes.filling import always_holds, measured_size
from ...tree import Attribute, Fill, Rows, Spec, StoredChecksum, Struct, run_of
from ...tree.leaves import EndOfStreamSize, ExpressionSize
from ..python.names import field_name
from ..python.struct_codes import byte_order, number_codes
from .enclosing import has_enclosing
from .table import TableColumn


def plain_row(spec: Spec, rows: Rows, columns: Sequence[TableColumn]) -> PlainRow | None:
    """Return how rows of a table are written without their class.

    Args:
        spec: The spec.
        rows: The rows of the table.
        columns: The columns of the table, from which the fields of a row are filled.

    Returns:
        The numbers, the byte string and the checksum of a row; ``None`` if only the class can write rows: they are
        inside other objects, or consist of something else, or their values are checked.
    """
    struct = spec.struct(rows.row)
    numbers, content = struct.attributes, None
    if numbers and isinstance(numbers[-1].type, BytesType | StringType):
        numbers, content = numbers[:-1], numbers[-1]
    kinds = [kind for each in numbers if (kind := _number(each)) is not None]
    run, fills = run_of(numbers), {each.id: each for each in struct.fills}
    fields = tuple(_field(each, fills.get(each.id), content) for each in numbers)
    stored = {each for each in (*fields, content and field_name(content.id)) if isinstance(each, str)}
    if (
        not _is_simple(spec, rows, struct)
        or len(kinds) < len(numbers)
        or len(run.pieces) > 1
        or not stored <= {each.attribute for each in columns}
        or any(each.checks and not always_holds(struct, each) for each in struct.attributes)
        or not (content is None or _is_whole(content, any(isinstance(each, int) for each in fields)))
        or not all(_is_simple_checksum(each) for each in struct.checksums[:1])
        or len(struct.checksums) > 1
    ):
        return None
    return PlainRow(
        head=byte_order(run.pieces[0].endian) + number_codes(*kinds),
        fields=fields,
        content="" if content is None else field_name(content.id),
        is_text=content is not None and isinstance(content.type, StringType),
        checksum=next((_checksum(struct, each, run.offsets) for each in struct.checksums), None),
    )


def _is_simple(spec: Spec, rows: Rows, struct: Struct) -> bool:
    """Return whether a file consists of objects of the type, which depend on nothing else and are all written."""
    alone = not has_enclosing(spec, rows) and rows.where is None and not spec.has_variables
    plain = struct.message is None and struct.read_only is None and not struct.parameters
    return alone and plain and bool(struct.attributes) and not any(each.checks for each in struct.instances)


def _number(field: Attribute) -> IntegerType | FloatType | None:
    """Return the type on the wire of an attribute that is a number in every row; ``None`` for others."""
    kind = field.type.on_wire
    return kind if field.fixed_size is not None and isinstance(kind, IntegerType | FloatType) else None


def _field(field: Attribute, fill: Fill | None, content: Attribute | None) -> str | int | None:
    """Return a number as in ``PlainRow.fields``; an empty name for one that is filled in otherwise."""
    if fill is None or fill.how == "unless given":
        return field_name(field.id)
    if not isinstance(field.type, IntegerType) or field.type.signed:
        return ""
    if fill.checksum is not None:
        return None
    name, added = measured_size(fill.value) or ("", 0)
    return added if content is not None and name == content.id else ""


def _is_whole(content: Attribute, measured: bool) -> bool:
    """Return whether a byte string is its value on the wire. ``measured``: whether a number is its size."""
    if content.repeat or content.switch or content.condition or content.process or content.is_cut:
        return False
    is_bytes = isinstance(content.type, BytesType) or content.type == StringType("UTF-8")
    sized = isinstance(content.size, EndOfStreamSize) or (isinstance(content.size, ExpressionSize) and measured)
    return is_bytes and sized


def _is_simple_checksum(sum: StoredChecksum) -> bool:
    """Return whether a checksum is stored as it is computed, from the numbers and then the byte string."""
    alone = sum.stored is None and sum.continues is None and sum.condition is None and not sum.content and not sum.up
    alone = alone and bool(sum.algorithm) and sum.extra is None
    covers_itself = sum.attribute.id in sum.covered
    return alone and sum.made_by.continues_anywhere and sum.blanks_own == covers_itself


def _checksum(struct: Struct, sum: StoredChecksum, offsets: Sequence[int]) -> RowChecksum:
    names = [each.id for each in struct.attributes]
    end = names.index(sum.last) + 1
    return RowChecksum(
        sum.algorithm,
        sum.initial,
        sum.final_xor,
        start=offsets[names.index(sum.first)],
        end=offsets[end] if end < len(offsets) else None,
        replace=sum.replace or 0,
    )
