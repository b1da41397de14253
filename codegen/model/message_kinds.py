"""Protobuf's scalar types and the corresponding types of the expression language."""

from __future__ import annotations

from ..expression.types import BooleanType, BytesType, FloatType, IntegerType, StringType, Type

SCALARS: dict[str, Type] = {
    "double": FloatType(8, None),
    "float": FloatType(4, None),
    "int32": IntegerType(4, True, None),
    "int64": IntegerType(8, True, None),
    "uint32": IntegerType(4, False, None),
    "uint64": IntegerType(8, False, None),
    "sint32": IntegerType(4, True, None),
    "sint64": IntegerType(8, True, None),
    "fixed32": IntegerType(4, False, None),
    "fixed64": IntegerType(8, False, None),
    "sfixed32": IntegerType(4, True, None),
    "sfixed64": IntegerType(8, True, None),
    "bool": BooleanType(),
    "string": StringType("UTF-8"),
    "bytes": BytesType(),
}
"""Kinds by protobuf's name."""

ENUM_BASE = IntegerType(4, True, None)
"""An enum's values are those of ``int32``."""

PACKABLE = frozenset({"enum", *SCALARS} - {"string", "bytes"})
"""Kinds whose repeated values can be packed."""

ELSEWHERE = {
    **{f"u{size}": "uint32" for size in (1, 2, 4)},
    **{f"s{size}": "int32" for size in (1, 2, 4)},
    "u8": "uint64",
    "s8": "int64",
    "f4": "float",
    "f8": "double",
    "b1": "bool",
    "boolean": "bool",
    "str": "string",
    "strz": "string",
    "int": "int32",
    "long": "int64",
    "byte": "bytes",
}
"""Names of these scalars in Kaitai's language and others, for suggestions."""
