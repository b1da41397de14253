"""Typed expression trees → Python text with the semantics of Kaitai's language."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import dataclass, replace
from wireloom.base.dataclass import field as declared

from ...encodings import python_codec
from ...expression.fold import fold
from ...expression.nodes import (
    Aggregate,
    Binary,
    BooleanLiteral,
    Call,
    Cast,
    Comparison,
    Conditional,
    CoveredChecksum,
    EnumMember,
    FloatLiteral,
    ForEach,
    FormattedString,
    IntegerLiteral,
    ListLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    ObjectLiteral,
    RandomBytes,
    StringLiteral,
    Subscript,
    TableLiteral,
    Unary,
)
from ...expression.typer import type_of
from ...expression.types import (
    AnyStructType,
    BitsType,
    BooleanType,
    BytesType,
    ComputedFloatType,
    EnumType,
    FloatType,
    ListType,
    StringType,
    TableType,
    UnionType,
    UserType,
    is_integer,
)
from ...spec.position import Position
from ...tree import Attribute, Struct
from ..base import refuse
from .absence import has_default, may_be_absent, may_fail, member_may_be_absent
from .annotations import Annotations
from .expression_texts import METHODS, aggregate_text, for_each_text, integer_text, object_text
from .magnitude import may_outgrow
from .module import Module
from .names import Api, field_name, label_name

CONDITIONAL, OR, AND, NOT, COMPARISON, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, PRIMARY = range(13)
"""Precedence of Python's operators, lowest first."""

_BINARY = {"|": BIT_OR, "^": BIT_XOR, "&": BIT_AND, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM, "*": PRODUCT}

BITWISE = ("|", "^", "&", "<<", ">>")

_LITERALS = (IntegerLiteral, FloatLiteral, BooleanLiteral, StringLiteral)
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Translator:
    """A translator of expressions in ``struct``.

    ``places`` maps the names that are not members (``_``, ``_index``, ``_io``) to Python text. ``sizes`` maps
    attributes to the local variables of a writer that hold their wire bytes, for ``NAME.size`` in derivations.
    """

    module: Module
    struct: Struct
    annotations: Annotations
    places: Mapping[str, str] = declared(default_factory=dict)
    sizes: Mapping[str, str] = declared(default_factory=dict)
    position: Position | None = None
    as_given: bool = False
    """Whether value instances are the values that a writer is given, instead of computed ones."""
    contents: Mapping[str, str] = declared(default_factory=dict)
    """Compressed attributes, each with the text of its content, for ``NAME.content`` in derivations."""
    repeated: Mapping[Node, int] = declared(default_factory=dict)
    """The numbers of the ``ForEach`` in a list of objects."""

    def text(self, node: Node, least: int = CONDITIONAL) -> str:
        """Return the text of an expression, in parentheses if its precedence is lower than ``least``."""
        return self._part(fold(node), least)

    def _part(self, node: Node, least: int = CONDITIONAL) -> str:
        text, binding = self._visit(node)
        return f"({text})" if binding < least else text

    def nullable_text(self, node: Node) -> str:
        """Return the text of an expression that may be ``None``, as the values of absent attributes are."""
        match node:
            case Conditional(condition, then, otherwise) if then == otherwise and not may_fail(self.struct, condition):
                return self.nullable_text(then)
            case Conditional(condition, then, otherwise) if self.is_nullable(node):
                first = self.nullable_text(then)
                if isinstance(then, Conditional):
                    first = f"({first})"
                return f"{first} if {self.text(condition, OR)} else {self.nullable_text(otherwise)}"
            case Name(id) if self.is_nullable(node):
                return f"self.{field_name(id)}"
            case Subscript() | MemberAccess(Node(type=ListType())) if self.is_nullable(node):
                return self._item(node)
            case MemberAccess(value, name) if self.is_nullable(node):
                return f"{self.text(value, PRIMARY)}.{field_name(name)}"
        return self.text(node)

    def is_nullable(self, node: Node) -> bool:
        """Return whether the value may be that of an absent attribute."""
        return may_be_absent(self.module, self.struct, node)

    def negation(self, node: Node) -> str:
        """Return the negation of a condition."""
        return self._not(fold(node))[0]

    def _visit(self, node: Node) -> tuple[str, int]:
        match node:
            case IntegerLiteral(value, radix):
                return integer_text(value, radix), PRIMARY if value >= 0 else SIGN
            case FloatLiteral(value):
                return repr(value), PRIMARY if value >= 0 else SIGN
            case BooleanLiteral(value) | StringLiteral(value):
                return repr(value), PRIMARY
            case FormattedString(parts):
                return self._joined(parts), PRIMARY
            case ListLiteral(items):
                return self._list(node, items), PRIMARY
            case Name(id):
                return self._name(id), PRIMARY
            case MemberAccess():
                return self._attribute(node), PRIMARY
            case Call(value, name, arguments):
                return self._call(node, value, name, arguments), PRIMARY
            case Subscript(value):
                return self._present(node, self._item(node), value), PRIMARY
            case Unary(operator, operand):
                if operator == "not":
                    return self._not(operand)
                return self._signed(operator, operand)
            case Binary(operator, left, right):
                return self._binary(node, operator, left, right)
            case Comparison(operator, left, right):
                return self._comparison(operator, left, right)
            case Logical(operator, left, right):
                return self._logical(operator, left, right)
            case Conditional(condition, then, otherwise):
                return self._conditional(node, condition, then, otherwise)
            case EnumMember(_, label):
                assert isinstance(node.type, EnumType)
                return f"{self.module.enum_of(node.type.path)}.{label_name(label)}", PRIMARY
            case Cast(value):
                return self._cast(node, value)
            case Aggregate():
                of_item = replace(self, places={**self.places, "_": "each"})
                return aggregate_text(self.module, node, self.text, of_item.text), PRIMARY
            case ObjectLiteral():
                return object_text(self.module, node, self.text), PRIMARY
            case ForEach():
                return for_each_text(self.module, node, f"notes.made[{self.repeated[node]}]", self.text), PRIMARY
            case RandomBytes(size):
                return f"{self.module.use('random_bytes')}({size})", PRIMARY
            case TableLiteral():
                return self.module.constant_table(node, self.annotations.of(type_of(node))), PRIMARY
            case CoveredChecksum():
                return self.module.covered_checksum(node), PRIMARY
        raise AssertionError(node)

    def _not(self, operand: Node) -> tuple[str, int]:
        if isinstance(operand, Comparison) and operand.operator in ("==", "!="):
            return self._comparison("!=" if operand.operator == "==" else "==", operand.left, operand.right)
        if isinstance(operand, Unary) and operand.operator == "not":
            return self._visit(operand.operand)
        return f"not {self._part(operand, NOT)}", NOT

    def _comparison(self, operator: str, left: Node, right: Node) -> tuple[str, int]:
        if isinstance(left, _LITERALS) and not isinstance(right, _LITERALS):
            left, right, operator = right, left, _MIRRORED[operator]
        if isinstance(right, BooleanLiteral):
            return self._visit(left) if right.value == (operator == "==") else self._not(left)
        if operator in ("==", "!=") and self.struct.message is None:
            # An absent value equals nothing.
            return f"{self._nullable_part(left)} {operator} {self._nullable_part(right)}", COMPARISON
        return f"{self._part(left, BIT_OR)} {operator} {self._part(right, BIT_OR)}", COMPARISON

    def _nullable_part(self, node: Node) -> str:
        if not self.is_nullable(node):
            return self._part(node, BIT_OR)
        text = self.nullable_text(node)
        return f"({text})" if isinstance(node, Conditional) else text

    def _item(self, node: Node) -> str:
        """Return the text of an item of a list or table, which may be ``None``, or of a byte."""
        match node:
            case Subscript(Node(type=TableType()) as value, index):
                return f"{self._part(value, PRIMARY)}.get({self._part(index)})"
            case Subscript(value, index):
                return f"{self.module.use('item')}({self._part(value)}, {self._part(index)})"
            case MemberAccess(value, "last"):
                return f"{self.module.use('last')}({self._part(value)})"
            case MemberAccess(value):
                return f"{self.module.use('item')}({self._part(value)}, 0)"
        raise AssertionError(node)

    def _present(self, node: Node, text: str, values: Node) -> str:
        """Return ``text``, which refers to an item of ``values``, with the check that the item is not ``None``."""
        if not self.is_nullable(node):
            return text
        name = values.id if isinstance(values, Name) else values.name if isinstance(values, MemberAccess) else "item"
        return f"{self.module.use('some')}({text}, {name!r})"

    def _signed(self, operator: str, operand: Node) -> tuple[str, int]:
        # Two consecutive signs would look like an operator that Python does not have.
        if operator == "+":
            return self._visit(operand)
        if operator == "-" and isinstance(operand, Unary) and operand.operator == "-":
            return self._visit(operand.operand)
        return f"{operator}{self._part(operand, SIGN)}", SIGN

    def _logical(self, operator: str, left: Node, right: Node) -> tuple[str, int]:
        binding = AND if operator == "and" else OR
        # Where the two are mixed, parentheses make the precedence explicit.
        least = [NOT if isinstance(each, Logical) and each.operator != operator else binding for each in (left, right)]
        return f"{self._part(left, least[0])} {operator} {self._part(right, max(least[1], binding + 1))}", binding

    def _conditional(self, node: Node, condition: Node, then: Node, otherwise: Node) -> tuple[str, int]:
        if isinstance(then, BooleanLiteral) and isinstance(otherwise, BooleanLiteral) and then.value != otherwise.value:
            return self._visit(condition) if then.value else self._not(condition)
        if then == otherwise and not may_fail(self.struct, condition):
            return self._visit(then)
        parts = self._arm(node, then, OR), self._arm(node, otherwise)
        return f"{parts[0]} if {self._part(condition, OR)} else {parts[1]}", CONDITIONAL

    def _arm(self, node: Node, arm: Node, least: int = CONDITIONAL) -> str:
        """Return the text of an arm of a conditional: as a float if the other arm is one."""
        converts = isinstance(node.type, ComputedFloatType) and self.module.api is Api.WIRELOOM
        integer = converts and arm.type is not None and is_integer(arm.type)
        return f"float({self._part(arm)})" if integer else self._part(arm, least)

    def _joined(self, parts: tuple[Node, ...]) -> str:
        if not parts:
            return "''"
        return f"{self.module.use('joined')}({', '.join(self._formatted(each) for each in parts)})"

    def _formatted(self, node: Node) -> str:
        if isinstance(node.type, StringType):
            return self._part(node)
        if isinstance(node.type, BooleanType):
            return f"'true' if {self._part(node, OR)} else 'false'"
        return f"str({self._part(node)})"

    def _list(self, node: Node, items: tuple[Node, ...]) -> str:
        if isinstance(node.type, BytesType):
            numbers = [each.value for each in items if isinstance(each, IntegerLiteral)]
            if len(numbers) == len(items):
                return repr(bytes(numbers))
            return f"bytes(({', '.join(self._part(each) for each in items)},))"
        return f"[{', '.join(self._part(each) for each in items)}]"

    def _name(self, name: str) -> str:
        if name in self.places:
            return self.places[name]
        if name == "_parent" and self.struct.path == self.module.spec.root.path:
            return f"{self.module.use('some')}(self._parent, '_parent')"
        if name in ("_root", "_parent"):
            return f"self.{name}"
        if name.startswith("_") and not name.startswith("_unnamed"):
            refuse(self.position, f"'{name}' is not available here")
        return self._member("self", self.struct, name)

    def _attribute(self, node: MemberAccess) -> str:
        kind = node.value.type
        if isinstance(node.value, Name) and node.value.id in self.sizes and node.name == "size":
            return f"len({self.sizes[node.value.id]})"
        if isinstance(node.value, Name) and node.value.id in self.contents and node.name == "content":
            return f"len({self.contents[node.value.id]})"
        if isinstance(kind, UserType | AnyStructType):
            value = self._part(node.value, PRIMARY)
            if node.name in ("_io", "_parent", "_root") or isinstance(kind, AnyStructType) or kind.opaque:
                return f"{value}.{field_name(node.name)}"
            return self._member(value, self.module.spec.struct(kind.path), node.name)
        if isinstance(kind, ListType) and node.name in ("first", "last"):
            return self._present(node, self._item(node), node.value)
        return self._call(node, node.value, node.name, ())

    def _member(self, value: str, struct: Struct, name: str) -> str:
        text = f"{value}.{field_name(name)}"
        field, instance = struct.attribute(name), struct.instance(name)
        if self.as_given and instance is not None and instance.value is not None:
            default = "" if instance.default is None else f", {self.text(instance.default)}"
            return f"{self.module.use('as_given')}({value}, {field_name(name)!r}{default})"
        if field is not None and has_default(struct, name):
            return f"({self._default(field)} if {text} is None else {text})"
        if member_may_be_absent(self.module, struct, name):
            return f"{self.module.use('some')}({text}, {name!r})"
        return text

    def _default(self, field: Attribute) -> str:
        """Return the declared default of a field of a message."""
        value = field.message.default if field.message is not None else None
        if isinstance(field.type, EnumType):
            enum = self.module.spec.enum(field.type.path)
            label = next((each.label for each in enum.labels if each.value == value), None)
            return repr(value) if label is None else f"{self.module.enum_of(enum.path)}.{label_name(label)}"
        return f"float({str(value)!r})" if isinstance(value, float) else repr(value)

    def _call(self, node: Node, value: Node, name: str, arguments: tuple[Node, ...]) -> str:
        kind = value.type
        if isinstance(kind, BytesType) and name == "to_s":
            # Strings of a message may contain anything; bytes that are not valid text are not damage.
            function = "decode" if self.struct.message is None else "decode_replacing"
            return f"{self.module.use(function)}({self._part(value)}, {self._encoding(arguments[0])!r})"
        if isinstance(kind, StringType) and name == "to_b":
            return f"{self.module.use('encode')}({self._part(value)}, {self._encoding(arguments[0])!r})"
        if name == "to_s":
            return f"str({self._part(value)})"
        if isinstance(kind, StringType) and name == "to_i" and arguments:
            return f"{self.module.use('to_integer')}({self._part(value)}, {self._part(arguments[0])})"
        if name == "to_i" and isinstance(value, EnumMember):
            return f"{self._part(value)}.value"
        if name == "to_i" and isinstance(kind, BitsType):
            return f"int({self._part(value)})"
        found = METHODS.get((type(kind), name)) if kind is not None else None
        if found is None:
            refuse(self.position, f"the method '{name}' is not supported")
        text, *functions = found
        binding = PRIMARY if text.startswith("{}") else CONDITIONAL
        names = {each: self.module.use(each) for each in functions}
        return text.format(self._part(value, binding), *(self._part(each) for each in arguments), **names)

    def _encoding(self, node: Node) -> str:
        name = node.value if isinstance(node, StringLiteral) else ""
        codec = python_codec(name)
        return codec or name

    def _binary(self, node: Node, operator: str, left: Node, right: Node) -> tuple[str, int]:
        if operator in ("/", "%"):
            return self._division(node, operator, left, right)
        if operator == "+" and isinstance(node.type, StringType):
            return f"{self.module.use('joined')}({', '.join(self._part(each) for each in _summands(node))})", PRIMARY
        if operator == "*" and not isinstance(node.type, FloatType | ComputedFloatType) and self._outgrows(node):
            return f"{self.module.use('multiply')}({self._part(left)}, {self._part(right)})", PRIMARY
        if operator in ("<<", ">>") and (
            not isinstance(right, IntegerLiteral) or (operator == "<<" and self._outgrows(node))
        ):
            function = self.module.use("shift_left" if operator == "<<" else "shift_right")
            return f"{function}({self._part(left)}, {self._part(right)})", PRIMARY
        binding = _BINARY[operator]
        parts = self._operand(operator, left, binding), self._operand(operator, right, binding + 1)
        return f"{parts[0]} {operator} {parts[1]}", binding

    def _outgrows(self, node: Node) -> bool:
        return may_outgrow(self.module, self.struct, node)

    def _operand(self, operator: str, node: Node, least: int) -> str:
        """Return the text of an operand, with parentheses where bitwise and other operators are mixed."""
        mixed = operator in BITWISE and isinstance(node, Binary) and node.operator != operator
        return self._part(node, PRIMARY if mixed else least)

    def _division(self, node: Node, operator: str, left: Node, right: Node) -> tuple[str, int]:
        floats = isinstance(node.type, FloatType | ComputedFloatType)
        if isinstance(right, IntegerLiteral | FloatLiteral) and right.value:
            sign = operator if operator == "%" or floats else "//"
            return f"{self._part(left, PRODUCT)} {sign} {self._part(right, PRODUCT + 1)}", PRODUCT
        function = "modulo" if operator == "%" else "divide_floats" if floats else "divide"
        return f"{self.module.use(function)}({self._part(left)}, {self._part(right)})", PRIMARY

    def _cast(self, node: Cast, value: Node) -> tuple[str, int]:
        target = node.type
        if isinstance(target, BytesType) and isinstance(value.type, ListType):
            return f"bytes({self._part(value)})", PRIMARY
        if target is None or target == value.type or not isinstance(value.type, UserType | AnyStructType | UnionType):
            return self._visit(value)
        if self.module.api is Api.WIRELOOM and isinstance(target, UserType) and not target.opaque:
            return f"{self.module.use('as_type')}({self.module.class_of(target.path)}, {self._part(value)})", PRIMARY
        return f"{self.module.use('cast')}({self.annotations.of(target)!r}, {self._part(value)})", PRIMARY


def _summands(node: Node) -> list[Node]:
    """Return the texts of the operands of a sum, from left to right."""
    found: list[Node] = []
    while isinstance(node, Binary) and node.operator == "+":
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]
