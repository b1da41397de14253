"""The key ``checksum`` of attributes, checked against their types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wireloom.base.dataclass import dataclass
from wireloom.checksums import Algorithm, Family

from ..expression.fold import constant_integer
from ..expression.nodes import Binary, IntegerLiteral, Name, Node
from ..expression.types import (
    BitsType,
    BytesType,
    ComputedIntegerType,
    IntegerType,
    ListType,
    Path,
    UserType,
    type_name,
)
from ..expression.walk import names_in
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Items, Section, Text
from ..tree import Attribute, Checksum, Struct, is_single_value
from ..tree.leaves import ExpressionSize, FixedSize, MessageField, Process
from ..words import listed, shown
from .algorithms import AlgorithmReader
from .scope import Bindings
from .symbols import AlreadyReportedError, Member, Symbol

SUM = Bindings(item=ComputedIntegerType())
"""``_`` is the checksum; in ``continues``, the one of the previous item."""
OWN = {key: Algorithm(f"a checksum with {shown(key)}", Family.XOR, 0) for key in ("value", "routine")}
"""In place of the algorithm of a checksum that an expression or a routine computes."""
EXCLUDED = {
    "value": ("initial", "final-xor", "stored", "continues", "replace", "endian", "content", "extra"),
    "routine": ("initial", "final-xor", "continues", "endian", "extra"),
}


@dataclass(frozen=True)
class ChecksumReader(AlgorithmReader):
    """Reads the key of one attribute. ``typed`` types the expression of a key and reports its errors, ``process`` reads
    a routine."""

    member: Member
    typed: Callable[[Section, str, Bindings], Node | None]
    process: Callable[[Symbol, Section, Bindings, str], Process | None]

    def read(self, section: Section, attribute: Attribute) -> Checksum | None:
        """Return the checksum of the attribute; ``None`` if there is an error, which is reported."""
        try:
            return None if section.faulty else self._checksum(section, attribute)
        except AlreadyReportedError:
            return None

    def _checksum(self, section: Section, attribute: Attribute) -> Checksum:
        found = self._found(section)
        self._refuse_attribute(section, found, attribute)
        if attribute.message is not None:
            self._refuse_in_message(section, attribute.message)
        up, names = _levels(section)
        if up:
            return self._of_enclosing(section, found, attribute, up, names)
        first, last = self._covered(section)
        replaced = section.integer("replace")
        if first.index <= self.member.index <= last.index and replaced is None:
            message = "the checksum covers its own bytes: add the key 'replace' with the byte to use in their place"
            self.error(section.position_of("over"), message)
        if replaced is not None and isinstance(attribute.type, BitsType):
            self.error(
                section.position_of("replace"), "'replace' requires whole bytes, but this attribute is a bit field"
            )
        value = self._expression(section, "value", Bindings())
        return Checksum(
            algorithm="" if found in OWN.values() else found.name,
            first=first.id,
            last=last.id,
            initial=found.initial,
            final_xor=found.final_xor,
            replace=replaced,
            endian=self._endian(section, found, attribute),
            stored=_as_stored(value or self._expression(section, "stored", SUM), attribute),
            continues=self._continues(section, attribute),
            content=self._is_of_content(section, first, last),
            condition=self._expression(section, "if", Bindings()),
            extra=self._expression(section, "extra", Bindings()),
            routine=self._routine(section),
        )

    def _found(self, section: Section) -> Algorithm:
        """Return the algorithm; one of ``OWN`` for an expression or a routine in its place."""
        given = [key for key in ("algorithm", *OWN) if key in section]
        if not given and section.missing & {"algorithm", *OWN}:
            raise AlreadyReportedError
        if len(given) != 1:
            found = f"found {listed(map(shown, given))}" if given else "found none of them"
            self.error(section.position, f"a checksum has an 'algorithm', a 'value' or a 'routine', {found}")
        if given == ["algorithm"]:
            return self.algorithm(section)
        for key in EXCLUDED[given[0]]:
            if key in section:
                self.error(section.keys[key], f"{shown(given[0])} and {shown(key)} cannot be used together")
        return OWN[given[0]]

    def _routine(self, section: Section) -> Process | None:
        found = self.process(self.symbol, section, Bindings(), "routine")
        if found is not None and not found.is_routine:
            self.error(section.position_of("routine"), f"{shown(found.name)} is not the name of a class")
        if found is None and "routine" in section:
            raise AlreadyReportedError
        return found

    def _is_of_content(self, section: Section, first: Member, last: Member) -> bool:
        """Return whether the checksum covers the decompressed content of an attribute. What it covers is checked when
        all attributes are known."""
        if not section.flag("content"):
            return False
        if first is not last:
            self.error(section.keys["content"], "'content' requires a single attribute, but 'over' names several")
        if last.index < self.member.index:
            message = f"the content of {shown(last.id)} is verified when it is read, so the checksum must precede it"
            self.error(section.keys["content"], message)
        return True

    def _of_enclosing(
        self, section: Section, found: Algorithm, attribute: Attribute, up: int, names: tuple[str, ...]
    ) -> Checksum:
        """Return the checksum of attributes of an enclosing object."""
        for key in ("continues", "replace", "content", "if", "extra", *OWN):
            if key in section:
                self.error(section.keys[key], f"{shown(key)} requires a checksum of attributes of its own type")
        if attribute.condition is not None:
            self.error(section.position, "a checksum of attributes of an enclosing object cannot have 'if'")
        stored = _as_stored(self._expression(section, "stored", SUM), attribute)
        if names_in(stored) - {"_"}:
            self.error(
                section.keys["stored"], "in a checksum of attributes of an enclosing object, 'stored' can only use '_'"
            )
        return Checksum(
            found.name,
            names[0],
            names[-1],
            found.initial,
            found.final_xor,
            endian=self._endian(section, found, attribute),
            stored=stored,
            up=up,
        )

    def _continues(self, section: Section, attribute: Attribute) -> Node | None:
        node = self._expression(section, "continues", SUM)
        if node is not None and "_" in names_in(node) and isinstance(attribute.type, BytesType):
            self.error(
                section.keys["continues"], "'_', the checksum of the previous item, requires an integer checksum"
            )
        return node

    def _expression(self, section: Section, key: str, bindings: Bindings) -> Node | None:
        node = self.typed(section, key, bindings)
        if node is None and key in section:
            raise AlreadyReportedError
        return node

    # The attribute ---------------------------------------------------------------------------------------------------

    def _refuse_attribute(self, section: Section, algorithm: Algorithm, attribute: Attribute) -> None:
        """Report an attribute that cannot store the checksum."""
        type, bits = attribute.type, _constant_size(attribute)
        plain = attribute.repeat is None and attribute.switch is None and attribute.process is None
        if plain and isinstance(type, BytesType):
            plain = attribute.terminator is None and attribute.pad_right is None and attribute.contents is None
        elif algorithm.is_digest or not isinstance(type, IntegerType | BitsType | UserType):
            plain = False
        if plain and isinstance(type, UserType):
            # It is not known yet whether it is a varint.
            return
        if not plain or bits is None:
            wanted = "plain bytes" if algorithm.is_digest else "an integer, or plain bytes"
            found = type_name(ListType(type) if attribute.repeat else type)
            self.error(section.position, f"{algorithm.name} must be {wanted} of a constant size, found {found}")
        for key in ("stored", "value"):
            if isinstance(type, BytesType) and key in section:
                self.error(section.keys[key], f"{shown(key)} requires an integer, but this attribute is bytes")
        if algorithm.is_digest and not 0 < bits <= algorithm.width:
            message = f"{algorithm.name} has {algorithm.size} bytes, but {shown(attribute.id)} has {bits // 8}"
            self.error(section.position, message)
        if not algorithm.is_digest and bits < algorithm.width and "stored" not in section:
            message = f"{algorithm.name} has {algorithm.width} bits, but {shown(attribute.id)} has {bits}"
            key = "the key 'stored', such as 'stored: _' for the low bits"
            if isinstance(type, BytesType):
                message += f": give it {algorithm.width // 8} bytes, or make it an integer with {key}"
            else:
                message += f": add {key}"
            self.error(section.position, message)

    def _refuse_in_message(self, section: Section, field: MessageField) -> None:
        """Report a checksum of anything but the value of a field of bytes, or in a field that may be absent."""
        if field.label != "implicit":
            self.error(
                section.position, "a checksum in a message must be an integer in proto3, without 'label' and 'oneof'"
            )
        for key in ("replace", "endian", "extra", *OWN):
            if key in section:
                self.error(section.keys[key], f"{shown(key)} is not allowed for a checksum in a message")
        over = section.get("over")
        name = over.value if isinstance(over, Text) else ""
        covered = self.symbol.members.get(name)
        rule = covered.field.message if covered is not None and covered.field is not None else None
        if rule is None or rule.kind != "bytes" or rule.label != "implicit":
            message = "a checksum in a message must cover one field: bytes in proto3, without 'label' and 'oneof'"
            self.error(section.position_of("over"), message)

    def _endian(self, section: Section, algorithm: Algorithm, attribute: Attribute) -> str:
        """Return the byte order of a number in an attribute of bytes; empty for other attributes."""
        number_in_bytes = isinstance(attribute.type, BytesType) and not algorithm.is_digest and algorithm.width > 0
        if "endian" in section and not number_in_bytes:
            self.error(section.keys["endian"], "'endian' requires an integer checksum in an attribute of bytes")
        if number_in_bytes and "endian" not in section:
            message = f"{algorithm.name} is an integer, so {shown(attribute.id)} needs a byte order"
            self.error(section.position, f"{message}: add the key 'endian'")
        return section.word("endian")

    # What it covers --------------------------------------------------------------------------------------------------

    def _covered(self, section: Section) -> tuple[Member, Member]:
        over = section.get("over")
        names = list(over.items) if isinstance(over, Items) else [over, over]
        first, last = map(self.covered_attribute, names)
        if first.index > last.index:
            self.error(
                section.position_of("over"),
                f"{shown(first.id)} comes after {shown(last.id)}: name the first attribute, then the last",
            )
        return first, last


def _levels(section: Section) -> tuple[int, tuple[str, ...]]:
    """Return the number of levels between the attribute and the covered ones, -1 if these are on different levels, and
    their names there."""
    over = section.get("over")
    texts = [each.value for each in (over.items if isinstance(over, Items) else [over]) if isinstance(each, Text)]
    levels = {each.count(".") for each in texts}
    return (levels.pop() if len(levels) == 1 else -len(levels) // 2), tuple(each.rpartition(".")[2] for each in texts)


def check_sums(struct: Struct, diagnostics: Diagnostics) -> None:
    """Report checksums in attributes of types that turned out not to be varints, and checksums of the content of
    attributes that are not compressed."""
    attributes = {each.id: each for each in struct.attributes}
    for each in struct.attributes:
        sum = each.checksum
        if sum is not None and sum.content and each.position is not None and not _has_content(attributes[sum.last]):
            message = f"'content' requires an attribute with 'codec' and without 'if', which {shown(sum.last)} is not"
            diagnostics.error(each.position, f"the checksum {shown(each.id)}: {message}")
    for each in struct.attributes:
        if each.checksum is not None and isinstance(each.type, UserType) and each.position is not None:
            found = f"the checksum {shown(each.id)} must be an integer, or plain bytes of a constant size"
            diagnostics.error(each.position, f"{found}, found {type_name(each.type)}")


def _has_content(attribute: Attribute) -> bool:
    single = is_single_value(attribute)
    return single and attribute.process is not None and bool(attribute.process.codecs)


def _constant_size(attribute: Attribute) -> int | None:
    """Return the number of bits of an attribute, if it is constant."""
    if isinstance(attribute.type, BitsType):
        return attribute.type.width
    if attribute.message is not None and isinstance(attribute.type, IntegerType):
        return 8 * attribute.type.size
    if isinstance(attribute.size, FixedSize):
        return 8 * attribute.size.size
    size = constant_integer(attribute.size.expression) if isinstance(attribute.size, ExpressionSize) else None
    return None if size is None else 8 * size


def _as_stored(stored: Node | None, attribute: Attribute) -> Node | None:
    """Return the stored value as the attribute represents it: its low bits, signed if the attribute is."""
    type, bits = attribute.type, _constant_size(attribute)
    signed = isinstance(type, IntegerType) and type.signed
    if isinstance(type, UserType):
        return stored
    if bits is None or isinstance(type, BytesType) or (stored is None and not signed):
        return None
    number = ComputedIntegerType()

    def joined(operator: str, left: Node, right: int) -> Node:
        return Binary(operator, left, IntegerLiteral(right, type=number), type=number)

    low = joined("&", stored or Name("_", type=number), (1 << bits) - 1)
    half = 1 << (bits - 1)
    return joined("-", joined("^", low, half), half) if signed else low


def refuse_inner_sums(structs: Iterable[Struct], messages: Iterable[Path], diagnostics: Diagnostics) -> None:
    """Report checksums in messages that are not attributes of layouts, since these are not verified. ``messages``: the
    messages that inputs consist of, if they do."""
    known = list(structs)
    inner = {path for struct in known if struct.message is not None for path in _contained(struct)} | set(messages)
    for struct in known:
        if struct.message is None or struct.path not in inner:
            continue
        for attribute in struct.attributes:
            if attribute.checksum is not None and attribute.position is not None:
                message = (
                    "a checksum is only verified in messages that are attributes of a type with 'seq', and this one "
                    "is inside another message"
                )
                diagnostics.error(attribute.position, message)


def _contained(struct: Struct) -> Iterator[Path]:
    return (each.type.path for each in struct.attributes if isinstance(each.type, UserType))
