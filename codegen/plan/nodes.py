"""The nodes of a plan: frozen dataclasses that contain numbers, names and expressions, and no references to the model.

Expressions are typed trees (``codegen/expression/nodes.py``), types are those of ``codegen/expression/types.py``.
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

# What is read --------------------------------------------------------------------------------------------------------


LEAST_MARKER = 8
"""Minimum size in bytes of a marker, so that it does not occur elsewhere by chance."""


def _way_from_root(node: Node) -> tuple[str, ...]:
    """Return the names of ``_root.NAME.NAME``; empty for other expressions."""
    way: tuple[str, ...] = ()
    while isinstance(node, Attribute):
        way, node = (node.name, *way), node.value
    return way if isinstance(node, Name) and node.id == "_root" else ()


@dataclass(frozen=True)
class Check:
    """A condition on a value; a value that does not meet it is refused.

    ``rule``: ``contents`` (the bytes ``contents``), ``equal``, ``at least``, ``at most`` (the only operand), ``one of``
    (the operands), ``in enum`` (a label of the field's type), ``holds`` (the operand is true, with the value as ``_``).
    """

    rule: str
    operands: tuple[Node, ...] = ()
    contents: bytes = b""


@dataclass(frozen=True)
class Switch:
    """A value whose type depends on the value ``on``: it is the type of the first branch with a match equal to ``on``.

    ``branches``: the matches of each, and the field in that case. ``otherwise``: the field if nothing matches; ``None``
    if there is then no value.
    """

    on: Node
    branches: tuple[tuple[tuple[Node, ...], Field], ...]
    otherwise: Field | None
    exhaustive: bool
    """Whether each value of ``on`` matches a branch, or ``otherwise`` is set."""


@dataclass(frozen=True)
class Field:
    """A field of a type: its position in the spec, its type, size, checks and repetition. If it is repeated, ``type``,
    ``size`` and ``checks`` apply to one item."""

    id: str
    place: str
    """The path of the field in the spec, such as ``/types/frame/seq/0``."""
    type: Type
    size: Size
    repeat: Repeat | None = None
    condition: Node | None = None
    """The field is present only if this is true."""
    checks: tuple[Check, ...] = ()
    loses_layout: bool = False
    """Whether the position of the next value is unknown after an invalid one. Otherwise reading continues after it."""
    reason: str = "value"
    """The reason in reports for an invalid value: ``length`` if the value is part of a size or count, else
    ``value``."""
    fixed_size: int | None = None
    """The size in bytes that it has in every input, if it may be part of a run."""
    least: int = 0
    """The minimum size of the field, or of one item, in bytes."""
    terminator: Terminator | None = None
    pad_right: int | None = None
    process: Process | None = None
    defers: bool = False
    """Whether reading continues after the field if ``process`` fails; the field is then refused."""
    confines: bool = False
    """Whether reading continues after the field if something in its own bytes cannot be read; the field is then
    refused."""
    arguments: tuple[Node, ...] = ()
    parent: Node | None = None
    """The ``_parent`` of the object, ``false`` for none. ``None``: the object that it belongs to."""
    switch: Switch | None = None
    framing: Framing | None = None
    indexed: bool = False
    """Whether an expression of the repeated field uses the index of the item."""
    at_once: bool = False
    """Whether the items are plain numbers whose count is known, so that all are unpacked together."""
    buffered: bool = False
    """Whether the items are objects of a buffered type, see ``TypePlan.buffered``."""
    iterable: bool = False
    """Whether items can be read one by one, since nothing uses the list."""
    logical: Logical | None = None
    """What the number or text represents, such as a timestamp."""
    message: MessageField | None = None
    """Set for all fields of a protobuf message and for no others."""
    given: bool = False
    """Whether the caller of a writer provides the value, although it could be solved for."""
    default: Node | None = None
    """The value that a writer uses if none is given. Value instances in it are those given to the writer."""
    begins_with: Node | None = None
    ends_with: Node | None = None
    """The items that a writer writes before and after those with rows."""
    indexer: str = ""
    """The class that creates items after those with rows, as ``module:Class``; or empty."""
    size_of: tuple[str, str] | None = None
    """The first and the last of the fields after it whose total size it contains; a writer fills it in."""
    is_checksum: bool = False
    anonymous: bool = False
    """Whether the spec gave no id."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)

    @property
    def marker(self) -> tuple[str, ...]:
        """Return the way from the root to the bytes that this field must equal, if they are too many to occur elsewhere
        by chance; otherwise empty."""
        plain = not (self.is_cut or self.condition or self.repeat or self.switch or self.process)
        if not plain or not isinstance(self.type, BytesType) or (self.fixed_size or 0) < LEAST_MARKER:
            return ()
        ways = (_way_from_root(each.operands[0]) for each in self.checks if each.rule == "equal")
        return next(ways, ())

    @property
    def contents(self) -> bytes | None:
        """Return the only bytes that the value may have, if ``contents`` are checked, else ``None``."""
        return next((each.contents for each in self.checks if each.rule == "contents"), None)

    @property
    def only(self) -> Node | None:
        """Return the only value that a check allows; ``None`` if there are others."""
        return next((each.operands[0] for each in self.checks if each.rule == "equal"), None)

    @property
    def stripped(self) -> int | None:
        """Return the byte that a reader strips from the end of the value. As in Kaitai's language, a byte that is both
        padding and terminator is not stripped, since the terminator determines the end."""
        ends_alike = self.terminator is not None and self.terminator.value[-1] == self.pad_right
        return None if ends_alike else self.pad_right

    @property
    def is_cut(self) -> bool:
        """Return whether the value may be shorter than the bytes of the field."""
        return self.terminator is not None or self.pad_right is not None

    @property
    def unmatched(self) -> bool:
        """Return whether a value may have none of the types of the switch."""
        return self.switch is not None and not self.switch.exhaustive

    @property
    def optional(self) -> bool:
        """Return whether the field may be absent: it has a condition, may match no case, or is an optional field of a
        message."""
        absent = self.condition is not None or (self.unmatched and self.repeat is None)
        return absent or (self.message is not None and self.message.label == "optional")

    @property
    def solvable(self) -> bool:
        """Return whether the field is an integer that is determined only by the size or count that it stores."""
        plain = self.repeat is None and self.switch is None and not self.is_checksum
        return plain and not self.given and is_number(self.type)

    @property
    def forms(self) -> tuple[Field, ...]:
        """Return the possible forms of the field: one for each branch of its switch, or the field itself."""
        if self.switch is None:
            return (self,)
        otherwise = () if self.switch.otherwise is None else (self.switch.otherwise,)
        return (*(each for _, each in self.switch.branches), *otherwise)

    @property
    def held(self) -> tuple[UserType, ...]:
        """Return the types of the objects that it may contain."""
        return tuple(each.type for each in self.forms if isinstance(each.type, UserType))

    def once(self) -> Field:
        """Return the field as it is for a single value: neither repeated nor conditional."""
        return replace(self, repeat=None, condition=None)


def is_number(kind: Type) -> bool:
    """Return whether values of a type are integers that can be solved for."""
    return isinstance(kind, IntegerType | VarintType) or (isinstance(kind, BitsType) and kind.width > 1)


@dataclass(frozen=True)
class Piece:
    """Consecutive fields of a run that share a byte order (``le``, ``be``, or ``None`` if it makes no difference).
    ``offset``: of the first field, from the start of the run."""

    fields: tuple[Field, ...]
    endian: str | None
    offset: int
    size: int


@dataclass(frozen=True)
class Run:
    """Consecutive fields of fixed sizes; ``offsets``: the start of each, followed by the end of the run."""

    fields: tuple[Field, ...]
    offsets: tuple[int, ...]
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Return the total size in bytes."""
        return self.offsets[-1]

    @property
    def parts(self) -> tuple[tuple[Field, ...], ...]:
        """Return the run split after each field whose refusal loses the layout, since such a field is checked first."""
        parts: list[tuple[Field, ...]] = [()]
        for each in self.fields:
            parts[-1] += (each,)
            if each.loses_layout and each.checks:
                parts.append(())
        return tuple(each for each in parts if each)


Step = Run | Field


@dataclass(frozen=True)
class Cover:
    """A checksum: ``field`` must equal the checksum of the bytes of the consecutive fields ``covered``.

    - ``value``: the single field whose value is these bytes, if there is one.
    - ``blanks_own``: the bytes of the checksum are part of the range, and count as bytes of the value ``replace``.
    - ``endian``: the byte order of a number in a field of bytes.
    - ``stored``: the expression on the wire for the checksum ``_``.
    - ``continues``: the checksum of what comes before.
    - ``condition``: the condition of the field; ``needed``: if it is false, the checksum is not verified.
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
    """The fields that lead to the object that contains the checksum; empty if it is the object with the covered
    fields."""
    before_expansion: bool = False
    """Whether it is verified before the bytes of the last field, which are compressed, are decompressed."""
    content: bool = False
    """Whether it covers the decompressed content of the single field; it is verified before the content is read."""
    needed: Node | None = None

    @property
    def of_object(self) -> bool:
        """Return whether it covers the content of an object."""
        return self.content and self.value is None

    @property
    def chained(self) -> bool:
        """Return whether the checksum continues that of the previous item in a list."""
        return self.continues is not None and "_" in names_in(self.continues)

    @property
    def made_by(self) -> Algorithm:
        """Return the algorithm with its parameters."""
        return algorithm(self.algorithm, self.initial, self.final_xor)

    @property
    def way(self) -> tuple[str, ...]:
        """Return the fields that lead to the checksum, including the checksum itself."""
        return (*self.inside, self.field.id)

    @property
    def first(self) -> str:
        """Return the first field that is covered, by name."""
        return self.covered[0]

    @property
    def last(self) -> str:
        """Return the last field that is covered, by name."""
        return self.covered[-1]


@dataclass(frozen=True)
class Instance:
    """A value outside the sequence: computed, or a field that is read at ``pos`` of ``io``."""

    id: str
    type: Type
    value: Node | None = None
    field: Field | None = None
    pos: Node | None = None
    io: Node | None = None
    condition: Node | None = None
    checks: tuple[Check, ...] = ()
    """The checks of a computed value."""
    logical: Logical | None = None
    variable: bool = False
    """Whether values read later may set it; ``value`` is then its initial value."""
    sets: Node | None = None
    """The variable that is set to the value at the end of the object."""
    default: Node | None = None
    """The constant that a writer assumes if it is not given the value."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)


# What is written -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fill:
    """A field that a writer fills in.

    ``how``: ``constant`` (the bytes ``contents``), ``measured`` (the size of the fields in ``Field.size_of``), ``unless
    given`` (the only ``value`` that is allowed, or the default), ``made`` (an object in which everything is filled in),
    ``solved`` (the ``value`` that is derived from a size or count; in it ``NAME.size`` is the size of a field on the
    wire), ``checksum before`` anything is written or ``checksum after`` all fields it covers are.
    """

    id: str
    how: str
    value: Node | None = None
    contents: bytes = b""
    cover: Cover | None = None
