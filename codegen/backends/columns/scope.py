"""Names in a row type's expressions while the engine reads a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ...expression.nodes import Node
from ...expression.types import Path, Type, UserType
from ...plan import Plan, TypePlan
from .effort import Effort
from .encodings import Encoding
from .interval import Interval


@dataclass(eq=False)
class Scalar:
    """An integer, enum value or boolean of the row (or of the root, before the rows).

    It gets a register only where a step reads it (``needed``); ``facts`` are the conditions under which it is there.
    ``checked``: the same, which has no value where it is absent; ``there``: whether it is there. ``may_fail``: it is
    computed, and may have no value; ``lazy``: that is damage only where something needs it.
    """

    name: str
    interval: Interval
    facts: tuple[Fact, ...] = ()
    needed: bool = False
    checked: Scalar | None = None
    there: Scalar | None = None
    may_fail: bool = False
    lazy: bool = False


@dataclass(eq=False)
class Span:
    """Bytes or text of the row. ``size`` where the wire alone settles how many bytes the value has; ``found``: a step
    finds where they are; ``single``: each of its characters is a byte; ``there``: whether they are there;
    ``encoding``: of text; ``made``: by steps, text as UTF-8, which may have no value."""

    name: str
    facts: tuple[Fact, ...] = ()
    size: int | None = None
    text: bool = False
    found: bool = True
    single: bool = False
    there: Scalar | None = None
    encoding: Encoding | None = None
    made: bool = False


@dataclass(frozen=True)
class Argument:
    """A parameter's value: an expression, and where it was written."""

    node: Node
    scope: Scope


@dataclass(frozen=True)
class Known:
    """Bytes of the root that are known before the first row, ``size`` of them: by their name from the root on."""

    name: str
    size: int


@dataclass(frozen=True)
class Unavailable:
    """A field that expressions in the engine cannot use; ``sentence`` says why."""

    sentence: str


@dataclass(eq=False)
class Repeated:
    """The items of a repeated field, of which expressions may use what they hold."""

    name: str
    facts: tuple[Fact, ...]
    holder: Scope | None = field(default=None, init=False)
    """The object that has the field, if its items are read from its own stream."""


@dataclass(frozen=True)
class Carried:
    """The chain of a variable of the root, by its number among these: it is carried from unit to unit."""

    number: int


@dataclass(eq=False)
class Items:
    """A variable that is a list: the register with the number of its items, its chain, and its store."""

    name: str
    count: Scalar
    chain: Carried
    store: int


@dataclass(eq=False)
class Called:
    """An object that a function has read. ``there``: whether it has been."""

    name: str
    facts: tuple[Fact, ...]
    there: Scalar


class PartOfItem:
    """A part of an item of a list."""


Member = Scalar | Span | Argument | Known | Unavailable | Items | Called | PartOfItem
"""What a name stands for, besides objects."""


@dataclass(eq=False)
class Stream:
    """A stream that objects are read from. ``is_content``: that of a compressed block; ``is_cut``: it ends before its
    bytes do. ``of``: the stream that it is, from a position on."""

    is_content: bool = False
    is_cut: bool = False
    of: Stream | None = None

    @property
    def itself(self) -> Stream:
        """Return the stream, wherever in it reading has begun."""
        return self.of or self


@dataclass(eq=False)
class Scope:
    """One object of the row's tree: the root, the row, or a user type inlined into it.

    ``members`` holds what has been read so far, by name; ``floats`` the bits of floats that rows inside of the object
    show, ``lists`` what expressions use of repeated fields. ``stream``: what it is read from. ``effort`` counts what is
    compiled, at the root for all. ``little``: 1 where the object is little-endian, if that is decided when it is read.
    """

    plan: Plan
    struct: TypePlan
    parent: Scope | None = None
    members: dict[str, Member | Scope | Chosen] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort)
    floats: dict[str, Scalar] = field(default_factory=dict)
    lists: dict[str, Repeated] = field(default_factory=dict)
    little: Scalar | None = None
    stream: Stream | None = None
    top: Scope | None = None
    around_rows: bool = False
    contains: bool = False
    """``top``: the outermost object, of one in a function. ``around_rows``: rows are in it. ``contains``: damage inside
    of it ends with it."""
    begin: int = -1
    """The mark where it begins, if that is where rows are that stand in bytes of it."""
    lost: bool = False
    """Of a message: one that does not hold leaves the layout open."""
    facts: tuple[Fact, ...] = ()
    """The conditions under which it is there."""
    there: Scalar | None = None
    """Whether it is there, where that depends on the input."""
    items: dict[object, Scope] = field(default_factory=dict)
    """At the root: items of lists as objects."""
    failures: dict[str, tuple[Scalar, ...]] = field(default_factory=dict)
    """By name, the registers with the reasons why what its value needs could not be read at its position."""
    extent: Callable[[], Span] | None = None
    """The bytes of its stream, which has a size: a step finds them if they are asked for."""

    def enclosing(self) -> Iterator[Scope]:
        """Yield the objects around this one, the innermost first."""
        around = self.parent
        while around is not None:
            yield around
            around = around.parent

    @property
    def name(self) -> str:
        """The name of its type."""
        return self.struct.path[-1]

    @property
    def own_root(self) -> Scope:
        """Return the outermost object of the spec that declares its type, up to one of another spec."""
        around, spec = self, self.struct.path[0]
        while around.parent is not None and around.parent.struct.path[0] == spec:
            around = around.parent
        is_top = around.parent is None and around.top is not None and around.top.struct.path[0] == spec
        return around.root if is_top else around

    @property
    def in_function(self) -> bool:
        """Return whether a function reads it."""
        return self.top is not None if self.parent is None else self.parent.in_function

    @property
    def root(self) -> Scope:
        """Return the outermost object."""
        return self.parent.root if self.parent else self.top or self


@dataclass(eq=False)
class Chosen:
    """An object of one of several types, which a switch has chosen. ``objects``: that of each type, ``None`` for a
    type of several; ``there``: whether there is one."""

    name: str
    facts: tuple[Fact, ...]
    objects: dict[Path, Scope | None]
    there: Scalar | None = None

    def object_of(self, kind: Type | None) -> Scope | Unavailable:
        """Return the object of a type."""
        found = self.objects.get(kind.path) if isinstance(kind, UserType) else None
        return found or Unavailable(f'an expression uses "{self.name}", whose type a switch chooses')


@dataclass(frozen=True)
class Fact:
    """A condition that is known to hold; the same text means the same only in the same scope."""

    scope: Scope
    condition: Node
