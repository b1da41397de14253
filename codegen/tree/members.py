"""Attributes and instances of a type, and what belongs to them: switches, checks, checksums."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..expression.nodes import Node
from ..expression.types import Type
from ..spec.position import Position
from ..wire import Framing, Logical, MessageField, OwnSize, Process, Repeat, Size, Terminator


@dataclass(frozen=True)
class Valid:
    """``valid``: any of its forms. ``expression`` sees the value as ``_``."""

    equal: Node | None = None
    minimum: Node | None = None
    maximum: Node | None = None
    any_of: tuple[Node, ...] = ()
    in_enum: bool = False
    expression: Node | None = None


@dataclass(frozen=True)
class SwitchCase:
    """One case of a ``switch-on`` type; ``match`` is ``None`` for ``_``."""

    match: Node | None
    type: Type
    arguments: tuple[Node, ...] = ()
    size: Size = field(default_factory=OwnSize)
    """The size in this case: that of the attribute if it has one and the type accepts it, otherwise the type's own."""
    terminator: Terminator | None = None
    """The terminator in this case; ``strz`` has its own."""


@dataclass(frozen=True)
class Switch:
    """A type that depends on a value; the first case that equals it is chosen."""

    on: Node
    cases: tuple[SwitchCase, ...]


@dataclass(frozen=True)
class Checksum:
    """``-wireloom: {checksum: …}`` on an attribute of integers, bits or bytes.

    The checksum covers the bytes on the wire of the attributes ``first`` … ``last`` of the same type, both included;
    with ``replace``, its own bytes count as that byte value if they are inside the range. ``initial`` and
    ``final_xor``: as in catalogues of CRCs; 0 for digests. ``endian``: the byte order of a number in an attribute of
    bytes. ``stored``: the expression of the stored value, where ``_`` is the checksum; ``None``: the checksum itself.
    ``continues``: the checksum of the preceding bytes. ``content``: it covers the decompressed content of the
    attribute. ``condition``: false if it is not verified.
    """

    algorithm: str
    first: str
    last: str
    initial: int
    final_xor: int
    replace: int | None = None
    endian: str = ""
    stored: Node | None = None
    continues: Node | None = None
    up: int = 0
    """Levels from the type with the attribute up to the type with ``first`` and ``last``."""
    content: bool = False
    condition: Node | None = None


@dataclass(frozen=True)
class Attribute:
    """One item of ``seq``. ``type`` is that of one item if ``repeat`` is set."""

    id: str
    type: Type
    size: Size
    arguments: tuple[Node, ...] = ()
    switch: Switch | None = None
    terminator: Terminator | None = None
    pad_right: int | None = None
    process: Process | None = None
    repeat: Repeat | None = None
    condition: Node | None = None
    contents: bytes | None = None
    valid: Valid | None = None
    checksum: Checksum | None = None
    framing: Framing | None = None
    given: bool = False
    """``-wireloom: {given: true}``: the caller of a writer provides it; it is not solved for."""
    default: Node | None = None
    """``-wireloom: {default: …}``: the value that a writer uses if none is given. Value instances in it are the ones
    that are given to the writer."""
    begins_with: Node | None = None
    ends_with: Node | None = None
    """``-wireloom: {begins-with: …, ends-with: …}``: items that a writer adds before and after those with rows."""
    indexer: str = ""
    """``-wireloom: {indexer: …}``: the class that creates items after those with rows, as ``module:Class``."""
    size_of: tuple[str, str] | None = None
    """``-wireloom: {size-of: …}``: the first and the last attribute of the range whose size it is."""
    logical: Logical | None = None
    message: MessageField | None = None
    """Set exactly for the attributes of a message type. A repeated field's ``repeat`` is ``RepeatEos``."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    anonymous: bool = False
    """True if the spec gave no id; the id is then ``_unnamedN`` as in Kaitai's compiler."""
    parent: Node | None = None
    """``parent``: the expression of the object's ``_parent``, ``false`` for none. ``None``: the object that contains
    it."""
    frames_layout: bool = False
    """Whether the value determines the position of later bytes: it is used in a size, count, condition or switch, or is
    ``contents``. If such a value is refused, the position of what follows is unknown."""
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Instance:
    """One of ``instances``: either ``value`` (computed) or an ``attribute`` read at ``pos`` of ``io``."""

    id: str
    type: Type
    value: Node | None = None
    attribute: Attribute | None = None
    pos: Node | None = None
    io: Node | None = None
    condition: Node | None = None
    valid: Valid | None = None
    logical: Logical | None = None
    variable: bool = False
    """Whether attributes that are read later may set it; ``value`` is its initial value."""
    sets: Node | None = None
    """The variable that is set to the value at the end of the object."""
    default: Node | None = None
    """``-wireloom: {default: …}``: the constant that a writer uses if it is not given the value."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False, repr=False)
