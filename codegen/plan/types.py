"""A plan as a whole, and the types of which it consists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from dataclasses import field as declared

from wireloom.base.cached import cached_property

from ..expression.nodes import Attribute, Name, Node
from ..expression.types import Path, UserType
from ..model.model import RowWay
from ..spec.diagnostic import Diagnostic
from ..spec.position import Position
from ..wire import (
    Choice,
    ComputedEndian,
    Enum,
    Fragments,
    InheritedEndian,
    LookUp,
    Message,
    Parameter,
    Preallocated,
    Units,
)
from .nodes import Cover, Field, Fill, Instance, Step


@dataclass(frozen=True)
class ReadOnly:
    """Why objects of a type cannot be written: the ``instance`` at a position of its own, the ``checksum`` that is bits
    and is known after they are written, the one inside of them of what is ``around`` it, the
    field ``within`` bytes of another one, or clauses that say what
    ``unsolved`` integers do not follow from. ``position``: of the instance, the checksum, or of the first integer."""

    instance: str = ""
    checksum: str = ""
    around: str = ""
    within: str = ""
    unsolved: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)

    @property
    def words(self) -> dict[str, str]:
        """Return the arguments of the error with the same names."""
        return {name: getattr(self, name) for name in ("instance", "checksum", "around", "within")}


@dataclass(frozen=True)
class TypePlan:
    """A type of the spec: its fields, the steps that read them in order, the checksums verified after them, and what is
    filled in before an object is written, in that order. The fields of a message are in any order, without steps."""

    path: Path
    place: str
    """Its place in the spec, such as ``/types/frame``; that of the root is empty."""
    fields: tuple[Field, ...] = ()
    steps: tuple[Step, ...] = ()
    covers: tuple[Cover, ...] = ()
    inner_covers: tuple[Cover, ...] = ()
    """Checksums of its fields that objects inside of it hold."""
    instances: tuple[Instance, ...] = ()
    fills: tuple[Fill, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    types: tuple[TypePlan, ...] = ()
    """Those that are declared inside this one."""
    enums: tuple[Enum, ...] = ()
    parents: tuple[Path, ...] = ()
    """The types of the same spec that hold this one directly, in the order in which they do."""
    endian: ComputedEndian | InheritedEndian | None = None
    """How the byte order is decided, where the spec does not say it."""
    to_string: Node | None = None
    message: Message | None = None
    """Set for protobuf messages."""
    buffered: bool = False
    """Whether its fields can be read out of a buffer, without asking the stream for each: all are of fixed sizes,
    sized, ended by a byte, or of such types, and what sizes and checks ask for always has a value."""
    recursive: bool = False
    """Whether objects may hold others of the same type, at any depth."""
    fixed_size: bool = False
    """Whether objects take the same number of bytes on any input."""
    least: int = 0
    """The bytes that an object takes at least."""
    read_only: ReadOnly | None = None
    """Why objects cannot be written; ``None`` if they can."""
    columns: tuple[str, ...] = ()
    """The fields and instances that are columns of such rows unless the spec says it: all that are single values."""
    shown: tuple[str, ...] = ()
    """The fields that structs of it have in tables; empty: all."""
    fits_column: bool = True
    """Whether a column can hold such objects: no message in them contains itself, and they are not too many."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)

    @cached_property
    def _fields(self) -> dict[str, Field]:
        return {each.id: each for each in reversed(self.fields)}

    @cached_property
    def _instances(self) -> dict[str, Instance]:
        return {each.id: each for each in reversed(self.instances)}

    @cached_property
    def _solved(self) -> dict[str, Node]:
        return {each.id: each.value for each in self.fills if each.how == "solved" and each.value is not None}

    def field(self, name: str) -> Field | None:
        """Return the field of that id."""
        return self._fields.get(name)

    def instance(self, name: str) -> Instance | None:
        """Return the instance of that id."""
        return self._instances.get(name)

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of that id."""
        return next((each for each in self.parameters if each.id == name), None)

    def cover(self, name: str) -> Cover | None:
        """Return the checksum that the field of that id holds."""
        return next((each for each in self.covers if each.field.id == name), None)

    @property
    def verified(self) -> tuple[Cover, ...]:
        """Return all checksums that are verified after its fields."""
        return (*self.covers, *self.inner_covers)

    def solved(self, name: str) -> Node | None:
        """Return what a size or count requires the field of that id to be, if a writer solves for it."""
        return self._solved.get(name)

    @property
    def read(self) -> Iterator[Field]:
        """Yield the fields, and those that instances read."""
        yield from self.fields
        yield from (each.field for each in self.instances if each.field is not None)

    @property
    def whole(self) -> Iterator[TypePlan]:
        """Yield the type and all that are declared inside it, outermost first."""
        yield self
        for each in self.types:
            yield from each.whole


RowStep = tuple[Path, str, Path]
"""A field on the way to rows: the type that it is a field of, its id, and the type that it leads to."""

Way = tuple[RowStep, ...]
"""All fields of a way to rows."""


@dataclass(frozen=True)
class Rows:
    """Where the table's rows are, and which of their fields and instances, or else of those around them, are columns:
    ``columns`` by default, ``selectable`` where they are asked for, ``parent_columns`` of the root in every row."""

    field: str
    """The field of the root that the way to the rows begins with. Its items are the units (the rows, or what these are
    inside of) where these are ``streaming``; otherwise the root is the one unit."""
    types: tuple[Path, ...]
    """The types from the unit's down to the row's; one where units are the rows."""
    prologue: tuple[str, ...]
    """What is before the units."""
    sized: bool
    """Whether each unit has a size that the prologue gives: where it ends is known whatever is in it."""
    streaming: bool
    """Whether units are in the input by themselves, to its end, and need only the prologue. Otherwise the input is read
    as a whole."""
    columns: tuple[str, ...]
    block: int = 0
    """The size of the blocks that make up the input, of which the last one may be shorter; 0 if there are none."""
    selectable: tuple[str, ...] = ()
    parent_columns: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    """The fields that lead from a unit to its rows, one for each type but the last."""
    others: tuple[RowWay, ...] = ()
    """Further ways to rows of the table; ``types`` and ``path`` are the first one."""
    text: str = ""
    """The paths from the root as the spec has them."""
    units: int = 0
    """How many steps lead to the innermost units; 0: all that are repeated, but for the last."""
    fragments: Fragments | None = None
    """Set if the rows on the wire are pieces of records."""
    name: str = ""
    """That of the table, where the spec names its tables."""
    where: Node | None = None
    """True of the rows that the table has, in the scope of the row's type."""
    flatten: bool = False
    """A struct is a column for each of its fields."""
    look_ups: tuple[LookUp, ...] = ()
    """Columns out of earlier rows of other tables."""
    root: Path = ()
    """The type that the way to the rows begins with, where it is not the root: that of all records which the rows are
    inside of."""
    inside: str = ""
    """The table of these records."""
    order: tuple[str, ...] = ()
    """The columns that the spec names, in its order; those that are looked up among them."""
    doc: str = ""
    position: Position | None = declared(default=None, compare=False)
    """Of the name."""

    @property
    def type(self) -> Path:
        """Return the type of a row."""
        return self.types[-1]

    @property
    def row_types(self) -> tuple[Path, ...]:
        """Return the types of rows on all ways, the first one's first."""
        return tuple(dict.fromkeys((self.type, *(each.types[-1] for each in self.others))))

    @property
    def steps(self) -> Way:
        """Return the fields that lead to rows inside of units, on the first way; none where units are the rows."""
        return self._steps(self.types, self.path)

    @property
    def ways(self) -> tuple[Way, ...]:
        """Return the fields that lead to rows inside of units, on each way; none where units are the rows."""
        return tuple(filter(None, (self.steps, *(self._steps(each.types, each.path) for each in self.others))))

    def _steps(self, types: tuple[Path, ...], path: tuple[str, ...]) -> Way:
        if not path:
            return ()
        steps = tuple(zip(types, path, types[1:], strict=False))
        return ((self.root or types[0][:1], self.field, types[0]), *steps) if self.streaming else steps

    def is_unit(self, way: Way, step: int) -> bool:
        """Return whether an item of a step's field, repeated, is a unit inside of the outermost one."""
        most = self.units or len(way) - 1
        return step < min(most, len(way) - 1) and not (self.streaming and step == 0)

    def begins_with_unit(self, plan: Plan, way: Way) -> bool:
        """Return whether a row is all that its unit holds, and so begins where that does: its last step is a single
        field, and only such are between it and the unit."""
        for step in range(len(way) - 1, -1, -1):
            kind, name, _ = way[step]
            field, instance = plan.type(kind).field(name), plan.type(kind).instance(name)
            read = field if instance is None else instance.field
            if read is not None and read.repeat is not None:
                return step < len(way) - 1 and (self.is_unit(way, step) or (self.streaming and step == 0))
            if instance is not None:
                return False
        return False

    def holder(self, plan: Plan, name: str) -> tuple[int, TypePlan]:
        """Return how many levels above the row the field or instance of a column is, and the type that has it. Raises
        ``KeyError``."""
        for up, path in enumerate(reversed(self.types)):
            type = plan.type(path)
            if type.field(name) is not None or type.instance(name) is not None:
                return up, type
        raise KeyError(name)


@dataclass(frozen=True)
class Plan:
    """All of a spec that a backend needs: what is read and written, its table, and what people read of it."""

    name: str
    title: str
    root: TypePlan
    file: str
    sha256: str
    rows: Rows | None = None
    """Those of the table that a view is made of; of the plan as a whole those of the default table."""
    tables: tuple[Rows, ...] = ()
    """All tables, the default one first."""
    units: Units | None = None
    """Set if the table is one of messages; ``rows`` is ``None`` then."""
    imports: tuple[Plan, ...] = ()
    """The plans of all specs that it imports, directly or not; theirs have none."""
    codec: str = "none"
    """The codec that a writer compresses files with. Readers look at the content."""
    path_pattern: str | None = None
    """``{name}`` parts between slashes and dots, matched against the end of a path; each name is a column."""
    max_record: int = 0
    """Default of the largest record in bytes; an option of the reader."""
    preallocated: Preallocated | None = None
    """Set where zeros after the last record are no damage."""
    searched: bool = False
    """Byte ranges of inputs begin where a search finds a unit."""
    choices: tuple[Choice, ...] = ()
    file_extensions: tuple[str, ...] = ()
    debug: bool = False
    """``ks-debug``: objects with Kaitai's API say where on the wire their fields lie, and are not read at once."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    """Routines that the spec names and nobody has permitted: formats that need one are not made."""

    @property
    def types(self) -> Iterator[TypePlan]:
        """Return the types of the spec, outermost first."""
        return self.root.whole

    @property
    def family(self) -> Iterator[TypePlan]:
        """Yield the types of the spec and of those that it imports."""
        for each in (self, *self.imports):
            yield from each.types

    def of_table(self, rows: Rows) -> Plan:
        """Return the plan as that of one of its tables."""
        return replace(self, rows=rows)

    def top(self, rows: Rows | None) -> TypePlan:
        """Return the type that the way to rows begins with: the root, or that of all records that have them inside."""
        return self.type(rows.root) if rows is not None and rows.root else self.root

    @cached_property
    def steps(self) -> tuple[RowStep, ...]:
        """Return the steps to the rows of all tables, each once."""
        return tuple(dict.fromkeys(step for each in self.tables for way in each.ways for step in way))

    def is_at_position(self, step: RowStep) -> bool:
        """Return whether a step is an instance at a position."""
        return self.type(step[0]).instance(step[1]) is not None

    @cached_property
    def places_streams(self) -> bool:
        """Return whether rows are read at positions in streams that are named, which may be any: their offsets in the
        input are then noted."""
        read = (self.type(holder).instance(id) for holder, id, _ in self.steps)
        named = (each.io for each in read if each is not None and each.io is not None)
        return any(not (isinstance(io, Attribute) and io.value == Name("_root")) for io in named)

    def instance_steps(self, holder: TypePlan) -> dict[str, tuple[int, ...]]:
        """Return the instances at positions of a type that lead to rows, each with the numbers of its steps."""
        found: dict[str, tuple[int, ...]] = {}
        for number, step in enumerate(self.steps):
            if step[0] == holder.path and self.is_at_position(step):
                found[step[1]] = (*found.get(step[1], ()), number)
        return found

    @property
    def streamed(self) -> Rows | None:
        """Return the rows of a table whose units are read one by one; they are in the same field for all such
        tables."""
        return next((each for each in self.tables if each.streaming and not each.root), None)

    def type(self, path: Path) -> TypePlan:
        """Return the type of that path, of this spec or of one that it imports. Raises ``KeyError``."""
        return self._types[path]

    def enum(self, path: Path) -> Enum:
        """Return the enum of that path, of this spec or of one that it imports. Raises ``KeyError``."""
        return self._enums[path]

    def owns(self, kind: UserType) -> bool:
        """Return whether objects of a type belong to those of this spec; others are the roots of their own."""
        return not kind.opaque and kind.path[0] == self.root.path[0]

    @cached_property
    def _types(self) -> dict[Path, TypePlan]:
        return {each.path: each for each in reversed(list(self.family))}

    @cached_property
    def _enums(self) -> dict[Path, Enum]:
        return {each.path: each for type in self.family for each in type.enums}
