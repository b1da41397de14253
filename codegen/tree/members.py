"""Attributes and instances of a type, and what belongs to them: switches, checks, checksums."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.cached import cached_property
from wireloom.base.dataclass import dataclass, field
from wireloom.checksums import Algorithm, Family, algorithm

from ..expression.nodes import BooleanLiteral, IntegerLiteral, Node
from ..expression.types import (
    BytesType,
    ComputedIntegerType,
    EnumType,
    FloatType,
    IntegerType,
    StringType,
    Type,
    UserType,
    VarintType,
    is_integer,
    is_single,
)
from ..expression.walk import expressions_in, names_in
from ..spec.position import Position
from .leaves import (
    EndOfStreamSize,
    Framing,
    Logical,
    MessageField,
    OwnSize,
    Process,
    Repeat,
    RepeatCount,
    RepeatEos,
    Size,
    Terminator,
    literal_size,
)

OWN_SUM = Algorithm("own", Family.XOR, 8)
LARGEST_IN_RUN = 1 << 32
"""Maximum size in bytes of one attribute of a run: Python's ``struct`` counts those of all in a machine word."""


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
class Check:
    """A condition on a value; a value that does not meet it is refused.

    ``rule``: ``contents`` (the bytes ``contents``), ``equal``, ``at least``, ``at most`` (the only operand), ``one of``
    (the operands), ``in enum`` (a label of the attribute's type), ``holds`` (the operand is true, with the value as
    ``_``).
    """

    rule: str
    operands: tuple[Node, ...] = ()
    contents: bytes = b""


def _checks_of_valid(valid: Valid, type: Type) -> Iterator[Check]:
    for rule, operand in (("equal", valid.equal), ("at least", valid.minimum), ("at most", valid.maximum)):
        if operand is not None:
            yield Check(rule, (operand,))
    if valid.any_of:
        yield Check("one of", valid.any_of)
    if valid.in_enum and isinstance(type, EnumType):
        yield Check("in enum")
    if valid.expression is not None:
        yield Check("holds", (valid.expression,))


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
    branches: tuple[tuple[tuple[Node, ...], Attribute], ...] = field(default=(), compare=False)
    """Derived: the matches of each branch, and the attribute in that case."""
    otherwise: Attribute | None = field(default=None, compare=False)
    """Derived: the attribute if nothing matches; ``None`` if there is then no value."""

    @cached_property
    def sizes(self) -> tuple[Size, ...]:
        """Return the sizes of the cases, each once."""
        return tuple(dict.fromkeys(each.size for each in self.cases))

    @property
    def exhaustive(self) -> bool:
        """Return whether each value of ``on`` matches a case."""
        matches = [each.match for each in self.cases]
        return None in matches or {each.value for each in matches if isinstance(each, BooleanLiteral)} == {True, False}


@dataclass(frozen=True)
class Checksum:
    """``-wireloom: {checksum: …}`` on an attribute of integers, bits or bytes.

    The checksum covers the bytes on the wire of the attributes ``first`` … ``last`` of the same type, both included;
    with ``replace``, its own bytes count as that byte value if they are inside the range. ``initial`` and
    ``final_xor``: as in catalogues of CRCs; 0 for digests. ``endian``: the byte order of a number in an attribute of
    bytes. ``stored``: the expression of the stored value, where ``_`` is the checksum; ``None``: the checksum itself.
    ``continues``: the checksum of the preceding bytes. ``content``: it covers the decompressed content of the
    attribute. ``condition``: false if it is not verified. ``extra``: a byte after the covered ones. ``algorithm`` is
    empty if ``routine`` computes the checksum, or without one ``stored`` alone."""

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
    """Levels up to the type with ``first`` and ``last``."""
    content: bool = False
    condition: Node | None = None
    extra: Node | None = None
    routine: Process | None = None

    @property
    def named(self) -> str:
        """Return the name of what computes it."""
        return self.algorithm or (self.routine.name if self.routine is not None else "value")

    @property
    def is_running(self) -> bool:
        """Return whether the checksum continues that of the previous item in a list."""
        return self.continues is not None and "_" in names_in(self.continues)

    @property
    def made_by(self) -> Algorithm:
        """Return the algorithm with its parameters."""
        return algorithm(self.algorithm, self.initial, self.final_xor) if self.algorithm else OWN_SUM


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
    determines_layout: bool = False
    """Whether the value determines the position of later bytes: it is used in a size, count, condition or switch, or is
    ``contents``. If such a value is refused, the position of what follows is unknown."""
    position: Position | None = field(default=None, compare=False, repr=False)
    key_path: str = ""
    """Derived, as all that follow: the path of the attribute in the spec, such as ``/types/frame/seq/0``."""
    reason: str = "value"
    """The reason in reports for an invalid value: ``length`` if the value is part of a size or count, else
    ``value``."""
    least: int = 0
    """The minimum size of the attribute, or of one item, in bytes."""
    contains_process_errors: bool = False
    """Whether reading continues after the attribute if ``process`` fails; the attribute is then refused."""
    contains_content_errors: bool = False
    """Whether reading continues after the attribute if something in its own bytes cannot be read; the attribute is then
    refused."""
    buffered: bool = False
    """Whether the items are objects of a buffered type, see ``Struct.buffered``."""
    iterable: bool = False
    """Whether items can be read one by one, since nothing uses the list."""

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """Return ``contents`` and ``valid`` as checks of the value, or of one item, in the order in which they are
        applied."""
        return tuple(self._checks())

    def _checks(self) -> Iterator[Check]:
        if self.contents is not None:
            yield Check("contents", contents=self.contents)
        if isinstance(self.type, VarintType) and self.type.top < 127:
            for rule, limit in zip(("at least", "at most"), self.type.limits, strict=True):
                if limit != 0:
                    yield Check(rule, (IntegerLiteral(limit, type=ComputedIntegerType()),))
        if self.valid is not None:
            yield from _checks_of_valid(self.valid, self.type)

    @cached_property
    def fixed_size(self) -> int | None:
        """Return the constant size in bytes if the attribute can be part of a run, else ``None``.

        These are integers, floats, enums of integers, ``contents``, and bytes and text whose size is a number in the
        spec, up to ``LARGEST_IN_RUN``; without condition, repetition, switch and process, and with a known byte order.
        """
        if self.condition or self.repeat or self.switch or self.process:
            return None
        base = self.type.on_wire
        if isinstance(base, IntegerType | FloatType):
            return base.size if base.endian != "computed" else None
        if isinstance(base, BytesType | StringType):
            size = literal_size(self.size)
            return None if size is None or size > LARGEST_IN_RUN else size
        return None

    @cached_property
    def indexed(self) -> bool:
        """Return whether an expression of the repeated attribute uses the index of the item."""
        return any("_index" in names_in(each) for each in expressions_in(self))

    @property
    def checked_first(self) -> bool:
        """Return whether a refused value loses the row, so that it is checked before what follows is read."""
        return self.determines_layout and bool(self.checks)

    @property
    def at_once(self) -> bool:
        """Return whether the items are plain numbers whose count is known, so that all are unpacked together."""
        number = isinstance(self.type, IntegerType | FloatType) and self.type.endian != "computed"
        return isinstance(self.repeat, RepeatCount) and number and not self.switch and not self.checks

    @property
    def only(self) -> Node | None:
        """Return the only value that ``valid`` allows; ``None`` if there are others."""
        return None if self.valid is None else self.valid.equal

    @property
    def stripped(self) -> int | None:
        """Return the byte that a reader strips from the end of the value. As in Kaitai's language, a byte that is both
        padding and terminator is not stripped, since the terminator determines the end."""
        ends_alike = self.terminator is not None and self.terminator.value[-1] == self.pad_right
        return None if ends_alike else self.pad_right

    @property
    def is_scalar(self) -> bool:
        """Return whether it is a single value that can be a column by itself."""
        return self.repeat is None and not self.anonymous and self.contents is None and is_single(self.type)

    @property
    def is_checksum(self) -> bool:
        """Return whether it stores a checksum."""
        return self.checksum is not None

    @property
    def is_cut(self) -> bool:
        """Return whether the value may be shorter than the bytes of the attribute."""
        return self.terminator is not None or self.pad_right is not None

    @property
    def has_stream(self) -> bool:
        """Return whether the value is an object with a stream of its own."""
        return isinstance(self.type, UserType) and not isinstance(self.size, OwnSize)

    @property
    def unmatched(self) -> bool:
        """Return whether a value may have none of the types of the switch."""
        return self.switch is not None and not self.switch.exhaustive

    @property
    def has_default_case(self) -> bool:
        """Return whether it is a single value whose switch has a default case: ``_``, or the bytes of its size."""
        return self.repeat is None and self.switch is not None and self.switch.otherwise is not None

    @property
    def optional(self) -> bool:
        """Return whether the attribute may be absent: it has a condition, may match no case, or is an optional field of
        a message."""
        absent = self.condition is not None or (self.unmatched and self.repeat is None)
        return absent or (self.message is not None and self.message.label == "optional")

    @property
    def solvable(self) -> bool:
        """Return whether the attribute is an integer that is determined only by the size or count that it stores."""
        plain = self.repeat is None and self.switch is None and not self.is_checksum
        return plain and not self.given and is_integer(self.type)

    @property
    def forms(self) -> tuple[Attribute, ...]:
        """Return the possible forms of the attribute: one for each branch of its switch, or the attribute itself."""
        if self.switch is None:
            return (self,)
        otherwise = () if self.switch.otherwise is None else (self.switch.otherwise,)
        return (*(each for _, each in self.switch.branches), *otherwise)

    @property
    def alternatives(self) -> tuple[Attribute | SwitchCase, ...]:
        """Return what it may be: the cases of its switch, or the attribute itself."""
        return (self,) if self.switch is None else self.switch.cases

    @property
    def sizes(self) -> tuple[Size, ...]:
        """Return its size, and those that it has in other cases of its switch, each once."""
        others = () if self.switch is None else self.switch.sizes
        return (self.size, *(each for each in others if each != self.size))

    @property
    def takes_rest(self) -> bool:
        """Return whether it may extend to the end of the stream by its own size or repetition."""
        return isinstance(self.repeat, RepeatEos) or any(isinstance(each, EndOfStreamSize) for each in self.sizes)

    @property
    def inline_types(self) -> tuple[UserType, ...]:
        """Return the types of the objects that it may contain and that have no stream of their own."""
        inline = (each.type for each in self.alternatives if isinstance(each.size, OwnSize))
        return tuple(each for each in inline if isinstance(each, UserType))

    @property
    def object_types(self) -> tuple[UserType, ...]:
        """Return the types of the objects that it may contain."""
        types = dict.fromkeys(each.type for each in self.alternatives)
        return tuple(each for each in types if isinstance(each, UserType))


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

    @property
    def checks(self) -> tuple[Check, ...]:
        """Return the checks of a computed value."""
        computed = self.attribute is None and self.valid is not None
        return tuple(_checks_of_valid(self.valid, self.type)) if computed and self.valid is not None else ()

    @property
    def is_scalar(self) -> bool:
        """Return whether it is a single computed value that can be a column by itself."""
        return self.attribute is None and is_single(self.type)
