"""A plan as a whole, and the types in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from dataclasses import field as declared
from itertools import takewhile

from wireloom.base.cached import cached_property

from ..expression.nodes import CoveredChecksum, MemberAccess, Name, Node
from ..expression.types import Path, UserType
from ..expression.walk import expressions_in, walk
from ..spec.diagnostic import Diagnostic
from ..spec.position import Position
from ..tree import Attribute, Instance, Rows, RowStep, Way
from ..wire import (
    Choice,
    ComputedEndian,
    Enum,
    InheritedEndian,
    Message,
    Parameter,
    Preallocated,
    Units,
)
from .nodes import Cover, Fill, Step


@dataclass(frozen=True)
class ReadOnly:
    """Why objects of a type cannot be written.

    ``instance``: an instance at an explicit position; ``checksum``: a checksum of bits, which is known only after they
    are written; ``inner_checksum``: a checksum in an object inside them; ``within``: a field in the bytes of another
    one; ``computed``: a field whose conditions or checks depend on a checksum of bytes that were read; ``unsolved``:
    clauses about integers that cannot be derived. ``position``: of the instance, the field or the first integer.
    """

    instance: str = ""
    checksum: str = ""
    inner_checksum: str = ""
    within: str = ""
    computed: str = ""
    unsolved: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)

    @property
    def words(self) -> dict[str, str]:
        """Return the arguments of the error of the same names."""
        return {name: getattr(self, name) for name in ("instance", "checksum", "inner_checksum", "within", "computed")}


@dataclass(frozen=True)
class TypePlan:
    """A type of the spec: its fields, the steps that read them in order, the checksums verified after them, and the
    fields that are filled in before an object is written. A message has no steps: its fields come in any order."""

    path: Path
    place: str
    """The path of the type in the spec, such as ``/types/frame``; empty for the root."""
    fields: tuple[Attribute, ...] = ()
    steps: tuple[Step, ...] = ()
    covers: tuple[Cover, ...] = ()
    inner_covers: tuple[Cover, ...] = ()
    """Checksums of its fields that are stored in objects inside it."""
    instances: tuple[Instance, ...] = ()
    fills: tuple[Fill, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    types: tuple[TypePlan, ...] = ()
    """The types that are declared inside this one."""
    enums: tuple[Enum, ...] = ()
    parents: tuple[Path, ...] = ()
    """The types of the same spec that contain this one directly, in the order of the spec."""
    endian: ComputedEndian | InheritedEndian | None = None
    """How the byte order is determined at run time, if the spec does not fix it."""
    to_string: Node | None = None
    message: Message | None = None
    """Set for protobuf messages."""
    buffered: bool = False
    """Whether its fields can be read from a buffer, without asking the stream for each."""
    recursive: bool = False
    """Whether objects may contain objects of the same type, at any depth."""
    fixed_size: bool = False
    """Whether objects have the same size in every input."""
    least: int = 0
    """The minimum size of an object in bytes."""
    read_only: ReadOnly | None = None
    """Why objects cannot be written; ``None`` if they can be."""
    columns: tuple[str, ...] = ()
    """The fields and instances that are columns of such rows by default: all single values."""
    shown: tuple[str, ...] = ()
    """The fields that are shown in structs of the type in tables; empty: all."""
    may_end_inside_a_byte: bool = False
    """Whether the bits of its last field may leave some of their last byte."""
    fills_stream: bool = False
    """Whether its fields must extend to the end of the stream: bytes after them are refused."""
    fits_column: bool = True
    """Whether a column can contain such objects: no message in them contains itself, and there are not too many."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = declared(default=None, compare=False)

    @cached_property
    def _fields(self) -> dict[str, Attribute]:
        return {each.id: each for each in reversed(self.fields)}

    @cached_property
    def _instances(self) -> dict[str, Instance]:
        return {each.id: each for each in reversed(self.instances)}

    @cached_property
    def _solved(self) -> dict[str, Node]:
        return {each.id: each.value for each in self.fills if each.how == "solved" and each.value is not None}

    def field(self, name: str) -> Attribute | None:
        """Return the field with that id; ``None`` if there is none."""
        return self._fields.get(name)

    def instance(self, name: str) -> Instance | None:
        """Return the instance with that id; ``None`` if there is none."""
        return self._instances.get(name)

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with that id; ``None`` if there is none."""
        return next((each for each in self.parameters if each.id == name), None)

    def cover(self, name: str) -> Cover | None:
        """Return the checksum stored in the field with that id; ``None`` if there is none."""
        return next((each for each in self.covers if each.field.id == name), None)

    @property
    def verified(self) -> tuple[Cover, ...]:
        """Return all checksums that are verified after its fields."""
        return (*self.covers, *self.inner_covers)

    @cached_property
    def computed_checksums(self) -> tuple[CoveredChecksum, ...]:
        """Return the checksums of its fields that are values of instances."""
        return tuple(each.value for each in self.instances if isinstance(each.value, CoveredChecksum))

    def solved(self, name: str) -> Node | None:
        """Return the value that a size or count requires for the field with that id, if a writer solves for it, else
        ``None``."""
        return self._solved.get(name)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes of all expressions of its fields and instances."""
        return tuple(each for node in expressions_in((self.fields, self.instances)) for each in walk(node))

    @property
    def read(self) -> Iterator[Attribute]:
        """Yield the fields, and those that instances read."""
        yield from self.fields
        yield from (each.attribute for each in self.instances if each.attribute is not None)

    @property
    def whole(self) -> Iterator[TypePlan]:
        """Yield the type and all types declared inside it, outermost first."""
        yield self
        for each in self.types:
            yield from each.whole


@dataclass(frozen=True)
class Plan:
    """Everything that a backend needs of a spec: what is read and written, its tables, and its documentation."""

    name: str
    title: str
    root: TypePlan
    file: str
    sha256: str
    rows: Rows | None = None
    """The rows of the table that is rendered; in the plan as a whole those of the default table."""
    tables: tuple[Rows, ...] = ()
    """All tables, the default one first."""
    units: Units | None = None
    """Set if the table consists of messages; ``rows`` is then ``None``."""
    imports: tuple[Plan, ...] = ()
    """The plans of all specs that it imports, directly or indirectly; these plans have no ``imports``."""
    codec: str = "none"
    """The codec with which a writer compresses files. Readers detect it from the content."""
    path_pattern: str | None = None
    """``{name}`` parts between slashes and dots, matched against the end of a path; each name becomes a column."""
    max_record: int = 0
    """The default of the reader's limit on the size of a record, in bytes."""
    preallocated: Preallocated | None = None
    """Whether zeros after the last record are not damage."""
    nonempty: bool = False
    advice: str = ""
    """Whether an input without bytes is truncated."""
    searched: bool = False
    """Whether the start of a byte range is found by searching for a unit."""
    choices: tuple[Choice, ...] = ()
    file_extensions: tuple[str, ...] = ()
    debug: bool = False
    """``ks-debug``: objects with Kaitai's API record the positions of their fields on the wire, and are not read at
    once."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    """Routines named by the spec that have not been permitted; formats that require one are not generated."""

    @property
    def types(self) -> Iterator[TypePlan]:
        """Yield the types of the spec, outermost first."""
        return self.root.whole

    @property
    def family(self) -> Iterator[TypePlan]:
        """Yield the types of the spec and of the specs that it imports."""
        for each in (self, *self.imports):
            yield from each.types

    def of_table(self, rows: Rows) -> Plan:
        """Return the plan for one of its tables."""
        return replace(self, rows=rows)

    def top(self, rows: Rows | None) -> TypePlan:
        """Return the type at the beginning of the way to rows: the root, or the type of the records that contain
        them."""
        return self.type(rows.root) if rows is not None and rows.root else self.root

    def prologue(self, rows: Rows) -> tuple[str, ...]:
        """Return the attributes before the units of a table; empty if the input is its only unit."""
        before = takewhile(lambda each: each.id != rows.attribute, self.top(rows).fields)
        return tuple(each.id for each in before) if rows.streaming else ()

    def begins_with_unit(self, rows: Rows, way: Way) -> bool:
        """Return whether a row begins where its unit does because it is all that the unit contains: its last step, and
        all steps between it and the unit, are single fields."""
        for step in range(len(way) - 1, -1, -1):
            kind, name, _ = way[step]
            field, instance = self.type(kind).field(name), self.type(kind).instance(name)
            read = field if instance is None else instance.attribute
            if read is not None and read.repeat is not None:
                return step < len(way) - 1 and (rows.is_unit(way, step) or (rows.streaming and step == 0))
            if instance is not None:
                return False
        return False

    def holder(self, rows: Rows, name: str) -> tuple[int, TypePlan]:
        """Return the number of levels above the row of the field or instance of a column, and the type that contains
        it. Raises ``KeyError``."""
        for up, path in enumerate(reversed(rows.types)):
            type = self.type(path)
            if type.field(name) is not None or type.instance(name) is not None:
                return up, type
        raise KeyError(name)

    @cached_property
    def steps(self) -> tuple[RowStep, ...]:
        """Return the steps to the rows of all tables, without duplicates."""
        return tuple(dict.fromkeys(step for each in self.tables for way in each.ways for step in way))

    def is_at_position(self, step: RowStep) -> bool:
        """Return whether a step is an instance at a position."""
        return self.type(step[0]).instance(step[1]) is not None

    @cached_property
    def has_variables(self) -> bool:
        """Return whether any type of the spec, or of those that it imports, has a variable."""
        return any(each.variable for struct in self.family for each in struct.instances)

    @cached_property
    def places_streams(self) -> bool:
        """Return whether rows are read at positions in streams that an expression names, which may be any stream: the
        offsets of these streams in the input are then recorded."""
        read = (self.type(holder).instance(id) for holder, id, _ in self.steps)
        named = (each.io for each in read if each is not None and each.io is not None)
        return any(not (isinstance(io, MemberAccess) and io.value == Name("_root")) for io in named)

    def instance_steps(self, holder: TypePlan) -> dict[str, tuple[int, ...]]:
        """Return the instances at positions of a type that lead to rows, each with the numbers of its steps."""
        found: dict[str, tuple[int, ...]] = {}
        for number, step in enumerate(self.steps):
            if step[0] == holder.path and self.is_at_position(step):
                found[step[1]] = (*found.get(step[1], ()), number)
        return found

    @property
    def streamed(self) -> Rows | None:
        """Return the rows of a table whose units are read one by one; all such tables have the same field."""
        return next((each for each in self.tables if each.streaming and not each.root), None)

    def type(self, path: Path) -> TypePlan:
        """Return the type with that path, of this spec or of an imported one. Raises ``KeyError``."""
        return self._types[path]

    def enum(self, path: Path) -> Enum:
        """Return the enum with that path, of this spec or of an imported one. Raises ``KeyError``."""
        return self._enums[path]

    def owns(self, kind: UserType) -> bool:
        """Return whether objects of a type belong to objects of this spec; others are roots of their own."""
        return not kind.opaque and kind.path[0] == self.root.path[0]

    inlined: dict[tuple[Path, str], Node | None] = declared(default_factory=dict, init=False, compare=False, repr=False)
    """Value instances, by type and name, with others inlined; ``None`` if too large. Filled by ``solving``."""

    @cached_property
    def _types(self) -> dict[Path, TypePlan]:
        return {each.path: each for each in reversed(list(self.family))}

    @cached_property
    def _enums(self) -> dict[Path, Enum]:
        return {each.path: each for type in self.family for each in type.enums}
