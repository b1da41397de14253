"""The nodes of a plan: frozen dataclasses that hold numbers, names and expressions, and nothing of the model.

Expressions are typed trees (``codegen/expression/nodes.py``), types those of ``codegen/expression/types.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from dataclasses import field as declared

from wireloom.checksums import Algorithm, algorithm

from ..expression.nodes import Attribute, Name, Node
from ..expression.types import BitsType, BytesType, IntegerType, Type, UserType, VarintType
from ..expression.walk import names_in
from ..spec.position import Position
from ..wire import (
    Framing,
    Logical,
    MessageField,
    Process,
    Repeat,
    Size,
    Terminator,
)

# What is read -------------------------------------------------------------------------------------------------------


LEAST_MARKER = 8
"""Bytes that two places do not have in common by chance."""


def _way_from_root(node: Node) -> tuple[str, ...]:
    """Return the names of ``_root.NAME.NAME``; none of other expressions."""
    way: tuple[str, ...] = ()
    while isinstance(node, Attribute):
        way, node = (node.name, *way), node.value
    return way if isinstance(node, Name) and node.id == "_root" else ()


@dataclass(frozen=True)
class Check:
    """A condition on a value, which is refused otherwise.

    ``rule``: ``contents`` (the bytes ``contents``), ``equal``, ``at least``, ``at most`` (the only operand), ``one of``
    (the operands), ``in enum`` (a label of the field's type), ``holds`` (the operand is true, the value being ``_``).
    """

    rule: str
    operands: tuple[Node, ...] = ()
    contents: bytes = b""


@dataclass(frozen=True)
class Switch:
    """A value whose type another one decides: that of the first branch of which a match equals ``on``.

    ``branches``: the matches of each and the field as it is then. ``otherwise``: the field where nothing matches,
    ``None`` if there is no value then.
    """

    on: Node
    branches: tuple[tuple[tuple[Node, ...], Field], ...]
    otherwise: Field | None
    exhaustive: bool
    """Whether each value of ``on`` matches a branch, or there is an ``otherwise``."""


@dataclass(frozen=True)
class Field:
    """A field of a type: where it is in the spec, what it is, how many bytes it takes, what it must be, and how
    often it comes. ``type``, ``size`` and ``checks`` are those of one item where it is repeated."""

    id: str
    place: str
    """Its place in the spec, such as ``/types/frame/seq/0``."""
    type: Type
    size: Size
    repeat: Repeat | None = None
    condition: Node | None = None
    """It is there only where that is true."""
    checks: tuple[Check, ...] = ()
    loses_layout: bool = False
    """Whether a refused value leaves unknown where the next one begins. Otherwise reading continues after it."""
    reason: str = "value"
    """The word for a refusal in reports: ``length`` where the value is part of a size or count, else ``value``."""
    fixed_size: int | None = None
    """The bytes that it takes on any input, where it may be part of a run."""
    least: int = 0
    """The bytes that it, or one item of it, takes at least."""
    terminator: Terminator | None = None
    pad_right: int | None = None
    process: Process | None = None
    defers: bool = False
    """Whether reading continues after the field where ``process`` cannot be undone, which is then refused."""
    arguments: tuple[Node, ...] = ()
    parent: Node | None = None
    """What stands as ``_parent`` of the object, ``false`` for nothing. ``None``: what it belongs to."""
    switch: Switch | None = None
    framing: Framing | None = None
    indexed: bool = False
    """Whether an expression of the repeated field asks for the number of the item."""
    at_once: bool = False
    """Whether the items are plain numbers, as many as a count says, all of which are unpacked together."""
    buffered: bool = False
    """Whether the items are objects of a type that is buffered, see ``TypePlan.buffered``."""
    iterable: bool = False
    """Whether items can be read one by one: nothing asks for the list."""
    logical: Logical | None = None
    """What the number or text stands for, such as a timestamp."""
    message: MessageField | None = None
    """Set for all fields of a protobuf message and for no others."""
    given: bool = False
    """Whether whoever writes gives it, although it could be solved for."""
    default: Node | None = None
    """What a writer writes if it is not given a value. Value instances in it are those that the writer is given."""
    begins_with: Node | None = None
    ends_with: Node | None = None
    """The items that a writer writes before and after those with rows."""
    size_of: tuple[str, str] | None = None
    """The first and the last of the fields after it whose size it is, which a writer fills in."""
    is_checksum: bool = False
    anonymous: bool = False
    """Whether the spec gave no id."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)

    @property
    def marker(self) -> tuple[str, ...]:
        """Return the way from the root to the bytes that this field must equal, if they are so many that no other place
        has them by chance."""
        plain = not (self.is_cut or self.condition or self.repeat or self.switch or self.process)
        if not plain or not isinstance(self.type, BytesType) or (self.fixed_size or 0) < LEAST_MARKER:
            return ()
        ways = (_way_from_root(each.operands[0]) for each in self.checks if each.rule == "equal")
        return next(ways, ())

    @property
    def contents(self) -> bytes | None:
        """Return the only bytes that the value may have, if that is checked."""
        return next((each.contents for each in self.checks if each.rule == "contents"), None)

    @property
    def only(self) -> Node | None:
        """Return the one value that a check allows; ``None`` if there are others."""
        return next((each.operands[0] for each in self.checks if each.rule == "equal"), None)

    @property
    def stripped(self) -> int | None:
        """Return the byte that a reader strips from the value's end. As in Kaitai's language, what pads and ends a
        value alike is not stripped: the terminator finds the end."""
        ends_alike = self.terminator is not None and self.terminator.value[-1] == self.pad_right
        return None if ends_alike else self.pad_right

    @property
    def is_cut(self) -> bool:
        """Return whether the value may be shorter than the bytes of the field."""
        return self.terminator is not None or self.pad_right is not None

    @property
    def unmatched(self) -> bool:
        """Return whether a value may be of none of the types that the switch offers."""
        return self.switch is not None and not self.switch.exhaustive

    @property
    def optional(self) -> bool:
        """Return whether there are objects without the field: it has a condition, may match no case, or is an optional
        field of a message."""
        absent = self.condition is not None or (self.unmatched and self.repeat is None)
        return absent or (self.message is not None and self.message.label == "optional")

    @property
    def solvable(self) -> bool:
        """Return whether it is an integer whose value only what it measures decides."""
        plain = self.repeat is None and self.switch is None and not self.is_checksum
        return plain and not self.given and is_number(self.type)

    @property
    def forms(self) -> tuple[Field, ...]:
        """Return the field as it may be: as in each branch of its switch, or as it is."""
        if self.switch is None:
            return (self,)
        otherwise = () if self.switch.otherwise is None else (self.switch.otherwise,)
        return (*(each for _, each in self.switch.branches), *otherwise)

    @property
    def held(self) -> tuple[UserType, ...]:
        """Return the types of the objects that it may hold."""
        return tuple(each.type for each in self.forms if isinstance(each.type, UserType))

    def once(self) -> Field:
        """Return the field as it is read by itself: neither repeated nor on a condition."""
        return replace(self, repeat=None, condition=None)


def is_number(kind: Type) -> bool:
    """Return whether values of a type are integers that something can be solved for."""
    return isinstance(kind, IntegerType | VarintType) or (isinstance(kind, BitsType) and kind.width > 1)


@dataclass(frozen=True)
class Piece:
    """Neighbouring fields of a run that have one byte order (``le``, ``be``, or ``None`` if it makes no difference).
    ``offset``: of the first, from where the run begins."""

    fields: tuple[Field, ...]
    endian: str | None
    offset: int
    size: int


@dataclass(frozen=True)
class Run:
    """Fields of fixed sizes that follow each other; ``offsets``: where each begins, and at last where the run ends."""

    fields: tuple[Field, ...]
    offsets: tuple[int, ...]
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Return the size in bytes of all fields."""
        return self.offsets[-1]

    @property
    def parts(self) -> tuple[tuple[Field, ...], ...]:
        """Return the run cut after each field that loses the layout when it is refused: it is looked at first."""
        parts: list[tuple[Field, ...]] = [()]
        for each in self.fields:
            parts[-1] += (each,)
            if each.loses_layout and each.checks:
                parts.append(())
        return tuple(each for each in parts if each)


Step = Run | Field


@dataclass(frozen=True)
class Cover:
    """A checksum: ``field`` must be that of the bytes of the fields ``covered``, which follow each other.

    ``value``: the one field whose value these bytes are, where it is that simple. ``blanks_own``: the checksum's own
    bytes lie inside, and count as bytes of the value ``replace``. ``endian``: of a number in a field of bytes.
    ``stored``: what stands for the checksum ``_`` on the wire. ``continues``: the checksum of what comes before.
    ``condition``: of the field; ``needed``: where it is false, the checksum is not verified.
    """

    field: Field
    algorithm: str
    covered: tuple[str, ...]
    initial: int
    final_xor: int
    replace: int | None
    value: str | None
    blanks_own: bool
    endian: str = ""
    stored: Node | None = None
    continues: Node | None = None
    condition: Node | None = None
    inside: tuple[str, ...] = ()
    """The fields that lead to the object that holds the checksum; empty if it is the one with what is covered."""
    before_expansion: bool = False
    """Whether it is verified before the bytes of the last field, which are compressed, are decompressed."""
    content: bool = False
    """Whether it covers what the one field expands to; it is verified before that is read."""
    needed: Node | None = None

    @property
    def of_object(self) -> bool:
        """Return whether it covers the content of an object."""
        return self.content and self.value is None

    @property
    def chained(self) -> bool:
        """Return whether the checksum continues that of the item before in a list."""
        return self.continues is not None and "_" in names_in(self.continues)

    @property
    def made_by(self) -> Algorithm:
        """Return the algorithm with its parameters."""
        return algorithm(self.algorithm, self.initial, self.final_xor)

    @property
    def way(self) -> tuple[str, ...]:
        """Return the fields that lead to the checksum, the last one it."""
        return (*self.inside, self.field.id)

    @property
    def first(self) -> str:
        """Return the first field that is covered."""
        return self.covered[0]

    @property
    def last(self) -> str:
        """Return the last field that is covered."""
        return self.covered[-1]


@dataclass(frozen=True)
class Instance:
    """A value beside the sequence: computed, or a field that is read at ``pos`` of ``io``."""

    id: str
    type: Type
    value: Node | None = None
    field: Field | None = None
    pos: Node | None = None
    io: Node | None = None
    condition: Node | None = None
    checks: tuple[Check, ...] = ()
    """Those of a computed value."""
    logical: Logical | None = None
    variable: bool = False
    """What is read later may set it; ``value`` is what it begins with."""
    sets: Node | None = None
    """The variable that is set to the value at the end of the object."""
    default: Node | None = None
    """The constant that a writer takes it for if it is not given the value."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)


# What is written ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fill:
    """A field that a writer fills in.

    ``how``: ``constant`` (the bytes ``contents``), ``measured`` (the size of the fields that ``Field.size_of`` says),
    ``unless given`` (the only ``value`` that it may have, or the
    default), ``made`` (an object of which everything is filled in), ``solved``
    (the ``value`` that follows from a size or count, in which ``NAME.size`` is the size of a field on the wire),
    ``checksum before`` anything is written or ``checksum after`` all it covers is.
    """

    id: str
    how: str
    value: Node | None = None
    contents: bytes = b""
    cover: Cover | None = None
