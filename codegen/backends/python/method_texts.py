"""Methods of the expression language as Python text."""

from __future__ import annotations

from ...expression.nodes import SLICE
from ...expression.types import (
    BooleanType,
    BytesType,
    ComputedFloatType,
    EnumType,
    FloatType,
    ListType,
    StreamType,
    StringType,
    Type,
)

METHODS: dict[tuple[type[Type], str], tuple[str, ...]] = {
    (StringType, "length"): ("len({})",),
    (StringType, "reverse"): ("{}[::-1]",),
    (StringType, "substring"): ("{substring}({}, {}, {})", "substring"),
    (StringType, "to_i"): ("{to_integer}({})", "to_integer"),
    (BytesType, "length"): ("len({})",),
    (BytesType, "size"): ("len({})",),
    (BytesType, "first"): ("{item}({}, 0)", "item"),
    (BytesType, "last"): ("{last}({})", "last"),
    (BytesType, "min"): ("{smallest}({})", "smallest"),
    (BytesType, "max"): ("{largest}({})", "largest"),
    (BytesType, SLICE): ("{part}({}, {}, {})", "part"),
    (ListType, "size"): ("len({})",),
    (ListType, "length"): ("len({})",),
    (ListType, "min"): ("{smallest}({})", "smallest"),
    (ListType, "max"): ("{largest}({})", "largest"),
    (FloatType, "to_i"): ("{truncate}({})", "truncate"),
    (ComputedFloatType, "to_i"): ("{truncate}({})", "truncate"),
    (BooleanType, "to_i"): ("int({})",),
    (EnumType, "to_i"): ("int({})",),
    (StreamType, "eof"): ("{}.is_eof()",),
    (StreamType, "size"): ("{}.size()",),
    (StreamType, "pos"): ("{}.pos()",),
}
"""By method: its text, in which ``{}`` are the value and the arguments, and the name of the runtime function that it
uses.
"""
