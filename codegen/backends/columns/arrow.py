"""The Arrow types of columns, and how the engine stores them."""

from __future__ import annotations

from functools import reduce

from wireloom.base.dataclass import dataclass, replace
from wireloom.format.program import Kind, Storage

from ...expression.types import (
    BitsType,
    BooleanType,
    BytesType,
    ComputedFloatType,
    ComputedIntegerType,
    EnumType,
    FloatType,
    IntegerType,
    Path,
    StringType,
    Type,
    VarintType,
    integer_range,
    is_float,
)
from ...tree import Spec
from ...tree.leaves import Decimal, Labels, Logical, Pairs, Timestamp
from .interval import FLOAT, INT64, Interval


@dataclass(frozen=True)
class ArrowType:
    """An Arrow type: its ``name`` as ``Column.type`` has it, and the Python expression that constructs it.

    ``storage`` is the layout that the engine fills (``None``: it fills none), ``kind`` how it stores a register there.
    ``item`` is the type of the items of a list, ``fields`` are those of a struct, ``owner`` is the path of the type of
    the spec that a struct shows. ``variants``, of a struct for the types that a switch chooses from: for each field the
    qualified name of its class, empty for bytes, text and numbers; exactly one field is present.
    """

    name: str
    constructor: str
    storage: Storage | None = None
    kind: Kind | None = None
    item: ArrowType | None = None
    fields: tuple[tuple[str, ArrowType], ...] = ()
    variants: tuple[str, ...] = ()
    owner: Path = ()
    pairs: Pairs | None = None
    """Set for a list of structs that is a map; ``name`` and ``constructor`` are then those of the map."""
    absent: int | None = None
    """Of a timestamp: the count that means that there is no time."""
    form: str = ""
    """Of a decimal: how it is written, as ``Column.decimals`` says it."""
    is_json: bool = False
    """Whether it is the text of objects."""

    @property
    def is_float(self) -> bool:
        """Return whether it is a type of floats."""
        return self.name in ("float32", "float64")

    @property
    def parts(self) -> tuple[tuple[str, ArrowType], ...]:
        """Return the fields of a struct, or the item of a list."""
        return (*self.fields, *((("item", self.item),) if self.item is not None else ()))

    @property
    def absents(self) -> tuple[tuple[str, int], ...]:
        """Return the timestamps in it of which a count means that there is no time: the path that leads to each, and
        that count."""
        own = () if self.absent is None else (("", self.absent),)
        return own + tuple((f".{name}{path}", count) for name, each in self.parts for path, count in each.absents)

    @property
    def decimals(self) -> tuple[tuple[str, str], ...]:
        """Return the decimals in it: the path that leads to each, and how it is written."""
        own = (("", self.form),) if self.form else ()
        return own + tuple((f".{name}{path}", form) for name, each in self.parts for path, form in each.decimals)

    @property
    def switched(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """Return the structs of variants in it: the path that leads to each, and the classes of its fields."""
        names = (name for name, _ in self.fields)
        own = (("", tuple(zip(names, self.variants, strict=True))),) if self.variants else ()
        return own + tuple((f".{name}{path}", kinds) for name, each in self.parts for path, kinds in each.switched)

    @property
    def maps(self) -> tuple[tuple[str, str, str], ...]:
        """Return the maps in it: the path that leads to each, and those from an item to its key and its value."""
        own = () if self.pairs is None else (("", ".".join(self.pairs.key), ".".join(self.pairs.value)),)
        return own + tuple((f".{name}{path}", key, item) for name, each in self.parts for path, key, item in each.maps)

    def inside(self, path: tuple[str, ...]) -> ArrowType:
        """Return the type of a field of a struct, given the names that lead to it through nested structs."""
        return reduce(lambda holder, name: dict(holder.fields)[name], path, self)


def _integer(size: int, signed: bool) -> ArrowType:
    name = f"{'int' if signed else 'uint'}{8 * size}"
    return ArrowType(name, f"pa.{name}()", Storage(size), wire_kind(size, signed, "le"))


def wire_kind(size: int, signed: bool, endian: str | None) -> Kind:
    """Return the engine's kind for an integer on the wire.

    >>> wire_kind(4, False, "be").name
    'U4BE'
    """
    return Kind[f"{'S' if signed else 'U'}{size}{(endian or '').upper() if size > 1 else ''}"]


INTEGERS = {(size, signed): _integer(size, signed) for size in (1, 2, 4, 8) for signed in (False, True)}
"""By size in bytes and signedness."""

BOOLEAN = ArrowType("bool", "pa.bool_()", Storage.FIXED8, Kind.U1)
"""The engine stores 0 or 1 in a byte; the reader packs these into Arrow's bits."""

FLOATS = {
    4: ArrowType("float32", "pa.float32()", Storage.FIXED32),
    8: ArrowType("float64", "pa.float64()", Storage.FIXED64),
}
BINARY = ArrowType("binary", "pa.binary()", Storage.VARIABLE)
TEXT = ArrowType("utf8", "pa.utf8()", Storage.VARIABLE)
JSON = ArrowType("utf8", "pa.utf8()", Storage.VARIABLE, is_json=True)
"""Objects of types with the key ``json``."""
LABELS = {
    signed: ArrowType("dictionary[utf8]", "pa.dictionary(pa.int32(), pa.utf8())", Storage.FIXED64, kind)
    for signed, kind in ((True, Kind.S8LE), (False, Kind.U8LE))
}
"""By signedness. The engine stores the numbers in 64 bits; the reader replaces them by their labels."""


def timestamp_type(logical: Timestamp) -> ArrowType:
    """Return the type of a timestamp column; the engine fills in the raw counts."""
    zone, name = (f', "{logical.zone}"', f", {logical.zone}") if logical.zone else ("", "")
    constructor = f'pa.timestamp("{logical.unit}"{zone})'
    return ArrowType(f"timestamp[{logical.unit}{name}]", constructor, Storage.FIXED64, absent=logical.absent)


def integer_interval(kind: Type) -> Interval | None:
    """Return the interval of an integer, enum or boolean on the wire; ``None`` for other types."""
    if isinstance(kind, BooleanType):
        return Interval(0, 1)
    if isinstance(kind, EnumType):
        return integer_interval(kind.base)
    values = integer_range(kind)
    return values and Interval(*values)


def number_interval(kind: Type | None) -> Interval | None:
    """Return the same, or the interval of floats."""
    if kind is None or is_float(kind):
        return None if kind is None else FLOAT
    return integer_interval(kind)


def computed_integer(interval: Interval | None) -> ArrowType:
    """Return ``int64``, or ``uint64`` if the values need it and are never negative."""
    return INTEGERS[8, not _needs_unsigned(interval)]


def _needs_unsigned(interval: Interval | None) -> bool:
    return interval is not None and interval.low >= 0 and interval.high > INT64.high


def scalar_type(spec: Spec, kind: Type, logical: Logical | None, computed: Interval | None = None) -> ArrowType | None:
    """Return the type of single values of ``kind``; ``None`` for lists and user types, and if no single Arrow type
    fits.

    ``computed``: the range of the values of a computed integer, if known.
    """
    match logical:
        case Timestamp():
            return timestamp_type(logical)
        case Decimal(form, digits, scale, signed):
            # The engine fills in the bytes, from which the reader makes decimals.
            kind_of = form if signed else f"{form} unsigned"
            return ArrowType(
                f"decimal128({digits}, {scale})", f"pa.decimal128({digits}, {scale})", Storage.VARIABLE, form=kind_of
            )
        case Labels():
            return LABELS[not _needs_unsigned(computed or integer_interval(kind))]
    match kind:
        case IntegerType(size=size, signed=signed):
            return INTEGERS[size, signed]
        case BitsType(width=width):
            return BOOLEAN if width == 1 else _bits(width)
        case FloatType(size=size):
            return FLOATS[size]
        case BooleanType():
            return BOOLEAN
        case VarintType():
            return computed_integer(integer_interval(kind))
        case ComputedIntegerType():
            return computed_integer(computed)
        case ComputedFloatType():
            return FLOATS[8]
        case BytesType():
            return BINARY
        case StringType():
            return TEXT
        case EnumType(base=base):
            return scalar_type(spec, base, None, computed)
        case _:
            return None


def _bits(width: int) -> ArrowType | None:
    size = next((size for size in (1, 2, 4, 8) if width <= 8 * size), None)
    return INTEGERS[size, False] if size else None


def struct_type(fields: tuple[tuple[str, ArrowType], ...], owner: Path = ()) -> ArrowType:
    """Return the type of structs with these fields. ``owner``: the path of the type of the spec that they show."""
    names = ", ".join(f"{name}: {each.name}" for name, each in fields)
    constructors = ", ".join(f'pa.field("{name}", {each.constructor})' for name, each in fields)
    return ArrowType(f"struct<{names}>", f"pa.struct([{constructors}])", fields=fields, owner=owner)


def list_type(item: ArrowType) -> ArrowType:
    """Return the type of lists of ``item``."""
    return ArrowType(f"list<{item.name}>", f"pa.list_({item.constructor})", item=item)


def map_type(item: ArrowType, pairs: Pairs) -> ArrowType:
    """Return the type of maps whose pairs are the structs ``pairs``."""
    key, value = (item.inside(path) for path in (pairs.key, pairs.value))
    constructor = f"pa.map_({key.constructor}, {value.constructor})"
    return ArrowType(f"map<{key.name}, {value.name}>", constructor, item=item, pairs=pairs)


def union_type(variants: ArrowType) -> ArrowType:
    """Return the dense union of the fields of a struct of variants."""
    names = ", ".join(f"{name}: {each.name}" for name, each in variants.fields)
    constructors = ", ".join(f'pa.field("{name}", {each.constructor})' for name, each in variants.fields)
    return replace(variants, name=f"dense_union<{names}>", constructor=f"pa.dense_union([{constructors}])")
