"""Types of a spec, and the steps that read their attributes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, groupby

from wireloom.base.cached import cached_property
from wireloom.base.dataclass import dataclass, field

from ..expression.nodes import CoveredChecksum, Name, Node
from ..expression.types import FloatType, IntegerType, Path, UserType, VarintType
from ..expression.walk import expressions_in, walk
from ..spec.position import Position
from .leaves import ComputedEndian, Enum, InheritedEndian, Message, Parameter
from .members import Attribute, Checksum, Instance


@dataclass(frozen=True)
class Piece:
    """Consecutive attributes of a run that share a byte order (``le``, ``be``, or ``None`` if it makes no difference).
    ``offset``: of the first attribute, from the start of the run."""

    attributes: tuple[Attribute, ...]
    endian: str | None
    offset: int
    size: int


@dataclass(frozen=True)
class Run:
    """Consecutive attributes of fixed sizes; ``offsets``: the start of each, followed by the end of the run."""

    attributes: tuple[Attribute, ...]
    offsets: tuple[int, ...]
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Return the total size in bytes."""
        return self.offsets[-1]

    @property
    def parts(self) -> tuple[tuple[Attribute, ...], ...]:
        """Return the run split after each attribute that is checked first."""
        parts: list[tuple[Attribute, ...]] = [()]
        for each in self.attributes:
            parts[-1] += (each,)
            if each.checked_first:
                parts.append(())
        return tuple(each for each in parts if each)


Step = Run | Attribute


def steps_of(attributes: tuple[Attribute, ...]) -> Iterator[Step]:
    """Yield the attributes in order as steps: consecutive ones of fixed sizes as a run, all others on their own."""
    for is_run, group in groupby(attributes, key=lambda each: each.fixed_size is not None):
        together = tuple(group)
        yield from (run_of(together),) if is_run else together


def is_single_value(attribute: Attribute) -> bool:
    """Return whether an attribute is always exactly one value of its type."""
    return attribute.repeat is None and attribute.condition is None and attribute.switch is None


def run_of(attributes: tuple[Attribute, ...]) -> Run:
    """Return consecutive attributes of fixed sizes as a run."""
    offsets = tuple(accumulate((each.fixed_size or 0 for each in attributes), initial=0))
    return Run(attributes, offsets, tuple(_pieces(attributes, offsets)))


def _pieces(attributes: tuple[Attribute, ...], offsets: tuple[int, ...]) -> Iterator[Piece]:
    """Yield the pieces of a run, each of a single byte order; single bytes fit any."""
    begin, endian = 0, None
    for number, each in enumerate(attributes):
        base = each.type.on_wire
        wanted = base.endian if isinstance(base, IntegerType | FloatType) and base.size > 1 else None
        if wanted and endian and wanted != endian:
            yield Piece(attributes[begin:number], endian, offsets[begin], offsets[number] - offsets[begin])
            begin, endian = number, None
        endian = wanted or endian
    yield Piece(attributes[begin:], endian, offsets[begin], offsets[-1] - offsets[begin])


@dataclass(frozen=True)
class InnerSum:
    """A checksum of attributes of a type that is stored in an ``attribute`` of an object inside it. ``path``: the path
    of attributes to that object."""

    path: tuple[str, ...]
    attribute: Attribute
    checksum: Checksum


@dataclass(frozen=True, kw_only=True)
class StoredChecksum(Checksum):
    """Derived: a checksum with the ``attribute`` that must equal it.

    - ``covered``: the consecutive attributes whose bytes it covers.
    - ``value``: the single attribute whose value is these bytes, if there is one.
    - ``blanks_own``: the bytes of the checksum are part of the range, and count as bytes of the value ``replace``.
    - ``inside``: the attributes that lead to the object that contains the checksum; empty if it is the object with the
      covered attributes.
    - ``before_expansion``: it is verified before the bytes of the last attribute, which are compressed, are
      decompressed.

    If ``content`` is set, it is verified before the content is read.
    """

    attribute: Attribute
    covered: tuple[str, ...]
    value: str | None
    blanks_own: bool
    inside: tuple[str, ...] = ()
    before_expansion: bool = False

    @property
    def of_object(self) -> bool:
        """Return whether it covers the content of an object."""
        return self.content and self.value is None

    @property
    def marked(self) -> tuple[str, ...]:
        """Return the attributes whose beginning must be known: that of the range, and its own if its bytes count as
        others."""
        return (self.attribute.id, self.first) if self.blanks_own else (self.first,)

    @property
    def path(self) -> tuple[str, ...]:
        """Return the fields that lead to the checksum, including the checksum itself."""
        return (*self.inside, self.attribute.id)


@dataclass(frozen=True)
class Fill:
    """A field that a writer fills in.

    ``how``: ``constant`` (the bytes ``contents``), ``measured`` (the size of the fields in ``Attribute.size_of``),
    ``unless given`` (the only ``value`` that is allowed, or the default), ``made`` (an object in which everything is
    filled in), ``solved`` (the ``value`` that is derived from a size or count; in it ``NAME.size`` is the size of a
    field on the wire; with ``instance`` that of a value instance, from which the object is made), ``checksum before``
    anything is written or ``checksum after`` all fields it covers are; ``within`` for attributes in the bytes of
    another one, and for these bytes, which may have a name with dots.
    """

    id: str
    how: str
    value: Node | None = None
    contents: bytes = b""
    checksum: StoredChecksum | None = None
    instance: str = ""


@dataclass(frozen=True)
class ReadOnly:
    """Why objects of a type cannot be written.

    ``instance``: an instance at an explicit position; ``checksum``: a checksum of bits, which is known only after they
    are written; ``inner_checksum``: a checksum in an object inside them; ``computed``: a field whose conditions or
    checks depend on a checksum of bytes that were read; ``unsolved``: clauses about integers that cannot be derived.
    ``position``: of the instance, the field or the first integer.
    """

    instance: str = ""
    checksum: str = ""
    inner_checksum: str = ""
    computed: str = ""
    unsolved: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False)

    @property
    def words(self) -> dict[str, str]:
        """Return the arguments of the error of the same names."""
        return {name: getattr(self, name) for name in ("instance", "checksum", "inner_checksum", "computed")}


@dataclass(frozen=True)
class Struct:
    """A type of the spec; the spec's root is one too."""

    path: Path
    parameters: tuple[Parameter, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    instances: tuple[Instance, ...] = ()
    structs: tuple[Struct, ...] = ()
    enums: tuple[Enum, ...] = ()
    message: Message | None = None
    shown: tuple[str, ...] = ()
    """The attributes, value instances and parameters that are fields of its structs in tables; empty: all
    attributes."""
    json: tuple[str, ...] | None = None
    """Set if tables show its objects as JSON text: the members of which the first that is present is the text; empty:
    all that are fields of its structs, as an object."""
    fills_stream: bool | None = None
    """``-wireloom: {trailing-bytes: refuse}``: its attributes extend to the end of its stream. ``None`` while the model
    is built, where the spec does not say so: types of items between delimiters do by default."""
    to_string: Node | None = None
    inner_sums: tuple[InnerSum, ...] = ()
    varint: VarintType | None = None
    """Set if the type has the key ``varint``: its integer type."""
    parents: tuple[Path, ...] = ()
    """The types of the same spec that directly contain this one, in order."""
    conditions: tuple[tuple[str, str, Node], ...] = ()
    """Conditions of the rows of tables whose rows are of this type: the name of the table, the key, the condition."""
    endian: ComputedEndian | InheritedEndian | None = None
    """Set if the byte order is computed; integers and floats with this byte order have the endian ``computed``."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False, repr=False)
    key_path: str = ""
    """Derived, as all that follow: the path of the type in the spec, such as ``/types/frame``; empty for the root."""
    checksums: tuple[StoredChecksum, ...] = ()
    inner_checksums: tuple[StoredChecksum, ...] = ()
    """Checksums of its attributes that are stored in objects inside it."""
    fills: tuple[Fill, ...] = ()
    """The attributes that are filled in before an object is written, in order."""
    buffered: bool = False
    """Whether its attributes can be read from a buffer, without asking the stream for each."""
    recursive: bool = False
    """Whether objects may contain objects of the same type, at any depth."""
    fixed_size: bool = False
    """Whether objects have the same size in every input."""
    least: int = 0
    """The minimum size of an object in bytes."""
    read_only: ReadOnly | None = None
    """Why objects cannot be written; ``None`` if they can be."""
    may_end_inside_a_byte: bool = False
    """Whether the bits of its last attribute may leave some of their last byte."""
    fits_column: bool = True
    """Whether a column can contain such objects: no message in them contains itself, and there are not too many."""

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

    def shown_members(self, names: tuple[str, ...]) -> tuple[Attribute | Instance, ...]:
        """Return members that a column shows: attributes in their order, then parameters and instances; all attributes
        if there are no names. A parameter is a value instance of its name here."""
        named = set(names)
        attributes = (each for each in self.attributes if not each.anonymous and (not names or each.id in named))
        passed = (
            Instance(each.id, each.type, Name(each.id, type=each.type), position=each.position)
            for each in self.parameters
            if each.id in named
        )
        return (*attributes, *passed, *(each for each in self.instances if each.id in named))

    @property
    def members(self) -> tuple[Attribute | Instance, ...]:
        """Return the attributes and the instances."""
        return (*self.attributes, *self.instances)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return the members that are columns of such rows by default: all single values."""
        return tuple(each.id for each in self.members if each.is_scalar)

    @property
    def flat_columns(self) -> tuple[str, ...]:
        """Return the default columns of such rows if each field of a struct has a column."""
        structs = {each.id for each in self.attributes if isinstance(each.type, UserType) and each.repeat is None}
        return tuple(each.id for each in self.members if each.id in structs or each.id in self.columns)

    @cached_property
    def _solved(self) -> dict[str, Node]:
        return {each.id: each.value for each in self.fills if each.how == "solved" and each.value is not None}

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return what reads its attributes in order: those of fixed sizes as runs. A message has no steps: its fields
        come in any order."""
        return () if self.message is not None else tuple(steps_of(self.attributes))

    def checksum(self, name: str) -> StoredChecksum | None:
        """Return the checksum stored in the attribute with that id; ``None`` if there is none."""
        return next((each for each in self.checksums if each.attribute.id == name), None)

    @property
    def verified(self) -> tuple[StoredChecksum, ...]:
        """Return all checksums that are verified after its attributes."""
        return (*self.checksums, *self.inner_checksums)

    @cached_property
    def computed_checksums(self) -> tuple[CoveredChecksum, ...]:
        """Return the checksums of its attributes that are values of instances."""
        return tuple(each.value for each in self.instances if isinstance(each.value, CoveredChecksum))

    def fills_in(self, name: str) -> bool:
        """Return whether a writer fills in the attribute with that id, or one inside it (with a dot)."""
        return any(each.id == name for each in self.fills)

    def solved(self, name: str) -> Node | None:
        """Return the value that a size or count requires for the attribute with that id, if a writer solves for it,
        else ``None``."""
        return self._solved.get(name)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes of all expressions of its attributes and instances."""
        return tuple(each for node in expressions_in((self.attributes, self.instances)) for each in walk(node))

    @property
    def all_attributes(self) -> Iterator[Attribute]:
        """Yield the attributes, and those that instances read."""
        yield from self.attributes
        yield from (each.attribute for each in self.instances if each.attribute is not None)

    @property
    def all_structs(self) -> Iterator[Struct]:
        """Yield the type and all types declared inside it, outermost first."""
        yield self
        for each in self.structs:
            yield from each.all_structs
