"""Renders typed trees as readable expressions."""

from __future__ import annotations

from wireloom.checksums import algorithm

from .nodes import (
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
    SizeOf,
    StringLiteral,
    Subscript,
    TableLiteral,
    Unary,
)

SIMPLE = (
    MemberAccess,
    BooleanLiteral,
    Call,
    Cast,
    CoveredChecksum,
    EnumMember,
    FloatLiteral,
    IntegerLiteral,
    ListLiteral,
    Name,
    SizeOf,
    StringLiteral,
    Subscript,
    TableLiteral,
)
"""Nodes that need no parentheses inside another expression."""


def unparse(node: Node) -> str:
    """Return the expression as text, the same for equal trees only; nested operands other than names and numbers are
    in parentheses.

    >>> unparse(Binary("-", Name("len"), IntegerLiteral(13)))
    'len − 13'
    """
    match node:
        case Binary(operator=operator, left=left, right=right):
            return f"{_inner(left)} {'−' if operator == '-' else operator} {_inner(right)}"
        case Comparison(operator=operator, left=left, right=right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case Logical(operator=operator, left=left, right=right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case Unary(operator=operator, operand=operand):
            return f"{operator}{' ' if operator == 'not' else ''}{_inner(operand)}"
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"{_inner(condition)} ? {_inner(then)} : {_inner(otherwise)}"
    return _simple(node)


def spec_text(node: Node) -> str:
    """Return the expression as text with the minus signs of a spec."""
    return unparse(node).replace("−", "-")


def _simple(node: Node) -> str:
    match node:
        case Name(id=name):
            return name
        case IntegerLiteral(value=value) | FloatLiteral(value=value):
            return str(value)
        case BooleanLiteral(value=value):
            return "true" if value else "false"
        case StringLiteral(value=text):
            return f'"{text}"'
        case MemberAccess(value=value, name=name):
            return f"{_inner(value)}.{name}"
        case Call(value=value, name=name, arguments=arguments):
            return f"{_inner(value)}.{name}({', '.join(map(unparse, arguments))})"
        case Subscript(value=value, index=index):
            return f"{_inner(value)}[{unparse(index)}]"
        case ListLiteral(items=items):
            return f"[{', '.join(map(unparse, items))}]"
        case EnumMember(path=path, label=label):
            return "::".join((*path, label))
        case Cast(value=value, target=target):
            return f"{_inner(value)}.as<{target}>"
        case SizeOf(target=target, unit=unit):
            return f"{'bit' if unit == 'bit' else ''}sizeof<{target}>"
        case CoveredChecksum():
            return _checksum(node)
        case TableLiteral(entries=entries):
            return f"{{{', '.join(f'{key!r}: {value!r}' for key, value in entries)}}}"
        case FormattedString(parts=pieces):
            return f"f({', '.join(map(unparse, pieces))})"
        case Aggregate(function=function, value=value, items=items, condition=condition, otherwise=otherwise):
            among = "" if condition is None else f" if {unparse(condition)}"
            return f"the {function} {_inner(value)} of {_inner(items)}{among}{_otherwise(otherwise)}"
        case ObjectLiteral(names=names, values=values):
            parts = (f"{name}: {unparse(value)}" for name, value in zip(names, values, strict=True))
            return f"{{{', '.join(parts)}}}"
        case ForEach(function=function, condition=condition, value=value, otherwise=otherwise):
            return f"for each {unparse(condition)}, {function}: {unparse(value)}{_otherwise(otherwise)}"
        case RandomBytes(size=size):
            return f"{size} random bytes"
    raise TypeError(f"no words for {node!r}")


def _otherwise(node: Node | None) -> str:
    return "" if node is None else f" or else {unparse(node)}"


def _checksum(node: CoveredChecksum) -> str:
    parts = [first if first == last else f"{first} … {last}" for first, last in node.runs]
    if algorithm(node.algorithm) != algorithm(node.algorithm, node.initial, node.final_xor):
        parts.append(f"initial {node.initial:#x}, final xor {node.final_xor:#x}")
    return f"{node.algorithm}({', '.join(parts)})"


def _inner(node: Node) -> str:
    return unparse(node) if isinstance(node, SIMPLE) else f"({unparse(node)})"
