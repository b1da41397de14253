"""A spec as a whole, and the rows of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

from wireloom.base.cached import cached_property
from wireloom.base.dataclass import dataclass, field, replace
from wireloom.format.choices import Choice
from wireloom.format.fragments import Fragments

from ..expression.nodes import MemberAccess, Name, Node
from ..expression.types import Path, UserType
from ..spec.diagnostic import Diagnostic
from ..spec.position import Position
from .leaves import AlternativePath, Enum, LookUp, Preallocated, Units
from .members import Instance
from .types import Struct

RowStep = tuple[Path, str, Path]
"""An attribute on a path to rows: the path of its type, its id, and the path of the type that it leads to."""

RowPath = tuple[RowStep, ...]
"""The attributes on a path to rows, in order."""


CONDITIONS = ("where", "unsupported", "evidence")
"""The members of ``Rows`` that are conditions of rows, and the keys of a table."""


@dataclass(frozen=True)
class Rows:
    """``-wireloom: {rows: …}`` in ``meta``: a table of the format."""

    attribute: str
    """The root's attribute that the path to the rows begins with. If ``streaming``, its items are the units (the rows,
    or objects that contain them); otherwise the root is the only unit."""
    types: tuple[Path, ...]
    """The types from the unit down to the row; a single one if units are the rows."""
    columns: tuple[str, ...]
    """The default columns, in order: attributes and instances of the row type, or of the nearest enclosing type that
    has them."""
    selectable: tuple[str, ...]
    """Further columns, which can be selected."""
    parent_columns: tuple[str, ...] = ()
    """Scalars of the root that are columns of every row; they precede the rows on the wire."""
    path: tuple[str, ...] = ()
    """The path of attributes from a unit to its rows, beginning with one of the unit."""
    others: tuple[AlternativePath, ...] = ()
    """Further paths to rows of the table; ``types`` and ``path`` are the first one."""
    text: str = ""
    """The paths from the root as written in the spec."""
    streaming: bool = True
    """Whether units repeat to the end of the input and depend only on what precedes them."""
    sized: bool = False
    """Whether each unit has its own stream, whose size is known from the attributes before the first unit."""
    block: int = 0
    """The size of the blocks that make up the input, of which the last one may be shorter; 0 if there are none."""
    units: int = 0
    """Number of attributes of the path, including that of the root, down to the innermost units; 0: all repeated
    ones."""
    fragments: Fragments | None = None
    """Set if the rows on the wire are fragments of records."""
    stream: tuple[str, ...] = ()
    """The attribute whose bytes, those of all rows joined, are a stream with rows of other tables; then, if there is
    one, the attribute or instance that says whether a row begins with the bytes."""
    decode: tuple[str, ...] = ()
    """The attribute whose bytes are decoded by a schema, by what, the member of the outermost type with the schema, and
    the member of the row with the number of objects, which may be empty."""
    name: str = ""
    """The name of the table, if the spec has ``tables``."""
    where: Node | None = None
    """The condition of the table's rows, in the scope of the row type."""
    unsupported: Node | None = None
    """The condition of items that contain rows of the table which cannot be read."""
    evidence: Node | None = None
    """The condition of rows that show where rows are: a search does not end at others."""
    flatten: bool = False
    """Whether each field of a struct becomes a column."""
    distinct: bool = False
    """Whether rows that equal an earlier one are left out."""
    look_ups: tuple[LookUp, ...] = ()
    """Columns from earlier rows of other tables."""
    root: Path = ()
    """The type that the path to the rows begins with, if it is not the root: that of the sequence of records, or of the
    stream, that contains the rows."""
    inside: str = ""
    """The table of the records or containers that contain the rows."""
    order: tuple[str, ...] = ()
    """The columns that the spec names, in its order, including looked-up ones."""
    doc: str = ""
    position: Position | None = field(default=None, compare=False, repr=False)
    """Position of the name."""
    names_columns: bool = field(default=False, compare=False, repr=False)
    """Whether the spec names the default columns; otherwise they are all single values."""
    names_selectable: bool = field(default=False, compare=False, repr=False)
    """Whether the spec names the selectable columns; otherwise they are all others."""

    @property
    def whole(self) -> bool:
        """Return whether an input is one unit, read into memory as a whole."""
        return not self.streaming and not self.block

    @property
    def row(self) -> Path:
        """Return the type of a row."""
        return self.types[-1]

    @property
    def row_types(self) -> tuple[Path, ...]:
        """Return the types of rows on all paths, those of the first path first."""
        return tuple(dict.fromkeys((self.row, *(each.types[-1] for each in self.others))))

    @property
    def steps(self) -> RowPath:
        """Return the attributes that lead to rows inside units, on the first path; empty if units are the rows."""
        return self._steps(self.types, self.path)

    @property
    def row_paths(self) -> tuple[RowPath, ...]:
        """Return the attributes that lead to rows inside units, on each path; empty if units are the rows."""
        return tuple(filter(None, (self.steps, *(self._steps(each.types, each.path) for each in self.others))))

    def _steps(self, types: tuple[Path, ...], path: tuple[str, ...]) -> RowPath:
        if not path:
            return ()
        steps = tuple(zip(types, path, types[1:], strict=False))
        return ((self.root or types[0][:1], self.attribute, types[0]), *steps) if self.streaming else steps

    def is_unit(self, path: RowPath, step: int) -> bool:
        """Return whether the items of a step's repeated attribute are units inside the outermost one.

        Args:
            path: One of ``row_paths``.
            step: The index of the step in it.
        """
        most = self.units or len(path) - 1
        return step < min(most, len(path) - 1) and not (self.streaming and step == 0)


@dataclass(frozen=True)
class Spec:
    """A whole spec file, resolved."""

    name: str
    title: str
    root: Struct
    file: str
    sha256: str
    tables: tuple[Rows, ...] = ()
    """The first one is the default."""
    units: Units | None = None
    """Set if the table consists of messages; ``tables`` is then empty."""
    codec: str = "none"
    """The codec that a writer compresses files with. Readers detect it by content."""
    path_pattern: str | None = None
    """``{name}`` parts between slashes and dots, matched against the end of a path; each name is a column."""
    preallocated: Preallocated | None = None
    """Set if zeros after the last record are not damage."""
    xor_key_file: str = ""
    """Name of the file beside inputs with the key that their bytes are combined with; empty if there is none."""
    nonempty: bool = False
    """Whether an input without bytes is truncated."""
    advice: str = ""
    searched: bool = False
    """Whether the start of a byte range is found by searching for a unit."""
    max_record: int = 64 * 1024 * 1024
    """The default of the reader's limit on the size of a record, in bytes."""
    choices: tuple[Choice, ...] = ()
    file_extensions: tuple[str, ...] = ()
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    license: str = ""
    debug: bool = False
    """``ks-debug``: objects with Kaitai's API record the positions of their attributes, and are not read by the
    constructor."""
    allow_modules: tuple[str, ...] = field(default=(), compare=False)
    """Modules whose routines the spec may name by permission of the caller, besides registered ones."""
    imports: tuple[Spec, ...] = ()
    """All specs that this one imports, directly or indirectly. Imports may be mutual, so their own ``imports`` are
    empty."""

    rows: Rows | None = None
    """Derived, as all that follow: the rows of the table for which code is generated; of the first one in the spec as a
    whole."""
    refused: tuple[Diagnostic, ...] = ()
    """Routines named by the spec that have not been permitted; formats that require one are not generated."""

    @property
    def structs(self) -> Iterator[Struct]:
        """Yield the types of the spec, outermost first."""
        return self.root.all_structs

    @property
    def family(self) -> Iterator[Struct]:
        """Yield the types of the spec and of the specs that it imports."""
        for each in (self, *self.imports):
            yield from each.structs

    def of_table(self, rows: Rows) -> Spec:
        """Return the spec with one of its tables as the rows."""
        found = replace(self, rows=rows)
        # The types are the same ones for all tables.
        found.__dict__["_structs"] = self._structs
        return found

    def top(self, rows: Rows | None) -> Struct:
        """Return the type at the beginning of the paths to rows: the root, or the type of the records that contain
        them."""
        return self.struct(rows.root) if rows is not None and rows.root else self.root

    def enclosing_types(self, rows: Rows) -> tuple[Path, ...]:
        """Return the types of the objects that a writer creates for rows, outermost first, down to the row."""
        return (self.top(rows).path, *rows.types) if rows.streaming else rows.types

    def prologue(self, rows: Rows) -> tuple[str, ...]:
        """Return the attributes before the units of a table; empty if the input is its only unit."""
        before = takewhile(lambda each: each.id != rows.attribute, self.top(rows).attributes)
        return tuple(each.id for each in before) if rows.streaming else ()

    def begins_with_unit(self, rows: Rows, path: RowPath) -> bool:
        """Return whether a row begins where its unit does because it is all that the unit contains: its last step, and
        all steps between it and the unit, are single attributes.

        Args:
            rows: The rows of a table.
            path: One of their ``row_paths``.
        """
        for step in range(len(path) - 1, -1, -1):
            kind, name, _ = path[step]
            attribute, instance = self.struct(kind).attribute(name), self.struct(kind).instance(name)
            read = attribute if instance is None else instance.attribute
            if read is not None and read.repeat is not None:
                return step < len(path) - 1 and (rows.is_unit(path, step) or (rows.streaming and step == 0))
            if instance is not None:
                return False
        return False

    def holder(self, rows: Rows, name: str) -> tuple[int, Struct]:
        """Return where the attribute or the instance of a column is, the innermost one with the name.

        Args:
            rows: The rows of a table.
            name: The name of the attribute or instance.

        Returns:
            The number of levels of its object above the row, 0 for the row itself, and the object's type.

        Raises:
            KeyError: No object from the unit down to the row has such a member.
        """
        for up, path in enumerate(reversed(rows.types)):
            struct = self.struct(path)
            if struct.attribute(name) is not None or struct.instance(name) is not None:
                return up, struct
        raise KeyError(name)

    @cached_property
    def steps(self) -> tuple[RowStep, ...]:
        """Return the steps to the rows of all tables, without duplicates."""
        return tuple(dict.fromkeys(step for each in self.tables for path in each.row_paths for step in path))

    def is_at_position(self, step: RowStep) -> bool:
        """Return whether a step is an instance at a position."""
        return self.struct(step[0]).instance(step[1]) is not None

    @cached_property
    def has_variables(self) -> bool:
        """Return whether any type of the spec, or of those that it imports, has a variable."""
        return any(each.variable for struct in self.family for each in struct.instances)

    @cached_property
    def places_streams(self) -> bool:
        """Return whether rows are read at positions in streams that an expression names, which may be any stream: the
        offsets of these streams in the input are then recorded."""
        read = (self.struct(holder).instance(id) for holder, id, _ in self.steps)
        named = (each.io for each in read if each is not None and each.io is not None)
        return any(not (isinstance(io, MemberAccess) and io.value == Name("_root")) for io in named)

    def instance_steps(self, holder: Struct) -> dict[str, tuple[int, ...]]:
        """Return the instances at positions of a type that lead to rows, each with the numbers of its steps."""
        found: dict[str, tuple[int, ...]] = {}
        for number, step in enumerate(self.steps):
            if step[0] == holder.path and self.is_at_position(step):
                found[step[1]] = (*found.get(step[1], ()), number)
        return found

    def in_stream(self, rows: Rows) -> bool:
        """Return whether rows are in a stream that is cut into containers."""
        return any(each.stream and each.name == rows.inside for each in self.tables)

    def streamed(self, top: Path) -> Rows | None:
        """Return the rows of a table whose units are read one by one from an object of a type, which is that of the
        input or of a stream in it; all such tables have the same attribute."""
        found = (each for each in self.tables if each.streaming and self.top(each).path == top)
        return next((each for each in found if not each.root or self.in_stream(each)), None)

    def owns(self, kind: UserType) -> bool:
        """Return whether objects of a type belong to objects of this spec; others are roots of their own."""
        return not kind.opaque and kind.path[0] == self.root.path[0]

    @cached_property
    def solved(self) -> dict[tuple[Path, Node], Any]:
        """The solutions of expressions, by type and expression. Filled by ``solving``."""
        return {}

    @cached_property
    def inlined(self) -> dict[tuple[Path, str], Node | None]:
        """Value instances, by type and name, with others inlined; ``None`` if too large. Filled by ``solving``."""
        return {}

    def struct(self, path: Path) -> Struct:
        """Return the type with that absolute path, of this spec or of an imported one. Raises ``KeyError``."""
        return self._structs[path]

    @cached_property
    def _structs(self) -> dict[Path, Struct]:
        return {each.path: each for each in reversed(list(self.family))}

    def member(self, struct: Struct, node: Node) -> tuple[Struct, str] | None:
        """Return the member that a node of an expression names.

        Args:
            struct: The type in whose scope the expression is.
            node: The node, typed.

        Returns:
            The type that has the member, and its name; ``None`` for nodes that name none, and for members of types that
            are not in a spec. A name need not be that of a member: ``_root`` and ``_io`` are returned too.
        """
        match node:
            case Name(id):
                return struct, id
            case MemberAccess(Node(type=UserType(path, opaque=False)), name) if path in self._structs:
                return self._structs[path], name
        return None

    def instance(self, struct: Struct, node: Node) -> tuple[Struct, Instance] | None:
        """Return the instance that a node names, as for ``member``."""
        found = self.member(struct, node)
        instance = None if found is None else found[0].instance(found[1])
        return None if found is None or instance is None else (found[0], instance)

    def reached(self, begin: Iterable[Path], *, instances: bool = False) -> tuple[Path, ...]:
        """Return types and those of the objects inside them, at any depth, outermost first.

        Args:
            begin: The types to begin with.
            instances: Whether objects count that instances read at positions.
        """
        found = list(dict.fromkeys(begin))
        known = set(found)
        for path in found:
            # Grows while it is iterated over.
            struct = self.struct(path)
            fields = struct.all_attributes if instances else struct.attributes
            inside = dict.fromkeys(kind.path for each in fields for kind in each.object_types if not kind.opaque)
            found += (each for each in inside if each not in known)
            known.update(inside)
        return tuple(found)

    @cached_property
    def in_json(self) -> frozenset[Path]:
        """Return the types whose objects may be in JSON text."""
        return frozenset(self.reached(each.path for each in self.family if each.json is not None))

    def enum(self, path: Path) -> Enum:
        """Return the enum with that absolute path. Raises ``KeyError``."""
        return self._enums[path]

    @cached_property
    def _enums(self) -> dict[Path, Enum]:
        return {each.path: each for struct in self._structs.values() for each in struct.enums}
