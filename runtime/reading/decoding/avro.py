"""Avro's binary encoding: objects of a schema to Arrow's arrays.

``fastavro`` reads the objects by a schema that is written otherwise, with the same encoding: without logical types, and
with an array of pairs for each map. In a union of several types, each is a record of one field. So no value loses its
type or precision on its way to Arrow.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataclass import dataclass, field
from ...base.errors import UnsupportedError, WireloomError
from ...base.extras import require
from ...rows.numbers import constant, value_array
from . import avro_checks as checks
from .avro_checks import Check
from .values import (
    LARGEST_EXPANSION,
    DecodedValues,
    ValueDecoder,
    ValueLimitError,
    each_decoded,
    objects_decoded,
    of_value,
)

DEEPEST = 64
"""Maximum nesting of types."""
MOST_TYPES = 10_000
"""Maximum number of types in a schema, each as often as it is used."""
LARGEST_FIXED = 1024
"""Maximum size of a ``fixed`` whose column has the size in its type. In such columns nulls take as much memory.
Parquet has no size of 0."""
SCALARS = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.utf8(),
}
LEAST_SIZES = {"null": 0, "float": 4, "double": 8}
"""Sizes in bytes of scalars of other sizes than from one byte on."""
UNITS = {"millis": "ms", "micros": "us", "nanos": "ns"}
LOGICAL = {
    ("int", "date"): pa.date32(),
    ("int", "time-millis"): pa.time32("ms"),
    ("long", "time-micros"): pa.time64("us"),
    **{("long", f"timestamp-{name}"): pa.timestamp(unit, "UTC") for name, unit in UNITS.items()},
    **{("long", f"local-timestamp-{name}"): pa.timestamp(unit) for name, unit in UNITS.items()},
}
EXACT = Context(prec=80, Emax=10**6, Emin=-(10**6))
"""Keeps all digits of Arrow's decimal numbers."""
DAY = {"ms": 86_400_000, "us": 86_400_000_000}


@dataclass(frozen=True)
class AvroType:
    """A type of a schema. ``wire``: as fastavro reads it; ``raw``: the type of its values, ``type``: that of the
    column; ``check``: that of its bytes; ``inside``: the types in it; ``count``: their number; ``least``: the least
    size of a value in bytes."""

    wire: Any
    raw: pa.DataType
    type: pa.DataType
    check: Check
    inside: tuple[AvroType, ...] = ()
    count: int = 1
    least: int = 1
    is_wrapped: bool = False
    """Whether it is a union whose types are records of one field."""


@dataclass
class Converter:
    """Converts the types of one schema. ``names``: the named types so far; ``None`` while one is being converted."""

    names: dict[str, AvroType | None] = field(default_factory=dict)

    def kind(self, schema: Any, path: str = "wireloom", depth: int = 0) -> AvroType:
        """Return a type. ``path``: names what is made of it. Raises ``UnsupportedError``."""
        if depth > DEEPEST:
            raise UnsupportedError(f"types are nested more than {DEEPEST} times")
        if isinstance(schema, list):
            return self._union(schema, path, depth)
        if isinstance(schema, str):
            return self._scalar(schema, {}) if schema in SCALARS else self._named(schema)
        name = schema["type"]
        if isinstance(name, dict | list):
            return self.kind(name, path, depth + 1)
        if name == "array":
            item = self.kind(schema["items"], f"{path}.item", depth + 1)
            if not item.least:
                raise UnsupportedError("it has an array of items without bytes, whose number nothing limits")
            wire, check = {"type": "array", "items": item.wire}, checks.array(item.check)
            return _nested(wire, pa.list_(item.raw), pa.list_(item.type), check, (item,))
        if name == "map":
            return _map(self.kind(schema["values"], f"{path}.value", depth + 1), f"{path}.pair")
        if name in SCALARS:
            return self._scalar(name, schema)
        if name not in ("record", "error", "enum", "fixed"):
            return self._named(name)
        self.names[schema["name"]] = None
        made = self._record(schema, depth) if name in ("record", "error") else self._leaf(schema)
        self.names[schema["name"]] = dataclasses.replace(made, wire=schema["name"])
        return made

    def _named(self, name: str) -> AvroType:
        found = self.names.get(name)
        if found is None:
            raise UnsupportedError(f"the type {name} contains itself, which no column can")
        return found

    def _scalar(self, name: str, schema: Mapping[str, Any]) -> AvroType:
        kind = SCALARS[name]
        logical = LOGICAL.get((name, schema.get("logicalType", "")), kind)
        return AvroType(name, kind, _decimal(schema) or logical, checks.SCALARS[name], least=LEAST_SIZES.get(name, 1))

    def _leaf(self, schema: Mapping[str, Any]) -> AvroType:
        wire = {key: value for key, value in schema.items() if key != "logicalType"}
        if schema["type"] == "enum":
            return AvroType(wire, pa.utf8(), pa.utf8(), checks.enum(len(schema["symbols"])))
        size = schema["size"]
        if type(size) is not int or size < 0:
            raise ValueError(f"the size of {schema['name']} is {size!r:.40}")
        raw = pa.binary(size if 0 < size <= LARGEST_FIXED else -1)
        return AvroType(wire, raw, _decimal(schema) or raw, checks.sized(size), least=size)

    def _record(self, schema: Mapping[str, Any], depth: int) -> AvroType:
        fields, kinds = [], []
        for each in schema["fields"]:
            kind = self.kind(each["type"], f"{schema['name']}.{each['name']}", depth + 1)
            kinds.append(kind)
            fields.append({**each, "type": kind.wire})
            if kind.is_wrapped and each.get("default") is not None:
                fields[-1]["default"] = {"member0": each["default"]}
        names = [each["name"] for each in fields]
        raw = pa.struct([(name, each.raw) for name, each in zip(names, kinds, strict=True)])
        # Parquet and a table without columns cannot tell how many records without fields there are.
        type = pa.struct([(name, each.type) for name, each in zip(names, kinds, strict=True)]) if kinds else pa.bool_()
        check, least = checks.record([each.check for each in kinds]), sum(each.least for each in kinds)
        return _nested({**schema, "fields": fields}, raw, type, check, tuple(kinds), least)

    def _union(self, schemas: Sequence[Any], path: str, depth: int) -> AvroType:
        kinds = [self.kind(each, f"{path}.of{number}", depth + 1) for number, each in enumerate(schemas)]
        values = [each for each in kinds if each.wire != "null"]
        check = checks.union([each.check for each in kinds])
        if len(values) < 2:
            one = values[0] if values else kinds[0] if kinds else self._scalar("null", {})
            return dataclasses.replace(one, wire=[each.wire for each in kinds], check=check, least=1)
        # The encoding of a record of one field is that of the field.
        wire, names = list[Any](), [f"member{number}" for number in range(len(values))]
        for each in kinds:
            if each.wire != "null":
                name = names[len(wire) - wire.count("null")]
                fields = [{"name": name, "type": each.wire}]
                wire.append({"type": "record", "name": f"{path}.{name}", "fields": fields})
            else:
                wire.append("null")
        raw = pa.struct([(name, each.raw) for name, each in zip(names, values, strict=True)])
        type = pa.struct([(name, each.type) for name, each in zip(names, values, strict=True)])
        return _nested(wire, raw, type, check, tuple(values), is_wrapped=True)


def _map(value: AvroType, name: str) -> AvroType:
    fields = [{"name": "key", "type": "string"}, {"name": "value", "type": value.wire}]
    wire = {"type": "array", "items": {"type": "record", "name": name, "fields": fields}}
    raw = pa.list_(pa.struct([("key", pa.utf8()), ("value", value.raw)]))
    check = checks.array(checks.record([checks.string_end, value.check]))
    return _nested(wire, raw, pa.map_(pa.utf8(), value.type), check, (value,))


def _nested(
    wire: Any,
    raw: pa.DataType,
    type: pa.DataType,
    check: Check,
    inside: tuple[AvroType, ...],
    least: int = 1,
    is_wrapped: bool = False,
) -> AvroType:
    count = 1 + sum(each.count for each in inside)
    if count > MOST_TYPES:
        raise UnsupportedError(f"it has more than {MOST_TYPES} types")
    return AvroType(wire, raw, type, check, inside, count, least, is_wrapped)


def _decimal(schema: Mapping[str, Any]) -> pa.DataType | None:
    """Return the type of a decimal number; ``None`` for bytes that are none, or one that Arrow does not have."""
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if schema.get("logicalType") != "decimal" or schema["type"] not in ("bytes", "fixed"):
        return None
    if not isinstance(precision, int) or not isinstance(scale, int) or not 0 <= scale <= precision <= 76:
        return None
    return pa.decimal128(precision, scale) if 0 < precision <= 38 else pa.decimal256(precision, scale)


def finished(array: pa.Array, kind: AvroType) -> pa.Array:
    """Return an array of the type of the column. Raises ``ArrowException`` for a number that the type does not have."""
    if array.type == kind.type:
        return array
    mask = array.is_null() if array.null_count else None
    types = pa.types
    if types.is_struct(array.type) and not array.type.num_fields:
        return pc.if_else(array.is_valid(), constant(True, pa.bool_()), constant(None, pa.bool_()))
    if types.is_struct(kind.type):
        parts = [finished(array.field(number), each) for number, each in enumerate(kind.inside)]
        return pa.StructArray.from_arrays(parts, fields=list(kind.type), mask=mask)
    if types.is_list(kind.type):
        return pa.ListArray.from_arrays(array.offsets, finished(array.values, kind.inside[0]), kind.type, mask=mask)
    if types.is_map(kind.type):
        pairs = array.values
        values = finished(pairs.field(1), kind.inside[0])
        return pa.MapArray.from_arrays(array.offsets, pairs.field(0), values, kind.type, mask=mask)
    if types.is_decimal(kind.type):
        numbers = (None if each is None else int.from_bytes(each, "big", signed=True) for each in array.to_pylist())
        scale = kind.type.scale
        return value_array(
            [None if each is None else Decimal(each).scaleb(-scale, EXACT) for each in numbers], kind.type
        )
    if types.is_time(kind.type):
        most = constant(DAY[kind.type.unit], array.type)
        is_time = pc.and_(pc.greater_equal(array, constant(0, array.type)), pc.less(array, most))
        array = pc.if_else(is_time, array, pa.nulls(len(array), array.type))
    return array.cast(kind.type)


@dataclass(frozen=True)
class Schema:
    """A schema that has been read. ``kind``: its type; ``wire``: as fastavro has parsed it."""

    kind: AvroType
    wire: Any


@lru_cache(maxsize=64)
def schema_of(text: str) -> Schema:
    """Return the schema of a text. Raises ``WireloomError`` if it is none, and ``UnsupportedError`` if there are no
    columns for it."""
    require("fastavro", "avro", "decoding of Avro")
    from fastavro import parse_schema
    from fastavro.schema import SchemaParseException, UnknownType

    try:
        parsed = json.loads(text)
        if _depth(parsed) > 4 * DEEPEST:
            raise UnsupportedError(f"the schema of Avro cannot be read: types are nested more than {DEEPEST} times")
        kind = Converter().kind(parse_schema(parsed, _write_hint=False))
        return Schema(kind, parse_schema(kind.wire))
    except UnsupportedError as error:
        raise UnsupportedError(f"the schema of Avro cannot be read as columns: {error.message}") from None
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
        SchemaParseException,
        UnknownType,
    ) as error:
        raise WireloomError(f"the schema is no schema of Avro: {error}") from None


def _depth(value: Any) -> int:
    """Return the nesting of JSON."""
    waiting, deepest = [(value, 0)], 0
    while waiting:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        inside = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        waiting += ((one, depth + 1) for one in inside)
    return deepest


Read = Callable[[io.BytesIO], Any]


def reading(writer: Schema, reader: Schema) -> Read:
    """Return a function that reads an object, written by one schema, as one of another."""
    from fastavro import schemaless_reader

    resolved = None if writer is reader else reader.wire
    return lambda stream: schemaless_reader(stream, writer.wire, resolved)


class ObjectError(WireloomError):
    """A value is no object, or not as many, of its schema."""


def objects(data: bytes, count: int, kind: AvroType, read: Read) -> list[Any]:
    """Return the objects in a value. Raises ``ObjectError``, and ``ValueLimitError``."""
    if not kind.least and count > len(data) + LARGEST_EXPANSION:
        raise ValueLimitError(f"it has {count} objects without bytes")
    whole, end = 0, 0
    try:
        while whole < count:
            end = kind.check(data, end)
            whole += 1
    except (ValueError, IndexError) as error:
        said = str(error) if isinstance(error, ValueError) else "its bytes end early"
        raise ObjectError(f"object {whole + 1} of {count} is not one of the schema: {said}") from None
    if end < len(data):
        raise ObjectError(f"{len(data) - end} bytes follow the last of {count} objects")
    stream, found = io.BytesIO(data), list[Any]()
    try:
        for _ in range(count):
            found.append(read(stream))
    except Exception as error:
        # fastavro has no error of its own for an object that it cannot read by another schema.
        said = f"{type(error).__name__} {error}".strip()
        raise ObjectError(
            f"object {len(found) + 1} of {count} is not one of the schema, fastavro says: {said}"
        ) from None
    return found


@dataclass(frozen=True)
class AvroDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for objects of ``schema``. If the file has a schema too, in the member ``attribute``
    of the root, objects of that one are read by Avro's rules for different schemas. ``count``: the column with the
    number of objects in a value; empty: there is one."""

    schema: str
    attribute: str = ""
    count: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """Implement ``ValueDecoder.needs``."""
        return (self.count,) if self.count else ()

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        return schema_of(self.schema).kind.type

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        schema = schema_of(self.schema)
        try:
            writer = schema_of(getattr(root, self.attribute)) if self.attribute else schema
        except WireloomError as error:
            problems = [(number, of_value(error)) for number in range(len(values))]
            return DecodedValues(pa.nulls(0, self.type), [0] * len(values), problems)
        if not self.count:
            return decoded_by(values, writer, schema)
        read, counts = reading(writer, schema), beside[self.count].to_pylist()
        return each_decoded(
            values,
            self.type,
            lambda number, value: arrow_of(objects(value, counts[number], writer.kind, read), schema.kind),
        )


def decoded_by(values: pa.Array, writer: Schema, reader: Schema) -> DecodedValues:
    """Decode values of one object each, written by one schema, as objects of another."""
    read = reading(writer, reader)
    return objects_decoded(
        values,
        reader.kind.type,
        lambda value: objects(value, 1, writer.kind, read)[0],
        lambda found: arrow_of(found, reader.kind),
    )


def arrow_of(values: Sequence[Any], kind: AvroType) -> pa.Array:
    """Return objects as an array. Raises ``ObjectError`` for a value that the column does not have."""
    try:
        return finished(pa.array(values, kind.raw), kind)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise ObjectError(f"a value is none of its type: {error}") from None
