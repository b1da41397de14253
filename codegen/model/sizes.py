"""Constant sizes: ``sizeof``, ``bitsizeof`` and ``_sizeof``."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass, field

from ..expression.fold import constant_integer
from ..expression.typer import UnknownNameError
from ..expression.types import BitsType, EnumType, FloatType, IntegerType, Path, Type, UserType, type_name
from ..spec.syntax import Expression
from ..tree.leaves import FixedSize
from .fields import PendingWithin
from .symbols import AlreadyReportedError, Member, Symbol, World

MAX_BITS = 2**63
"""Maximum size: otherwise a few kilobytes of spec could produce numbers of any length."""

MAX_TYPE_DEPTH = 100
"""Maximum nesting depth of types; a type that contains itself counts once."""


@dataclass
class Sizes:
    """Computes sizes in bits, and caches those of types."""

    world: World
    known: dict[Path, int | None] = field(default_factory=dict)
    open: list[Path] = field(default_factory=list)

    def of_type(self, type: Type) -> int:
        """Return the size in bits of all values of the type. Raises ``UnknownNameError`` if it is not constant, and
        ``AlreadyReportedError`` if a part has an error."""
        size = self._type(type)
        if size is None:
            name = "::".join(type.path) if isinstance(type, UserType) else type_name(type)
            raise UnknownNameError(f"unable to derive sizeof for type `{name}`: dynamic sized type")
        return size

    def of_symbol(self, symbol: Symbol) -> int:
        """Return the size in bits of all objects of the type."""
        return self.of_type(UserType(symbol.path))

    def of_member(self, symbol: Symbol, name: str) -> int:
        """Return the size in bits of an attribute, by its key ``size`` and its repetition."""
        member = symbol.members.get(name)
        if member is None:
            raise UnknownNameError(f"unknown name '{name}' in {symbol.name}")
        size = self._member(member)
        if size is None:
            raise UnknownNameError(f"unable to derive sizeof of `{name}`: dynamic sized type")
        return size

    def _type(self, type: Type) -> int | None:
        match type:
            case IntegerType(size=size) | FloatType(size=size):
                return size * 8
            case BitsType(width=width):
                return width
            case EnumType(base=base):
                return self._type(base)
            case UserType(path=path, opaque=False):
                return self._struct(path)
        return None

    def _struct(self, path: Path) -> int | None:
        if path in self.known:
            return self.known[path]
        if path in self.open or len(self.open) >= MAX_TYPE_DEPTH:
            return None
        symbol = self.world.at(path)
        if symbol is None:
            return None
        self.open.append(path)
        try:
            size = self._sum(symbol)
        finally:
            self.open.pop()
        self.known[path] = size
        return size

    def _sum(self, symbol: Symbol) -> int | None:
        if symbol.is_message:
            return None
        if symbol.unknown_members:
            raise AlreadyReportedError
        total = 0
        for member in symbol.of_kind("attribute"):
            size = self._member(member)
            if size is None or "if" in member.section:
                return None
            if member.field is None or not _is_bits(member.field.type):
                # Everything but bit fields begins at a byte.
                total = (total + 7) // 8 * 8
            total += size
        return total if total <= MAX_BITS else None

    def _member(self, member: Member) -> int | None:
        if member.failed:
            raise AlreadyReportedError
        if member.field is None:
            return self._type(member.type) if member.type is not None and member.kind != "instance" else None
        size: int | None
        if member.field.switch is not None or member.field.message is not None:
            size = None
        elif isinstance(member.field.size, PendingWithin):
            size = 0
        elif isinstance(member.field.size, FixedSize):
            size = member.field.size.size * 8
        elif isinstance(member.field.size, Expression):
            number = constant_integer(member.field.size.node)
            size = number * 8 if number is not None and number >= 0 else None
        else:
            size = self._type(member.field.type)
        if size is None or not member.field.repeats:
            return size
        count = member.section.expression("repeat-expr")
        number = constant_integer(count.node) if count is not None else None
        return size * number if number is not None and number >= 0 else None


def _is_bits(type: Type) -> bool:
    return isinstance(type.on_wire, BitsType)
