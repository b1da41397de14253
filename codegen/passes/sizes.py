"""Sizes that are known before anything is read, and the types that can be read from a buffer because of them, without
asking the stream for each field."""

from __future__ import annotations

from collections.abc import Iterable

from ..encodings import python_codec
from ..expression.fold import constant_integer
from ..expression.nodes import (
    Binary,
    BooleanLiteral,
    Comparison,
    Conditional,
    CoveredChecksum,
    EnumMember,
    IntegerLiteral,
    ListLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    StringLiteral,
    Unary,
)
from ..expression.types import (
    BitsType,
    BytesType,
    FloatType,
    IntegerType,
    ListType,
    Path,
    StringType,
    UserType,
    VarintType,
)
from ..expression.walk import children, expressions_in, names_in
from ..tree import Attribute, Spec, Struct, literal_size
from ..tree.leaves import ExpressionSize, OwnSize, RepeatCount, TerminatedSize, WithinSize

SAFE = ("+", "-", "*", "&", "|", "^")
"""Operators that have a result for all integers."""


def has_fixed_size(spec: Spec, struct: Struct, known: dict[Path, bool]) -> bool:
    """Return whether objects of the type have the same size in every input, which a type that contains itself has not;
    ``known``: the results for other types of the spec."""
    if struct.path not in known:
        known[struct.path] = False
        fixed = struct.message is None and all(_is_fixed(spec, each, known) for each in struct.attributes)
        known[struct.path] = fixed
    return known[struct.path]


def _is_fixed(spec: Spec, attribute: Attribute, known: dict[Path, bool]) -> bool:
    count = attribute.repeat
    if count is not None and not (isinstance(count, RepeatCount) and isinstance(count.expression, IntegerLiteral)):
        return False
    if attribute.condition or attribute.switch:
        return False
    if isinstance(attribute.size, WithinSize):
        return True
    if literal_size(attribute.size) is not None or isinstance(attribute.type, BitsType):
        return True
    base = attribute.type.on_wire
    if isinstance(base, UserType) and not base.opaque and isinstance(attribute.size, OwnSize):
        return has_fixed_size(spec, spec.struct(base.path), known)
    return isinstance(base, IntegerType | FloatType | BitsType)


class Minimums:
    """Computes the minimum sizes of the attributes of a spec, once per type."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._known: dict[Path, int] = {}
        self._open: set[Path] = set()

    def of(self, attribute: Attribute) -> int:
        """Return the minimum size of the attribute, or of one item of it, in bytes; 0 if unknown. Bits count as a byte,
        which several items may share."""
        bits = self._bits(attribute)
        return bits // 8 if attribute.repeat is not None else -(-bits // 8)

    def of_struct(self, struct: Struct) -> int:
        """Return the minimum size of a type in bytes: that of its attributes that are not repeated."""
        return -(-sum(self._bits(each) for each in struct.attributes if each.repeat is None) // 8)

    def of_content(self, struct: Struct) -> int:
        """Return the same, and that of the attributes with a constant number of items."""
        return -(-sum(self._bits(each) * _constant_count(each) for each in struct.attributes) // 8)

    def _bits(self, attribute: Attribute) -> int:
        """Return the minimum size in bits: bit fields may share a byte with those of enclosing types."""
        if attribute.condition or attribute.switch or isinstance(attribute.size, WithinSize):
            return 0
        base = attribute.type.on_wire
        if isinstance(base, IntegerType | FloatType):
            return 8 * base.size
        if isinstance(base, BitsType):
            return base.width
        if isinstance(base, VarintType):
            return 8
        literal = literal_size(attribute.size)
        if literal is not None:
            return 8 * literal
        terminator = attribute.terminator
        if isinstance(attribute.size, TerminatedSize) and terminator and terminator.consume and terminator.eos_error:
            return 8 * len(terminator.value)
        if isinstance(base, UserType) and not base.opaque and not isinstance(attribute.size, ExpressionSize):
            return self._of_type(base.path)
        return 0

    def _of_type(self, path: Path) -> int:
        struct = self._spec.struct(path)
        if struct.message is not None or path in self._open:
            return 0
        if path not in self._known:
            self._open.add(path)
            self._known[path] = sum(self._bits(each) for each in struct.attributes if each.repeat is None)
            self._open.discard(path)
        return self._known[path]


# Types that are read from a buffer ------------------------------------------------------------------------------------


def _constant_count(attribute: Attribute) -> int:
    """Return the number of items that an attribute always has; 0 if it varies."""
    if isinstance(attribute.repeat, RepeatCount):
        return max(0, constant_integer(attribute.repeat.expression) or 0)
    return int(attribute.repeat is None)


class BufferedTypes:
    """Determines and caches whether the types of one spec are buffered."""

    def __init__(self, spec: Spec, minimums: Minimums, holders: Iterable[Path]) -> None:
        """``holders``: types that continue reading after their fields, and are therefore not buffered."""
        self.spec = spec
        self.minimums = minimums
        self._known: dict[Path, bool] = dict.fromkeys(holders, False)
        self.has_variables = any(each.variable for struct in spec.family for each in struct.instances)

    def items(self, attribute: Attribute) -> bool:
        """Return whether the items of a repeated attribute have such a type."""
        kind = attribute.type
        if attribute.repeat is None or attribute.switch or attribute.arguments:
            return False
        if attribute.framing or attribute.process:
            return False
        if not isinstance(kind, UserType) or not isinstance(attribute.size, OwnSize) or attribute.valid:
            return False
        return self._is_own(kind) and self.of(self.spec.struct(kind.path))

    def of(self, struct: Struct) -> bool:
        """Return whether all fields of a type have fixed sizes, are sized or terminated bytes or text, or are objects
        of such types; sizes and checks must always be computable, whatever the position of the stream."""
        if struct.path not in self._known:
            # A type that contains itself is not buffered.
            self._known[struct.path] = False
            self._known[struct.path] = self._has_such_fields(struct)
        return self._known[struct.path]

    def _has_such_fields(self, struct: Struct) -> bool:
        sums = (each.checksum.continues for each in struct.attributes if each.checksum is not None)
        if any(each is not None and "_" in names_in(each) for each in sums):
            return False
        if struct.message is not None or struct.inner_sums or struct.endian is not None:
            return False
        if struct.fills_stream or any(each.size_of is not None for each in struct.attributes):
            return False
        if any(isinstance(each.value, CoveredChecksum) for each in struct.instances):
            return False
        if struct.instances and self.has_variables:
            # These may set variables, or have another value at the end of the object than later.
            return False
        if struct.parameters or not struct.attributes:
            return False
        return self.minimums.of_struct(struct) > 0 and all(self._fits(struct, each) for each in struct.attributes)

    def _fits(self, struct: Struct, attribute: Attribute) -> bool:
        if attribute.condition or attribute.repeat or attribute.switch or attribute.process or attribute.arguments:
            return False
        if not all(self._is_sure(struct, each) for each in expressions_in(attribute)):
            return False
        if isinstance(attribute.type, UserType):
            plain = isinstance(attribute.size, OwnSize) and not attribute.valid and attribute.parent is None
            return plain and self._is_own(attribute.type) and self.of(self.spec.struct(attribute.type.path))
        if isinstance(attribute.size, ExpressionSize) and isinstance(attribute.size.expression, IntegerLiteral):
            return literal_size(attribute.size) == attribute.size.expression.value
        if isinstance(attribute.type, StringType) and python_codec(attribute.type.encoding or "UTF-8") is None:
            return False
        if attribute.fixed_size is not None:
            return True
        if not isinstance(attribute.type, BytesType | StringType):
            return False
        if isinstance(attribute.size, TerminatedSize):
            end = attribute.terminator
            return end is not None and len(end.value) == 1 and end.eos_error
        return isinstance(attribute.size, ExpressionSize)

    def _is_own(self, kind: UserType) -> bool:
        """Return whether a type is declared in this spec, and so has the same root."""
        return not kind.opaque and kind.path[0] == self.spec.root.path[0]

    def _is_sure(self, struct: Struct, node: Node) -> bool:
        """Return whether an expression can be evaluated for any contents of the fields, independently of the stream's
        position."""
        match node:
            case Name("_"):
                return True
            case Name(id):
                instance = struct.instance(id)
                if instance is not None and instance.value is not None and instance.condition is None:
                    if _names(instance.value, {each.id for each in struct.instances}):
                        return False
                    return self._is_sure(struct, instance.value)
                return struct.attribute(id) is not None
            case MemberAccess(value, "length" | "size") if isinstance(value.type, BytesType | StringType | ListType):
                return self._is_sure(struct, value)
            case MemberAccess():
                return self._is_field(struct, node)
            case Binary(operator):
                sure = operator in SAFE
            case IntegerLiteral() | BooleanLiteral() | StringLiteral() | EnumMember() | ListLiteral():
                sure = True
            case Unary() | Comparison() | Logical() | Conditional():
                sure = True
            case _:
                sure = False
        return sure and all(self._is_sure(struct, each) for each in children(node))

    def _is_field(self, struct: Struct, node: Node) -> bool:
        """Return whether an expression is a field of the parent of the item, or of an object in the parent:
        ``_parent.version``."""
        if isinstance(node, Name):
            attribute = struct.attribute(node.id)
            return node.id in ("_parent", "_root") or (attribute is not None and isinstance(attribute.type, UserType))
        if not isinstance(node, MemberAccess) or not isinstance(node.value.type, UserType) or node.value.type.opaque:
            return False
        field = self.spec.struct(node.value.type.path).attribute(node.name)
        if field is None or field.optional:
            return False
        return self._is_field(struct, node.value)


def _names(node: Node, names: set[str]) -> bool:
    if isinstance(node, Name) and node.id in names:
        return True
    return any(_names(each, names) for each in children(node))
