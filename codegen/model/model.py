"""The model: a spec with every name resolved, every expression typed, every default filled in.

It is the only input of the backends: frozen data without terms of any backend. Only ``position``, for diagnostics,
refers to the YAML source.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wireloom.base.cached import cached_property

from ..expression.nodes import Node
from ..expression.types import Path, Type, VarintType
from ..spec.position import Position
from ..wire import (
    Choice,
    ComputedEndian,
    Enum,
    Fragments,
    Framing,
    InheritedEndian,
    Logical,
    LookUp,
    Message,
    MessageField,
    OwnSize,
    Parameter,
    Preallocated,
    Process,
    Repeat,
    RowWay,
    Size,
    Terminator,
    Units,
)

# Validation, switches -------------------------------------------------------------------------------------------------


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


# The extension keys ------------------------------------------------------------------------------------------------


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


# Types of the spec --------------------------------------------------------------------------------------------------


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


@dataclass(frozen=True)
class Derivation:
    """An attribute that a writer fills in: ``attribute`` becomes the value of ``expression``, in which ``NAME.size`` of
    a bytes or string attribute is its size on the wire, ``NAME.content`` its decompressed size, and ``NAME.length`` the
    count of a repeated one."""

    attribute: str
    expression: Node


@dataclass(frozen=True)
class InnerSum:
    """A checksum of attributes of a type that is stored in an ``attribute`` of an object inside it. ``way``: the path
    of attributes to that object."""

    way: tuple[str, ...]
    attribute: Attribute
    checksum: Checksum


@dataclass(frozen=True)
class Struct:
    """A type of the spec; the spec's root is one too."""

    path: Path
    parameters: tuple[Parameter, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    instances: tuple[Instance, ...] = ()
    structs: tuple[Struct, ...] = ()
    enums: tuple[Enum, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    message: Message | None = None
    columns: tuple[str, ...] = ()
    """The attributes that are fields of its structs in tables; empty: all."""
    fills_stream: bool = False
    """``-wireloom: {trailing-bytes: refuse}``: its attributes extend to the end of its stream."""
    to_string: Node | None = None
    inner_sums: tuple[InnerSum, ...] = ()
    varint: VarintType | None = None
    """The integer that it is by its key ``varint``."""
    parents: tuple[Path, ...] = ()
    """The types of the same spec that directly contain this one, in order."""
    conditions: tuple[tuple[str, str, Node], ...] = ()
    """Conditions of the rows of tables whose rows are of this type: the name of the table, the key, the condition."""
    endian: ComputedEndian | InheritedEndian | None = None
    """Set if the byte order is computed; integers and floats with this byte order have the endian ``computed``."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False, repr=False)

    def attribute(self, name: str) -> Attribute | None:
        """Return the attribute with that id; ``None`` if there is none."""
        return self._attributes.get(name)

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with that id; ``None`` if there is none."""
        return self._parameters.get(name)

    def instance(self, name: str) -> Instance | None:
        """Return the instance with that id; ``None`` if there is none."""
        return self._instances.get(name)

    @cached_property
    def _attributes(self) -> dict[str, Attribute]:
        return {each.id: each for each in reversed(self.attributes)}

    @cached_property
    def _parameters(self) -> dict[str, Parameter]:
        return {each.id: each for each in reversed(self.parameters)}

    @cached_property
    def _instances(self) -> dict[str, Instance]:
        return {each.id: each for each in reversed(self.instances)}


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

    def holder(self, spec: Spec, name: str) -> tuple[int, Struct]:
        """Return the number of levels above the row of the attribute or instance of a column, and the type that
        contains it. Raises ``KeyError``."""
        for up, path in enumerate(reversed(self.types)):
            struct = spec.struct(path)
            if struct.attribute(name) is not None or struct.instance(name) is not None:
                return up, struct
        raise KeyError(name)


# The file ---------------------------------------------------------------------------------------------------------


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
