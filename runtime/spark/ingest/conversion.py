"""Converts rows to the columns of a table; rows that would lose a value are set aside.

A column that the table lacks may contain nulls only. A column of another numeric type is cast, and each value has to be
unchanged when it is cast back. A column of any other type has to be null. Columns that are not read are null in the
table.
"""

from __future__ import annotations

import base64
import json
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import StructType

from ...base.dataclass import dataclass
from ..versions import to_arrow_schema

if TYPE_CHECKING:
    from ..read.task_reports import TaskReportWriter

REASON = "schema"
"""Reason, in the quarantine, for a record that the table cannot hold."""


@dataclass(frozen=True)
class RowConversion:
    """The conversion of rows with the columns ``read`` to rows of the ``table``; both are Spark schemas as JSON."""

    read: str
    table: str

    @classmethod
    def of(cls, read: StructType, table: StructType) -> RowConversion:
        """Return the conversion from one schema to another."""
        return cls(read.json(), table.json())

    @property
    def columns(self) -> StructType:
        """Return the columns that are read."""
        return StructType.fromJson(json.loads(self.read))

    @property
    def schema(self) -> pa.Schema:
        """Return the schema of the table's rows."""
        return to_arrow_schema(StructType.fromJson(json.loads(self.table)))

    def convert(
        self, rows: pa.RecordBatch, origins: pa.RecordBatch, reports: TaskReportWriter | None
    ) -> pa.RecordBatch:
        """Return rows of the table. ``origins``: the same rows as they are in their inputs, with ``_path`` and
        ``_offset``; rows that do not fit are added to ``reports``."""
        if self.read == self.table:
            return rows
        schema, fits = self.schema, _Fits(rows.num_rows)
        names = rows.schema.names
        arrays = [
            fits.of(each.name, rows.column(each.name), each.type)
            if each.name in names
            else pa.nulls(rows.num_rows, each.type)
            for each in schema
        ]
        for name in names:
            if name not in schema.names:
                fits.of(name, rows.column(name), None)
        fitted = pa.RecordBatch.from_arrays(arrays, schema=schema)
        if fits.all:
            return fitted
        assert reports is not None, "an ingest has reports"
        lost = fits.lost()
        reports.set_aside(
            origins.take(lost),
            [fits.error(each) for each in lost.to_pylist()],
            _as_json(rows.take(lost)),
        )
        return fitted.filter(fits.kept())


class _Fits:
    """Determines which rows of a batch fit, column by column."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._bad: dict[str, pa.Array] = {}

    def of(self, name: str, array: pa.Array, target: pa.DataType | None) -> pa.Array:
        """Return a column in the table's type, null where it does not fit. ``target``: ``None`` if the
        table lacks the column."""
        if target == array.type:
            return array
        known = array.is_valid()
        if target is None or not (_is_number(array.type) and _is_number(target)):
            bad, cast = known, array if target is None else pa.nulls(self._rows, target)
        else:
            cast = cast_exactly(array, target)
            bad = pc.and_(known, cast.is_null())
        if bad.true_count:
            self._bad[f"{name} ({array.type})" if target is None else f"{name} ({array.type} as {target})"] = bad
        return cast

    @property
    def all(self) -> bool:
        """Return whether all rows fit."""
        return not self._bad

    def kept(self) -> pa.Array:
        """Return, for each row, whether it fits."""
        found, *more = self._bad.values()
        for each in more:
            found = pc.or_(found, each)
        return pc.invert(found)

    def lost(self) -> pa.Array:
        """Return the indexes of the rows that do not fit."""
        return pc.indices_nonzero(pc.invert(self.kept()))

    def error(self, row: int) -> str:
        """Return the reason why a row does not fit."""
        names = ", ".join(name for name, bad in self._bad.items() if bad[row].as_py())
        return f"{REASON}: the table cannot hold the value of {names}"


# Numbers -------------------------------------------------------------------------------------------------------------


def cast_exactly(array: pa.Array, target: pa.DataType) -> pa.Array:
    """Cast numbers to another numeric type; values that would change become null."""
    least, most = _bounds(target)
    inside = array
    if least is not None:
        own_least, own_most = _bounds(array.type)
        if own_least is None:
            # The maximum may not be representable as a float; the next number is a power of two or ten.
            keep = pc.less(array, pa.scalar(float(most + 1), array.type))
            keep = pc.and_(keep, pc.greater_equal(array, pa.scalar(float(least), array.type)))
        else:
            low, high = (_scalar(each, array.type) for each in (max(least, own_least), min(most, own_most)))
            keep = pc.and_(pc.greater_equal(array, low), pc.less_equal(array, high))
        inside = pc.if_else(keep, array, pa.scalar(None, array.type))
    cast = _cast(inside, target)
    back = _cast(cast, array.type)
    same = pc.equal(back, inside)
    if pa.types.is_floating(array.type) and pa.types.is_floating(target):
        same = pc.or_(same, pc.is_nan(inside))
    return pc.if_else(same, cast, pa.scalar(None, target))


def _cast(array: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_decimal(target):
        # Arrow requires enough digits for the largest value of the source type, even if no value is that large.
        return array.cast(pa.decimal256(76, 0), safe=False).cast(target, safe=False)
    return array.cast(target, safe=False)


def _is_number(kind: pa.DataType) -> bool:
    whole = pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0)
    return bool(whole or pa.types.is_floating(kind))


def _bounds(kind: pa.DataType) -> tuple[Any, Any]:
    """Return the minimum and maximum of a type; ``None`` for types with a larger range than all others."""
    if pa.types.is_integer(kind):
        return -(1 << kind.bit_width - 1), (1 << kind.bit_width - 1) - 1
    if pa.types.is_decimal(kind):
        most = 10**kind.precision - 1
        return -most, most
    return None, None


def _scalar(value: int, kind: pa.DataType) -> pa.Scalar:
    return pa.scalar(Decimal(value) if pa.types.is_decimal(kind) else value, kind)


# Rows as JSON --------------------------------------------------------------------------------------------------------


def _as_json(rows: pa.RecordBatch) -> list[bytes]:
    """Return each row as JSON that Spark's ``from_json`` can read."""
    kind = pa.struct(rows.schema)
    return [json.dumps(_plain(each, kind), ensure_ascii=False).encode() for each in rows.to_pylist()]


def _plain(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, dict):
        return {each.name: _plain(value[each.name], each.type) for each in kind}
    if isinstance(value, list):
        if pa.types.is_map(kind):
            return {str(_plain(name, kind.key_type)): _plain(each, kind.item_type) for name, each in value}
        return [_plain(each, kind.value_type) for each in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    return value
