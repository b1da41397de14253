"""Attributes of objects as Arrow arrays, with the same values as the engine stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from ..base.iso_times import time_range
from ..objects.json_text import json_text
from ..objects.messages.objects import Message
from ..objects.messages.plain_values import readable, values_of
from ..objects.structs import Struct
from .decimals import decimal_value
from .maps_and_unions import MapPaths, has_maps_or_unions, stored_type, to_schema_type
from .numbers import value_array
from .reader import label_array

Convert = Callable[[Any], Any]
Variants = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


class ColumnValues:
    """A column of the Arrow type ``kind``: converts the values of an attribute, and creates the array of the converted
    values.

    ``labels``: those of a column of labels, ``unsigned``: whether their numbers are; ``variants`` and ``absent``: as in
    ``Column``; ``maps``: as ``map_paths_of`` returns them.
    """

    def __init__(
        self,
        kind: Any,
        labels: tuple[tuple[int, str], ...],
        *,
        unsigned: bool = False,
        variants: Variants = (),
        absent: tuple[tuple[str, int], ...] = (),
        maps: MapPaths | None = None,
    ) -> None:
        self.kind = kind
        self._maps = maps or {}
        self._has_maps_or_unions = has_maps_or_unions(kind)
        kind = stored_type(kind, self._maps) if self._has_maps_or_unions else kind
        self.labels = labels
        number = pa.uint64() if unsigned else pa.int64()
        self._plain = number if labels else pa.int64() if pa.types.is_timestamp(kind) else kind
        self.convert = _convert(number if labels else kind, dict(variants), dict(absent))
        """Returns a value, not ``None``, as the column stores it. Raises ``OverflowError`` if it does not fit."""

    def array(self, stored: Sequence[Any]) -> pa.Array:
        """Return the array of values that ``convert`` returned, or ``None``."""
        plain = value_array(stored, self._plain)
        if self.labels:
            return label_array(plain, self.labels)
        if self._has_maps_or_unions:
            return to_schema_type(plain, self.kind, self._maps)
        return plain.view(self.kind) if pa.types.is_timestamp(self.kind) else plain


def array(values: Sequence[Any], kind: Any, labels: tuple[tuple[int, str], ...]) -> pa.Array:
    """Return values of attributes, which may be ``None``, as a column of the Arrow type ``kind``; null if the column
    cannot represent one."""
    column = ColumnValues(kind, labels)
    return column.array([_held(column, value) for value in values])


def _held(column: ColumnValues, value: Any) -> Any:
    try:
        return None if value is None else column.convert(value)
    except OverflowError:
        return None


def _convert(
    kind: Any, variants: Mapping[str, tuple[tuple[str, str], ...]], absent: Mapping[str, int], path: str = ""
) -> Convert:
    """Return a function that converts a value other than ``None`` to what ``pyarrow.array`` expects for ``kind``."""
    if pa.types.is_timestamp(kind):
        return _time(*time_range(kind.unit), absent.get(path))
    if pa.types.is_integer(kind):
        bits = kind.bit_width
        if pa.types.is_signed_integer(kind):
            return _between(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        return _between(0, (1 << bits) - 1)
    if pa.types.is_floating(kind):
        # An integer becomes the nearest float; one beyond the range of floats is an OverflowError.
        return float
    if pa.types.is_boolean(kind):
        return bool
    if pa.types.is_list(kind):
        item = _convert(kind.value_type, variants, absent, f"{path}.item")
        return lambda values: [None if value is None else item(value) for value in values]
    if pa.types.is_struct(kind):
        fields = [(field.name, _convert(field.type, variants, absent, f"{path}.{field.name}")) for field in kind]
        return _variant(fields, variants[path]) if path in variants else _struct(fields)
    if pa.types.is_string(kind):
        return _text
    if pa.types.is_decimal(kind):
        return partial(decimal_value, scale=kind.scale)
    return lambda value: value


def _text(value: Any) -> Any:
    return json_text(value) if isinstance(value, Struct) else readable(value)


def _between(least: int, largest: int) -> Convert:
    def convert(value: Any) -> int:
        number = int(value)
        if least <= number <= largest:
            return number
        raise OverflowError(f"{least} to {largest} is the range of the column")

    return convert


def _time(least: int, largest: int, absent: int | None) -> Convert:
    """Return a function that returns a count within the range of a timestamp unchanged, and ``None`` for others and for
    the one that means that there is no time."""

    def convert(value: Any) -> int | None:
        number = int(value)
        return number if least <= number <= largest and number != absent else None

    return convert


KINDS = {bytes: "raw", str: "text", float: "float"}
"""The variants of values that are not objects; other values are integers."""


def _variant(fields: list[tuple[str, Convert]], classes: tuple[tuple[str, str], ...]) -> Convert:
    """Return a function that converts a value of one of several types to a struct in which the others are null."""
    names = {owner or name: name for name, owner in classes}
    nothing = dict.fromkeys(names.values())
    converts = dict(fields)

    def convert(value: Any) -> dict[str, Any]:
        kind = type(value)
        name = names.get(kind.__qualname__ if isinstance(value, Struct) else KINDS.get(kind, "integer"))
        return nothing if name is None else nothing | {name: converts[name](value)}

    return convert


def _struct(fields: list[tuple[str, Convert]]) -> Convert:
    def convert(value: Any) -> dict[str, Any]:
        if isinstance(value, Message):
            value = values_of(value)
        found = {}
        for name, inner in fields:
            # Names reserved by Python or the base class have an underscore appended.
            taken = f"{name}_"
            if isinstance(value, Mapping):
                part = value.get(name, value.get(taken))
            else:
                part = getattr(value, name, None) if hasattr(value, name) else getattr(value, taken, None)
            found[name] = None if part is None else inner(part)
        return found

    return convert
