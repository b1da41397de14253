"""The types of attributes and expressions. They are frozen, comparable and do not refer to the model: a user type or an
enum is named by its absolute path, and ``Spec.struct(path)`` or ``Spec.enum(path)`` finds it."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass

Path = tuple[str, ...]
"""Absolute path of a type or an enum: the spec's id, then the names of the nested types, as written in the spec."""


@dataclass(frozen=True)
class Type:
    """Base of all types."""

    @property
    def on_wire(self) -> Type:
        """Return the type on the wire: that of the numbers of an enum."""
        return self


@dataclass(frozen=True)
class IntegerType(Type):
    """``u1 … s8``. ``size``: in bytes (1, 2, 4, 8); ``endian``: ``le`` or ``be``, ``computed`` if the type's
    ``Struct.endian`` decides, ``None`` for a single byte and for values that are not on the wire (parameters, casts).
    """

    size: int
    signed: bool
    endian: str | None


@dataclass(frozen=True)
class BitsType(Type):
    """``bN[le|be]``: ``width`` bits. One bit is a boolean, as in Kaitai's language."""

    width: int
    endian: str


@dataclass(frozen=True)
class VarintType(Type):
    """An integer in groups of seven bits, one per byte; the highest bit of a byte says that another one follows.

    ``order``: ``le`` if the first group is the lowest, else ``be``. ``groups``: the number of lowest groups that count.
    ``most``: the maximum number of bytes, the last of which is at most ``top``; 0 if unlimited. ``zigzag``: even
    numbers represent 0, 1, 2 …, odd ones -1, -2 …
    """

    path: Path
    """The type of the spec that describes it."""
    order: str
    groups: int
    most: int = 0
    top: int = 127
    zigzag: bool = False

    @property
    def big_endian(self) -> bool:
        """Return whether the first group is the highest."""
        return self.order == "be"

    @property
    def limits(self) -> tuple[int, int]:
        """Return the smallest and the largest value.

        >>> VarintType(("varint",), "le", 10, most=10, top=1, zigzag=True).limits == (-(2**63), 2**63 - 1)
        True
        """
        count = ((self.top + 1) if self.groups == self.most else 128) << 7 * (self.groups - 1)
        return (-(count // 2), count // 2 - 1) if self.zigzag else (0, count - 1)


@dataclass(frozen=True)
class FloatType(Type):
    """``f4``, ``f8``; ``endian`` as for integers."""

    size: int
    endian: str | None


@dataclass(frozen=True)
class ComputedIntegerType(Type):
    """An integer of any size that an expression computes."""


@dataclass(frozen=True)
class ComputedFloatType(Type):
    """A float that an expression computes."""


@dataclass(frozen=True)
class BooleanType(Type):
    """``true`` or ``false``."""


@dataclass(frozen=True)
class BytesType(Type):
    """Bytes."""


@dataclass(frozen=True)
class StringType(Type):
    """Text; ``encoding`` is the canonical name of its encoding (``UTF-8``), ``None`` for text that an expression
    computes."""

    encoding: str | None = None


@dataclass(frozen=True)
class EnumType(Type):
    """An integer with names. ``base`` is the type on the wire."""

    path: Path
    base: Type

    @property
    def on_wire(self) -> Type:
        """Return the type on the wire."""
        return self.base


@dataclass(frozen=True)
class UserType(Type):
    """A type of the spec, of an imported spec, or an opaque one that the user provides."""

    path: Path
    opaque: bool = False


@dataclass(frozen=True)
class ListType(Type):
    """A list: a repeated attribute, or a list literal."""

    item: Type


@dataclass(frozen=True)
class StreamType(Type):
    """``_io``."""


@dataclass(frozen=True)
class AnyStructType(Type):
    """``struct``: a user type that is not known at generation time (``_parent`` of a type with several parents)."""


@dataclass(frozen=True)
class UnionType(Type):
    """The type of a ``switch-on`` whose cases have no common type. Without members: anything (``any``)."""

    members: tuple[Type, ...]
