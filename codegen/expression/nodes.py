"""The syntax tree of the expression language.

Nodes are frozen. The parser creates them with ``type=None``; the typer returns copies with ``type`` set on every node,
and only typed trees reach the model and the backends. ``start`` and ``end`` are character offsets into the text of the
expression, so that a diagnostic can point at the invalid part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireloom.base.dataclass import dataclass, field

if TYPE_CHECKING:
    from .types import Type


@dataclass(frozen=True, kw_only=True)
class Node:
    """The base of all nodes: the position in the text of the expression and, once typed, the type."""

    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    type: Type | None = field(default=None, compare=False)


@dataclass(frozen=True)
class IntegerLiteral(Node):
    """``12``, ``0x1f``, ``0b11``, ``0o17``; ``radix`` is the base in which it was written, and has no other meaning."""

    value: int
    radix: int = field(default=10, compare=False)


@dataclass(frozen=True)
class FloatLiteral(Node):
    """``1.5``, ``2e3``."""

    value: float


@dataclass(frozen=True)
class BooleanLiteral(Node):
    """``true``, ``false``."""

    value: bool


@dataclass(frozen=True)
class StringLiteral(Node):
    """Text in quotes, with escapes resolved."""

    value: str


@dataclass(frozen=True)
class FormattedString(Node):
    """``f"…{expression}…"``: parts are ``StringLiteral`` or other nodes, which are formatted."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class ListLiteral(Node):
    """``[a, b, …]``. Typed as bytes if it is not empty and every item is an integer literal of 0…255."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Name(Node):
    """A bare name: an attribute, instance or parameter of the current type, or one of ``_``, ``_index``, ``_io``,
    ``_parent``, ``_root``, ``_sizeof``, ``_on``."""

    id: str


@dataclass(frozen=True)
class MemberAccess(Node):
    """``value.name``: a field of a user type, or a method without arguments (``length``, ``to_i``, ``size`` …)."""

    value: Node
    name: str


@dataclass(frozen=True)
class Call(Node):
    """``value.name(arguments)``: ``substring``, ``to_i(radix)``, ``to_s(encoding)`` …"""

    value: Node
    name: str
    arguments: tuple[Node, ...]


SLICE = "slice"
"""The method of bytes that the key ``slice`` of an instance is compiled to; it cannot be written in an expression."""


@dataclass(frozen=True)
class Subscript(Node):
    """``value[index]``: an item of a list, or a byte."""

    value: Node
    index: Node


@dataclass(frozen=True)
class Unary(Node):
    """``operator`` is one of ``-``, ``+``, ``~``, ``not``."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    """``operator`` is one of ``+ - * / % & | ^ << >>``. ``/`` on integers is floor division, ``%`` its modulo
    (never negative for a positive divisor), as in Kaitai's language and in Python's ``//`` and ``%``."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Comparison(Node):
    """``operator`` is one of ``== != < <= > >=``."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Logical(Node):
    """``operator`` is ``and`` or ``or``."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Conditional(Node):
    """``condition ? then : otherwise``."""

    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True)
class EnumMember(Node):
    """``[type::…::]enum::label``; ``path`` is the part before the last ``::``."""

    path: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class Cast(Node):
    """``value.as<type>``; ``target`` is the name of the type as written."""

    value: Node
    target: str


@dataclass(frozen=True)
class SizeOf(Node):
    """``sizeof<type>`` in bytes or ``bitsizeof<type>`` in bits; ``unit``: ``byte`` or ``bit``."""

    target: str
    unit: str


@dataclass(frozen=True)
class CoveredChecksum(Node):
    """The checksum of the bytes on the wire of attributes of a type. The key ``checksum`` of the instance ``id`` is
    compiled to it; it cannot be written in an expression. ``runs``: the first and the last attribute of each run; their
    bytes are concatenated. ``initial`` and ``final_xor``: as in catalogues of CRCs; 0 for digests."""

    id: str
    algorithm: str
    initial: int
    final_xor: int
    runs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TableLiteral(Node):
    """A table with these entries. The keys ``table`` and ``variable`` of instances are compiled to it; it cannot be
    written in an expression."""

    entries: tuple[tuple[int | str | bytes, int | str | bytes], ...] = ()


# Nodes that a writer computes; the parser never creates them ---------------------------------------------------------


@dataclass(frozen=True)
class Aggregate(Node):
    """The ``largest`` or ``smallest`` (``function``) value of an expression among the items of a list, each of which is
    ``_``, for which a condition holds; ``otherwise`` if there are none."""

    function: str
    value: Node
    items: Node
    condition: Node | None = None
    otherwise: Node | None = None


@dataclass(frozen=True)
class ObjectLiteral(Node):
    """An object of a type of the spec, which is ``type``, with values for the named attributes and parameters."""

    names: tuple[str, ...]
    values: tuple[Node, ...]


@dataclass(frozen=True)
class ForEach(Node):
    """The objects (``item``, in a list) or the ``total``, ``largest`` or ``smallest`` value (``function``) of an
    expression for the items, each of which is ``_``, that a writer has written so far and for which a condition holds;
    ``otherwise`` if there are none."""

    function: str
    condition: Node
    value: Node
    otherwise: Node | None = None


@dataclass(frozen=True)
class RandomBytes(Node):
    """``size`` random bytes."""

    size: int
