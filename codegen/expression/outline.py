"""The tree of an expression in one line, in the notation of Kaitai's compiler, which identifies the cases of a switch
by it in the paths of its messages. Comparing messages with those of the compiler requires the same notation."""

from __future__ import annotations

from .nodes import (
    Attribute,
    Binary,
    BooleanLiteral,
    Call,
    Cast,
    Comparison,
    Conditional,
    EnumMember,
    FloatLiteral,
    FormattedString,
    IntegerLiteral,
    ListLiteral,
    Logical,
    Name,
    Node,
    SizeOf,
    StringLiteral,
    Subscript,
    Unary,
)

OPERATORS = {
    "+": "Add",
    "-": "Sub",
    "*": "Mult",
    "/": "Div",
    "%": "Mod",
    "<<": "LShift",
    ">>": "RShift",
    "|": "BitOr",
    "^": "BitXor",
    "&": "BitAnd",
    "and": "And",
    "or": "Or",
    "==": "Eq",
    "!=": "NotEq",
    "<": "Lt",
    "<=": "LtE",
    ">": "Gt",
    ">=": "GtE",
}
PREFIXES = {"-": "Minus", "+": "Plus", "~": "Invert", "not": "Not"}


def outline(node: Node) -> str:
    """Return the tree as one line.

    >>> from wireloom.codegen.expression.parser import parse_expression
    >>> outline(parse_expression("len + 2 == 0x10"))
    'Compare(BinOp(Name(identifier(len)),Add,IntNum(2)),Eq,IntNum(16))'
    """
    match node:
        case IntegerLiteral(value=number):
            return f"IntNum({number})"
        case FloatLiteral(value=number):
            return f"FloatNum({number!r})"
        case BooleanLiteral(value=truth):
            return f"Bool({str(truth).lower()})"
        case StringLiteral(value=text):
            return f"Str({text})"
        case FormattedString(parts=items):
            return f"InterpolatedStr({_list(items)})"
        case ListLiteral(items=items):
            return f"List({_list(items)})"
        case Name(id=name):
            return f"Name({_identifier(name)})"
        case Attribute(value=value, name=name):
            return f"Attribute({outline(value)},{_identifier(name)})"
        case Call(value=value, name=name, arguments=items):
            return f"Call(Attribute({outline(value)},{_identifier(name)}),{_list(items)})"
        case Subscript(value=value, index=index):
            return f"Subscript({outline(value)},{outline(index)})"
        case Unary(operator=operator, operand=operand):
            return f"UnaryOp({PREFIXES[operator]},{outline(operand)})"
        case Binary(operator=operator, left=left, right=right):
            return f"BinOp({outline(left)},{OPERATORS[operator]},{outline(right)})"
        case Comparison(operator=operator, left=left, right=right):
            return f"Compare({outline(left)},{OPERATORS[operator]},{outline(right)})"
        case Logical(operator=operator):
            return f"BoolOp({OPERATORS[operator]},{_list(_operands(node, operator))})"
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"IfExp({outline(condition)},{outline(then)},{outline(otherwise)})"
        case EnumMember(path=(*types, enum), label=label):
            return f"EnumByLabel({_identifier(enum)},{_identifier(label)},{_type(types)})"
        case Cast(value=value, target=target):
            return f"CastToType({outline(value)},{_type(target.split('::'))})"
        case SizeOf(target=target, unit=unit):
            return f"{unit.capitalize()}SizeOfType({_type(target.split('::'))})"
    raise AssertionError(node)


def _operands(node: Node, operator: str) -> tuple[Node, ...]:
    """Return the operands of an operator; ``a and b and c`` is one operation with three."""
    operands: list[Node] = []
    while isinstance(node, Logical) and node.operator == operator:
        operands.append(node.right)
        node = node.left
    return (node, *reversed(operands))


def _list(items: tuple[Node, ...]) -> str:
    return f"List({', '.join(map(outline, items))})"


def _identifier(name: str) -> str:
    return f"identifier({name})"


def _type(names: list[str]) -> str:
    absolute = names[:1] == [""]
    *outer, last = [each for each in names if each] or [""]
    path = ", ".join([*outer, last.removesuffix("[]")] if last else [])
    return f"typeId({str(absolute).lower()},List({path}),{str(last.endswith('[]')).lower()})"
