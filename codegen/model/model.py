"""The model: a spec with every name resolved, every expression typed, every default filled in.

It is the one source of every backend. Plain frozen data: no backend's words are in it, and nothing in it points back
at YAML but ``position``, which diagnostics use.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wireloom.base.cached import cached_property

from ..expression.nodes import Node
from ..expression.types import Path, Type
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
    """That of this case: the attribute's where it has one and the type takes one, else the type's own."""
    terminator: Terminator | None = None
    """That of this case; ``strz`` brings its own."""


@dataclass(frozen=True)
class Switch:
    """A type that depends on a value; the first case that equals it, in order, is the one."""

    on: Node
    cases: tuple[SwitchCase, ...]


# The extension keys ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checksum:
    """``-wireloom: {checksum: …}`` on an attribute of integers, bits or bytes.

    The checksum covers the bytes of the attributes ``first`` … ``last`` of the same type, both included, as they stand
    on the wire; with ``replace`` the checksum's own bytes, where they lie inside, count as that byte value.
    ``initial`` and ``final_xor`` are those of the algorithm's usual description; 0 for digests. ``endian``: the order
    of a number's bytes in an attribute of bytes. ``stored``: what stands for the checksum ``_`` on the wire, itself
    where it is ``None``. ``continues``: the checksum of what comes before the bytes. ``content``: it covers what the
    bytes, which are compressed, expand to. ``condition``: false where it is not verified.
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
    """How many levels above the type with the attribute the type with ``first`` and ``last`` is."""
    content: bool = False
    condition: Node | None = None


# Types of the spec --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attribute:
    """One item of ``seq``. ``type`` is that of one item where ``repeat`` is set."""

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
    """``-wireloom: {given: true}``: whoever writes gives it; it is not solved for."""
    default: Node | None = None
    """``-wireloom: {default: …}``: what a writer writes if it is not given a value. Value instances in it are those
    that the writer is given."""
    begins_with: Node | None = None
    ends_with: Node | None = None
    """``-wireloom: {begins-with: …, ends-with: …}``: the items that a writer writes around those with rows."""
    size_of: tuple[str, str] | None = None
    """``-wireloom: {size-of: …}``: the first and the last of the attributes whose size it is."""
    logical: Logical | None = None
    message: MessageField | None = None
    """Set for all attributes of a message type and for no others. A repeated field's ``repeat`` is ``RepeatEos``."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    anonymous: bool = False
    """True where the spec gave no id; the id is then ``_unnamedN`` as in Kaitai's compiler."""
    parent: Node | None = None
    """``parent``: what stands as ``_parent`` of the object, ``false`` for nothing. ``None``: what it belongs to."""
    frames_layout: bool = False
    """True where the value decides where later bytes lie: it appears in a size, count, condition or switch, or is
    ``contents``. A value of such a field that is refused means that the place of what follows is unknown."""
    position: Position | None = field(default=None, compare=False)


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
    """What is read later may set it; ``value`` is what it begins with."""
    sets: Node | None = None
    """The variable that is set to the value at the end of the object."""
    default: Node | None = None
    """``-wireloom: {default: …}``: the constant that a writer takes it for if it is not given the value."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Derivation:
    """An attribute that a writer fills in by itself: ``attribute`` becomes the value of ``expression``, in which
    ``NAME.size`` of a bytes or string attribute is its size on the wire, ``NAME.content`` that of what is compressed,
    and ``NAME.length`` a repeated one's count."""

    attribute: str
    expression: Node


@dataclass(frozen=True)
class InnerSum:
    """A checksum of attributes of a type, which an ``attribute`` of an object inside of it holds. ``way``: the
    attributes that lead to that object."""

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
    """The attributes that structs of it have in tables; empty: all."""
    to_string: Node | None = None
    inner_sums: tuple[InnerSum, ...] = ()
    parents: tuple[Path, ...] = ()
    """The types of the same spec that hold this one directly, in the order in which they do."""
    conditions: tuple[tuple[str, Node], ...] = ()
    """Of tables whose rows are of this type, by name: which rows they have."""
    endian: ComputedEndian | InheritedEndian | None = None
    """Where the byte order is computed; integers and floats that follow it have the endian ``computed``."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False)

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of that id."""
        return self._attributes.get(name)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that id."""
        return self._parameters.get(name)

    def instance(self, name: str) -> Instance | None:
        """The instance of that id."""
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
class RowWay:
    """One of several ways to the rows of a table; ``types`` and ``path`` as in ``Rows``."""

    types: tuple[Path, ...]
    path: tuple[str, ...]


@dataclass(frozen=True)
class Rows:
    """``-wireloom: {rows: …}`` in ``meta``: what a table of this format is."""

    attribute: str
    """The root's attribute that the way to the rows begins with. Its items are the units (the rows, or what has them
    inside) where these are ``streaming``; otherwise the root is the one unit."""
    types: tuple[Path, ...]
    """The types from the unit's down to the row's; one where units are the rows."""
    columns: tuple[str, ...]
    """Attributes and instances of the row type, or else of the nearest one around it, that are columns unless the
    reader asks for others, in order."""
    selectable: tuple[str, ...]
    """Those that a reader may ask for besides."""
    parent_columns: tuple[str, ...] = ()
    """Scalars of the root that come along in every row; they stand before the rows on the wire."""
    path: tuple[str, ...] = ()
    """The attributes that lead from a unit to its rows, the first one the unit's."""
    others: tuple[RowWay, ...] = ()
    """Further ways to rows of the table; ``types`` and ``path`` are the first one."""
    text: str = ""
    """The paths from the root as the spec has them."""
    streaming: bool = True
    """Units are in the input by themselves, to its end, and need nothing else but what is before them."""
    sized: bool = False
    """Each unit has a stream of its own, whose size the attributes before the first one give."""
    units: int = 0
    """How many attributes of the way, the root's included, lead to the innermost units; 0: all that are repeated."""
    fragments: Fragments | None = None
    """Set where the rows on the wire are pieces of records."""
    name: str = ""
    """That of the table, where the spec has ``tables``."""
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
    position: Position | None = field(default=None, compare=False)
    """Of the name."""

    @property
    def row(self) -> Path:
        """The type of a row."""
        return self.types[-1]

    def holder(self, spec: Spec, name: str) -> tuple[int, Struct]:
        """Return how many levels above the row a column's attribute or instance is, and the type that has it. Raises
        ``KeyError``."""
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
    """Set where the table is one of messages; there are no ``tables`` then."""
    codec: str = "none"
    """The codec that a writer compresses files with. Readers look at the content."""
    path_pattern: str | None = None
    """``{name}`` parts between slashes and dots, matched against the end of a path; each name is a column."""
    preallocated: Preallocated | None = None
    """Set where zeros after the last record are no damage."""
    searched: bool = False
    """Byte ranges of inputs begin where a search finds a unit."""
    max_record: int = 64 * 1024 * 1024
    """Default of the largest record in bytes; an option of the reader."""
    choices: tuple[Choice, ...] = ()
    file_extensions: tuple[str, ...] = ()
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    license: str = ""
    debug: bool = False
    """``ks-debug``: objects with Kaitai's API say where on the wire their attributes lie, and are not read at once."""
    allow_modules: tuple[str, ...] = field(default=(), compare=False)
    """Modules out of which whoever loaded the spec lets it name routines, besides those that are registered."""
    imports: tuple[Spec, ...] = ()
    """All specs that this one imports, directly or not; imports may be mutual, so theirs are empty."""

    def struct(self, path: Path) -> Struct:
        """The type of that absolute path, of this spec or of one that it imports. Raises ``KeyError``."""
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
        """The enum of that absolute path. Raises ``KeyError``."""
        return self._enums[path]

    @cached_property
    def _enums(self) -> dict[Path, Enum]:
        return {each.path: each for struct in self._structs.values() for each in struct.enums}
