"""The keys ``table`` and ``variable`` of instances: tables of constants, and tables that are filled while reading."""

from __future__ import annotations

from ..expression.fold import constant_integer
from ..expression.nodes import IntegerLiteral, ListLiteral, Node, StringLiteral, TableLiteral
from ..expression.types import BytesType, ComputedIntegerType, StringType, TableType, Type
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Entry, Expression, Section
from ..words import shown
from .symbols import Member, Symbol
from .variables import LEAST, MOST

KEYS = ("doc", "doc-ref", "-wireloom")
"""The keys that an instance with a table may have."""
KINDS: dict[str, Type] = {"integer": ComputedIntegerType(), "text": StringType(), "bytes": BytesType()}
MOST_CONSTANTS = 65_536
"""Maximum number of entries of a table of constants."""

Constant = int | str | bytes


def has_table(section: Section) -> bool:
    """Return whether an instance is a table, even one with errors."""
    extensions = section.extensions
    if extensions is None:
        return False
    return "table" in extensions.keys or "table" in extensions.missing or extensions.section("variable") is not None


def declare_table(symbol: Symbol, member: Member, diagnostics: Diagnostics) -> None:
    """Set the value and the type of an instance that is a table."""
    extensions = member.section.extensions
    if extensions is None or extensions.faulty or member.section.faulty:
        member.failed = True
        return
    key = "variable" if "variable" in extensions else "table"
    for each, position in member.section.keys.items():
        if each not in KEYS:
            diagnostics.error(position, f"an instance with {shown(key)} has no other value: remove {shown(each)}")
            member.failed = True
    for each, position in extensions.keys.items():
        if each != key:
            diagnostics.error(position, f"{shown(key)} and {shown(each)} cannot be used together")
            member.failed = True
    if symbol.is_message:
        diagnostics.error(
            extensions.position_of(key), f"{shown(member.id)} is a table, which message types cannot have"
        )
        member.failed = True
    variable = extensions.section("variable")
    if variable is not None:
        member.type = TableType(KINDS[variable.word("keys")], KINDS[variable.word("values")])
        member.value = TableLiteral(type=member.type)
    else:
        _declare_constants(member, extensions, diagnostics)


def _declare_constants(member: Member, extensions: Section, diagnostics: Diagnostics) -> None:
    entries: dict[Constant, Constant] = {}
    kinds: list[Type | None] = [None, None]
    given = extensions.entries("table")
    if not 0 < len(given) <= MOST_CONSTANTS:
        message = f"a table of constants has 1 to {MOST_CONSTANTS} entries, found {len(given)}"
        diagnostics.error(extensions.position_of("table"), message)
    for each in given:
        parts: list[Constant] = []
        for number, expression in enumerate(_parts(each)):
            value = _constant(expression.node)
            kind = None if value is None else KINDS[{int: "integer", str: "text"}.get(type(value), "bytes")]
            kinds[number] = kinds[number] or kind
            if value is None or kind != kinds[number]:
                message = "expected a constant: an integer of 64 signed bits, text in quotes, or a list of bytes"
                what = "keys" if number == 0 else "values"
                same = f"; all {what} of a table are of the same kind" if kind is not None else ""
                diagnostics.error(expression.position, f"{message}{same}")
                member.failed = True
                continue
            parts.append(value)
        if len(parts) == 2 and parts[0] in entries:
            diagnostics.error(_parts(each)[0].position, f"the key {parts[0]!r} is in the table twice")
            member.failed = True
        elif len(parts) == 2:
            entries[parts[0]] = parts[1]
    if kinds[0] is None or kinds[1] is None or len(given) > MOST_CONSTANTS:
        member.failed = True
        return
    member.type = TableType(kinds[0], kinds[1])
    member.value = TableLiteral(tuple(entries.items()), type=member.type)


def _parts(entry: Entry) -> tuple[Expression, ...]:
    return tuple(each for each in (entry.key, entry.value) if isinstance(each, Expression))


def _constant(node: Node) -> Constant | None:
    if isinstance(node, StringLiteral):
        return node.value
    if isinstance(node, ListLiteral):
        numbers = [each.value for each in node.items if isinstance(each, IntegerLiteral) and 0 <= each.value <= 255]
        return bytes(numbers) if len(numbers) == len(node.items) else None
    number = constant_integer(node)
    return number if number is not None and LEAST <= number <= MOST else None
