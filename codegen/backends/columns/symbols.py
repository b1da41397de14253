"""The names in expressions of a row type while the engine reads a row."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from wireloom.base.cached import cached_property
from wireloom.base.dataclass import dataclass, field
from wireloom.checksums import algorithm

from ...expression.nodes import CoveredChecksum, Node
from ...expression.types import Path, Type, UserType
from ...tree import Attribute, Instance, Spec, Struct
from .encodings import Encoding
from .interval import INT64, Interval
from .node_budget import NodeBudget


@dataclass(eq=False)
class Scalar:
    """An integer, enum value or boolean of the row (or of the root, before the rows).

    It gets a register only if a step reads it (``needed``).

    - ``path_conditions``: the conditions under which it is present.
    - ``is_optional``: it may be absent, and a step sets it then: to null if an expression reads it there
      (``nullable``), otherwise to 0.
    - ``source``: the register of which it is a copy.
    - ``may_fail``: its expression may have no value.
    - ``speculative``: it is computed whether or not its value will be used. If it has no value, the row is damaged only
      if a step uses it.
    - ``nullable``: it is null if an attribute is absent.
    """

    name: str
    interval: Interval
    path_conditions: tuple[PathCondition, ...] = ()
    needed: bool = False
    is_optional: bool = False
    source: Scalar | None = None
    may_fail: bool = False
    speculative: bool = False
    nullable: bool = False

    def read_as_null(self) -> None:
        """Note that an expression reads it where it may be absent."""
        self.may_fail = self.nullable = True
        if self.source is not None and self.source.is_optional:
            self.source.read_as_null()


@dataclass(eq=False)
class Span:
    """Bytes or text of the row.

    - ``size``: the number of bytes, if the field alone determines it.
    - ``located``: whether a step locates them.
    - ``single``: whether each character is one byte.
    - ``presence``: the register that says whether they are present, if that depends on the input.
    - ``encoding``: the encoding of text.
    - ``made``: whether steps build the text, as UTF-8; it may then have no value.
    - ``nullable``: whether a text that is built has none if an attribute is absent.
    - ``needed``: whether a step reads it.
    - ``header``: of bytes of the root, what other bytes are compared with.
    """

    name: str
    path_conditions: tuple[PathCondition, ...] = ()
    size: int | None = None
    text: bool = False
    located: bool = True
    single: bool = False
    presence: Scalar | None = None
    encoding: Encoding | None = None
    made: bool = False
    nullable: bool = False
    needed: bool = False
    header: HeaderConstant | None = None


@dataclass(frozen=True)
class Argument:
    """The argument of a parameter: an expression, and the scope in which it is written."""

    node: Node
    scope: ObjectScope


@dataclass(frozen=True)
class HeaderConstant:
    """Bytes of the root, ``size`` of them, that are known before the first row, by their name starting at the root;
    -1: text or bytes of any size."""

    name: str
    size: int


@dataclass(frozen=True)
class Unavailable:
    """A field that expressions cannot use in the engine, for the reason ``sentence``."""

    sentence: str


@dataclass(eq=False)
class RepeatedField:
    """The items of a repeated field whose contents expressions may use. ``presence``: as of a ``Span``."""

    name: str
    path_conditions: tuple[PathCondition, ...]
    presence: Scalar | None = field(default=None, init=False)
    holder: ObjectScope | None = field(default=None, init=False)
    """The object that has the field, if its items are read from that object's stream."""


@dataclass(frozen=True)
class CarriedVariable:
    """The carried value of a variable of the root, by the variable's number: each unit begins with it."""

    number: int


@dataclass(eq=False)
class ListVariable:
    """A variable that is a list: the register with its number of items, its carried value and its store."""

    name: str
    count: Scalar
    carried: CarriedVariable
    store: int


@dataclass(eq=False)
class TableVariable:
    """A variable that is a table: its carried value and its store. ``values``: the range of its values."""

    name: str
    carried: CarriedVariable
    store: int
    values: Interval = INT64


@dataclass(eq=False)
class ConstantTable:
    """A table of constants, ascending by key."""

    name: str
    entries: tuple[tuple[int, int], ...]

    @property
    def packed(self) -> bytes:
        """Return the entries as constants of a program."""
        return b"".join(struct.pack("<qq", *each) for each in self.entries)

    @property
    def values(self) -> Interval:
        """Return the range of its values."""
        found = [value for _, value in self.entries]
        return Interval(min(found), max(found))


@dataclass(eq=False)
class CallResult:
    """An object that a function has read. ``presence``: as of a ``Span``."""

    name: str
    path_conditions: tuple[PathCondition, ...]
    presence: Scalar | None = field(default=None, init=False)


class PartOfItem:
    """A part of an item of a list."""


Member = Scalar | Span | Argument | Unavailable | ListVariable | TableVariable | CallResult | PartOfItem
"""What a name refers to, except objects."""


@dataclass(eq=False)
class Stream:
    """A stream that objects are read from. ``is_content``: it is the content of a compressed block; ``is_cut``: it ends
    before its bytes do. ``of``: the stream of which it is a part, from some position on."""

    is_content: bool = False
    is_cut: bool = False
    of: Stream | None = None

    @property
    def itself(self) -> Stream:
        """Return the underlying stream, independent of the position at which reading began."""
        return self.of or self


@dataclass(eq=False)
class JsonObject:
    """An object while its JSON text is made.

    ``members``: what is shown of it, in order; ``key``: set if it is a pair of a map, of which these are the key and
    the value; ``is_first``: its text is that of the first member that is present. ``begin``, ``before``: the registers
    with the size of the text before the object, and before the member that is being read.
    """

    members: tuple[Attribute | Instance, ...]
    is_first: bool
    begin: Scalar
    before: Scalar
    key: str = ""

    def shows(self, member: Attribute | Instance) -> bool:
        """Return whether a member is in the text."""
        return any(each.id == member.id for each in self.members)


@dataclass(eq=False)
class ObjectScope:
    """One object of the row's tree: the root, the row, or a user type inlined into it.

    ``members``: what has been read so far, by name; ``floats``: the bits of floats that rows inside the object show;
    ``lists``: what expressions use of repeated fields. ``stream``: the stream that it is read from. ``budget``: counts
    what is compiled, at the root for all objects. ``little``: 1 if the object is little-endian, for types that
    determine it at run time.
    """

    spec: Spec
    struct: Struct
    parent: ObjectScope | None = None
    members: dict[str, Member | ObjectScope | Chosen] = field(default_factory=dict)
    budget: NodeBudget = field(default_factory=NodeBudget)
    floats: dict[str, Scalar] = field(default_factory=dict)
    lists: dict[str, RepeatedField] = field(default_factory=dict)
    little: Scalar | None = None
    stream: Stream | None = None
    top: ObjectScope | None = None
    """For an object in a function: the outermost object."""
    encloses_rows: bool = False
    """Whether rows are inside."""
    has_passed_rows: bool = False
    """Whether they are before the next field."""
    contains_damage: bool = False
    """Whether damage inside it does not extend beyond it."""
    begin: int = -1
    """Mark of the object's first byte, set if rows are read from bytes of it (``within``); -1: none."""
    lost: bool = False
    """For a message: whether an invalid one makes the rest of the layout unknown."""
    path_conditions: tuple[PathCondition, ...] = ()
    """The conditions under which it is present."""
    presence: Scalar | None = None
    """The register that says whether it is present, if that depends on the input."""
    items: dict[object, ObjectScope] = field(default_factory=dict)
    """At the root: the items of lists as objects."""
    checksums: dict[str, Scalar | Span] = field(default_factory=dict)
    """By instance: the checksums of its attributes that are values."""
    failures: dict[str, tuple[Scalar, ...]] = field(default_factory=dict)
    """By member: registers with the ``Reason`` of a failed positioned read that the value depends on."""
    json: JsonObject | None = None
    """Set if its text is made."""

    def enclosing(self) -> Iterator[ObjectScope]:
        """Yield the enclosing objects, innermost first."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent

    @property
    def name(self) -> str:
        """Return the name of the object's type."""
        return self.struct.path[-1]

    @property
    def own_root(self) -> ObjectScope:
        """Return the outermost enclosing object whose type is declared by the same spec, without crossing into another
        spec."""
        enclosing, own = self, self.struct.path[0]
        while enclosing.parent is not None and enclosing.parent.struct.path[0] == own:
            enclosing = enclosing.parent
        is_top = enclosing.parent is None and enclosing.top is not None and enclosing.top.struct.path[0] == own
        return enclosing.root if is_top else enclosing

    @property
    def in_function(self) -> bool:
        """Return whether the object is read by a function."""
        return self.top is not None if self.parent is None else self.parent.in_function

    @property
    def root(self) -> ObjectScope:
        """Return the outermost object."""
        return self.parent.root if self.parent else self.top or self


def checksum_target(node: CoveredChecksum) -> Scalar | Span:
    """Return the register or the span of a checksum that is the value of an instance."""
    found = algorithm(node.algorithm)
    if found.is_digest:
        return Span(node.id, size=found.size, made=True)
    return Scalar(node.id, Interval(0, (1 << found.width) - 1))


@dataclass(eq=False)
class Chosen:
    """An object of one of several types, chosen by a switch. ``objects``: the object of each type, ``None`` for a type
    with several; ``presence``: the register that says whether one is present."""

    name: str
    path_conditions: tuple[PathCondition, ...]
    objects: dict[Path, ObjectScope | None]
    presence: Scalar | None = None

    def object_of(self, kind: Type | None) -> ObjectScope | Unavailable:
        """Return the object of a type."""
        found = self.objects.get(kind.path) if isinstance(kind, UserType) else None
        return found or Unavailable(f'an expression uses "{self.name}", whose type is a switch')


Created = Scalar | Span | ObjectScope | Chosen | RepeatedField | CallResult
"""What the steps of a field create for expressions."""


@dataclass(frozen=True)
class PathCondition:
    """A condition that is known to hold. Equal conditions are the same path condition only in the same scope."""

    scope: ObjectScope
    condition: Node

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Conditions are trees, and each name in an expression asks for the path_conditions that hold there.
        return hash((self.scope, self.condition))
