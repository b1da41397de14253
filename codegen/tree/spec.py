"""A spec as a whole, and the rows of its tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from wireloom.base.cached import cached_property

from ..expression.nodes import Node
from ..expression.types import Path
from ..spec.position import Position
from ..wire import Choice, Enum, Fragments, LookUp, Preallocated, RowWay, Units
from .types import Struct

RowStep = tuple[Path, str, Path]
"""An attribute on the way to rows: the path of its type, its id, and the path of the type that it leads to."""

Way = tuple[RowStep, ...]
"""The attributes on the way to rows, in order."""


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
    others: tuple[RowWay, ...] = ()
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
    name: str = ""
    """The name of the table, if the spec has ``tables``."""
    where: Node | None = None
    """The condition of the table's rows, in the scope of the row type."""
    unsupported: Node | None = None
    """The condition of items that contain rows of the table which cannot be read."""
    flatten: bool = False
    """Whether each field of a struct becomes a column."""
    distinct: bool = False
    """Whether rows that equal an earlier one are left out."""
    look_ups: tuple[LookUp, ...] = ()
    """Columns from earlier rows of other tables."""
    root: Path = ()
    """The type that the path to the rows begins with, if it is not the root: that of the sequence of records that
    contain the rows."""
    inside: str = ""
    """The table of the records that contain the rows."""
    order: tuple[str, ...] = ()
    """The columns that the spec names, in its order, including looked-up ones."""
    doc: str = ""
    position: Position | None = field(default=None, compare=False, repr=False)
    """Position of the name."""

    @property
    def row(self) -> Path:
        """Return the type of a row."""
        return self.types[-1]

    @property
    def row_types(self) -> tuple[Path, ...]:
        """Return the types of rows on all ways, those of the first way first."""
        return tuple(dict.fromkeys((self.row, *(each.types[-1] for each in self.others))))

    @property
    def steps(self) -> Way:
        """Return the attributes that lead to rows inside units, on the first way; empty if units are the rows."""
        return self._steps(self.types, self.path)

    @property
    def ways(self) -> tuple[Way, ...]:
        """Return the attributes that lead to rows inside units, on each way; empty if units are the rows."""
        return tuple(filter(None, (self.steps, *(self._steps(each.types, each.path) for each in self.others))))

    def _steps(self, types: tuple[Path, ...], path: tuple[str, ...]) -> Way:
        if not path:
            return ()
        steps = tuple(zip(types, path, types[1:], strict=False))
        return ((self.root or types[0][:1], self.attribute, types[0]), *steps) if self.streaming else steps

    def is_unit(self, way: Way, step: int) -> bool:
        """Return whether the items of a step's repeated attribute are units inside the outermost one."""
        most = self.units or len(way) - 1
        return step < min(most, len(way) - 1) and not (self.streaming and step == 0)


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
    nonempty: bool = False
    advice: str = ""
    """Whether an input without bytes is truncated."""
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

    def struct(self, path: Path) -> Struct:
        """Return the type with that absolute path, of this spec or of an imported one. Raises ``KeyError``."""
        return self._structs[path]

    @cached_property
    def _structs(self) -> dict[Path, Struct]:
        found: dict[Path, Struct] = {}
        waiting = [each.root for each in reversed((self, *self.imports))]
        while waiting:
            struct = waiting.pop()
            found.setdefault(struct.path, struct)
            waiting.extend(reversed(struct.structs))
        return found

    def enum(self, path: Path) -> Enum:
        """Return the enum with that absolute path. Raises ``KeyError``."""
        return self._enums[path]

    @cached_property
    def _enums(self) -> dict[Path, Enum]:
        return {each.path: each for struct in self._structs.values() for each in struct.enums}
