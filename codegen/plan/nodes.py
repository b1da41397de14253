"""The nodes of a plan: frozen dataclasses that hold numbers, names and expressions, and nothing of the model.

Expressions are typed trees (``codegen/expression/nodes.py``), types those of ``codegen/expression/types.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wireloom.base.cached import cached_property

from ..expression.nodes import Node
from ..expression.types import Path, Type
from ..model.model import Spec
from ..spec.position import Position
from ..wire import ComputedEndian, Framing, InheritedEndian, Logical, Parameter, Process, Size, Terminator

# What is read -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """What a value must be; one that is not is refused.

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
    ``None`` where there is no value then. ``truth``: ``on`` is a truth value, and so are all matches.
    """

    on: Node
    branches: tuple[tuple[tuple[Node, ...], Field], ...]
    otherwise: Field | None
    truth: bool
    exhaustive: bool
    """Whether each value of ``on`` matches a branch, or there is an ``otherwise``."""


@dataclass(frozen=True)
class Field:
    """One value: where it stands in the spec, what it is, how many bytes it takes, what it must be."""

    id: str
    place: str
    """Its place in the spec, such as ``/types/frame/seq/0``."""
    type: Type
    size: Size
    checks: tuple[Check, ...] = ()
    loses_layout: bool = False
    """Whether a refused value leaves unknown where the next one begins. Otherwise reading goes on after it."""
    reason: str = "value"
    """The word for a refusal in reports: ``length`` where the value is part of a size or count, else ``value``."""
    fixed_size: int | None = None
    """The bytes that it takes on any input, where it may be part of a run."""
    least: int = 0
    """The bytes that it takes at least."""
    terminator: Terminator | None = None
    stripped: int | None = None
    """The byte of which a reader takes all away at the value's end."""
    process: Process | None = None
    defers: bool = False
    """Whether reading goes on after the field where ``process`` cannot be undone, which is then refused."""
    arguments: tuple[Node, ...] = ()
    parent: Node | None = None
    switch: Switch | None = None
    logical: Logical | None = None
    """What the number or text stands for, such as a timestamp."""
    position: Position | None = field(default=None, compare=False)

    @property
    def contents(self) -> bytes | None:
        """The only bytes that the value may have, if that is checked."""
        return next((each.contents for each in self.checks if each.rule == "contents"), None)

    @property
    def is_cut(self) -> bool:
        """Whether the value may be shorter than the bytes of the field."""
        return self.terminator is not None or self.stripped is not None


@dataclass(frozen=True)
class Piece:
    """Neighbouring fields of a run that have one byte order (``le``, ``be``, or ``None`` where it makes no difference).
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
        """Bytes of all fields."""
        return self.offsets[-1]

    @property
    def parts(self) -> tuple[tuple[Field, ...], ...]:
        """The run cut after each field that loses the layout when it is refused: it is looked at first."""
        parts: list[tuple[Field, ...]] = [()]
        for each in self.fields:
            parts[-1] += (each,)
            if each.loses_layout and each.checks:
                parts.append(())
        return tuple(each for each in parts if each)


@dataclass(frozen=True)
class Repeat:
    """How often a field comes: to the ``end`` of the stream, as often as a ``count`` says, or ``until`` one holds."""

    how: str
    expression: Node | None = None
    indexed: bool = False
    """Whether an expression of the field asks for the number of the item."""
    at_once: bool = False
    """Whether the items are plain numbers, all of which are unpacked together."""
    buffered: bool = False
    """Whether the items are objects of a type that is buffered, see ``TypePlan.buffered``."""
    iterable: bool = False
    """Whether items can be read one by one: nothing asks for the list."""
    framing: Framing | None = None


@dataclass(frozen=True)
class Read:
    """A field that is no part of a run. ``condition``: it is there only where that is true."""

    field: Field
    repeat: Repeat | None = None
    condition: Node | None = None


Step = Run | Read


@dataclass(frozen=True)
class Cover:
    """A checksum: ``field`` must be that of the bytes from the begin of ``first`` to the end of ``last``.

    ``value``: the one field whose value these bytes are, where it is that simple. ``blanks_own``: the checksum's own
    bytes lie inside, and count as bytes of the value ``replace``.
    """

    field: Field
    algorithm: str
    first: str
    last: str
    initial: int
    final_xor: int
    replace: int | None
    value: str | None
    blanks_own: bool
    condition: Node | None = None
    before_rows: bool = False
    """Of the root: whether it can be verified before the rows are read."""


@dataclass(frozen=True)
class Instance:
    """A value beside the sequence: computed, or read at ``position`` of ``io``."""

    id: str
    type: Type
    value: Node | None = None
    read: Read | None = None
    at: Node | None = None
    io: Node | None = None
    condition: Node | None = None


# What is written ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fill:
    """A field that a writer fills in.

    ``how``: ``constant`` (the bytes ``contents``), ``unless given`` (the only ``value`` that it may have), ``solved``
    (the ``value`` that follows from a size or count, in which ``NAME.size`` is the size of a field on the wire),
    ``checksum before`` anything is written or ``checksum after`` all it covers is.
    """

    id: str
    how: str
    value: Node | None = None
    contents: bytes = b""
    cover: Cover | None = None


@dataclass(frozen=True)
class Member:
    """A field of a protobuf message; ``label`` is ``implicit``, ``optional``, ``required`` or ``repeated``, ``key`` the
    kind of a map's keys."""

    id: str
    number: int
    kind: str
    label: str
    key: str | None
    type: Type


# The whole ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TypePlan:
    """A type of the spec: the steps that read it in order, the checksums verified after them, and what is filled in
    before it is written, in that order."""

    path: Path
    steps: tuple[Step, ...]
    covers: tuple[Cover, ...]
    instances: tuple[Instance, ...]
    fills: tuple[Fill, ...]
    parameters: tuple[Parameter, ...] = ()
    endian: ComputedEndian | InheritedEndian | None = None
    """How the byte order is decided, where the spec does not say it."""
    buffered: bool = False
    """Whether its fields can be read out of a buffer, without asking the stream for each: all are of fixed sizes,
    sized, ended by a byte, or of such types, and what sizes and checks ask for always has a value."""
    recursive: bool = False
    """Whether objects may hold others of the same type, at any depth."""
    fixed_size: bool = False
    """Whether objects take the same number of bytes on any input."""
    least: int = 0
    """The bytes that an object takes at least."""
    is_message: bool = False
    """Whether it is a protobuf message; ``members`` are its fields, which stand in any order."""
    members: tuple[Member, ...] = ()
    only_read: str = ""
    """The instance at a position of its own because of which objects cannot be written, if any."""

    @cached_property
    def _fields(self) -> dict[str, Field]:
        return {each.field.id: each.field for each in self.reads}

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """All fields in order, those of runs too, each with how often and on which condition it is there."""
        return tuple(
            each for step in self.steps for each in (map(Read, step.fields) if isinstance(step, Run) else (step,))
        )

    def field(self, name: str) -> Field:
        """The field of that id. Raises ``KeyError``."""
        return self._fields[name]


@dataclass(frozen=True)
class Rows:
    """Which repeated field of the root has the table's rows."""

    attribute: str
    type: Path
    prologue: tuple[str, ...]
    """What stands before the rows."""
    sized: bool
    """Whether each row has a size that the prologue gives: where it ends is known whatever is in it."""
    streaming: bool
    """Whether rows stand in the input by themselves, to its end, and need nothing but the prologue."""


@dataclass(frozen=True)
class Plan:
    """What is read and written of a spec."""

    name: str
    title: str
    root: Path
    types: tuple[TypePlan, ...]
    rows: Rows | None
    imported: tuple[TypePlan, ...]
    """The types of the specs that it imports, as far as they are read from here."""
    spec: Spec = field(repr=False, compare=False)
    """The model that it was derived from, for what is no matter of bytes: documentation, columns, names."""

    def type(self, path: Path) -> TypePlan:
        """The type of that path. Raises ``KeyError``."""
        return self._types[path]

    @cached_property
    def _types(self) -> dict[Path, TypePlan]:
        return {each.path: each for each in (*self.imported, *self.types)}
