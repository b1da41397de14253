"""The methods of values, by type."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import dataclass

from .lexer import ExpressionError
from .nodes import Node, StringLiteral
from .types import (
    BooleanType,
    BytesType,
    ComputedIntegerType,
    EnumType,
    IntegerType,
    ListType,
    StreamType,
    StringType,
    TableType,
    Type,
    assignable,
    is_boolean,
    is_float,
    is_integer,
    is_text,
    type_name,
)


@dataclass(frozen=True)
class Method:
    """A method: the types of its arguments (``integer``, ``encoding``, ``key``: that of a table), the minimum number of
    arguments, and the type of its result."""

    result: Callable[[Type], Type]
    arguments: tuple[str, ...] = ()
    required: int = 0

    def check(self, name: str, kind: Type, arguments: tuple[Node, ...], node: Node) -> None:
        """Raise ``ExpressionError`` if typed arguments do not match the method ``name`` of values of ``kind``."""
        if not self.required <= len(arguments) <= len(self.arguments):
            wanted = ", ".join("string" if each == "encoding" else each for each in self.arguments)
            found = ", ".join(_subject(each) for each in arguments)
            what = SUBJECTS[family(kind)]
            message = f"wrong arguments to method call `{name}` on {what}: expected ({wanted}), got ({found})"
            raise ExpressionError(message, node.start, node.end)
        for wanted_kind, argument in zip(self.arguments, arguments, strict=False):
            if wanted_kind == "integer" and (argument.type is None or not is_integer(argument.type)):
                raise ExpressionError(f"expected an integer, found {_name(argument)}", argument.start, argument.end)
            if wanted_kind == "encoding":
                _check_encoding(argument)
            if wanted_kind == "key":
                check_key(kind, argument)


def _name(node: Node) -> str:
    return type_name(node.type) if node.type is not None else "nothing"


def _subject(node: Node) -> str:
    """Return the name of a value in the terms of ``SUBJECTS``."""
    return SUBJECTS.get(family(node.type), _name(node)) if node.type is not None else "nothing"


def _check_encoding(node: Node) -> None:
    if not isinstance(node, StringLiteral):
        raise ExpressionError("an encoding must be a string literal", node.start, node.end)


def check_key(table: Type, argument: Node) -> None:
    """Raise ``ExpressionError`` unless a typed expression is a key of a table of the type."""
    if isinstance(table, TableType) and (argument.type is None or not assignable(argument.type, table.key)):
        hint = "; add '.to_i' for the number of an enum" if isinstance(argument.type, EnumType) else ""
        message = f"expected {type_name(table.key)} as a key, found {_name(argument)}{hint}"
        raise ExpressionError(message, argument.start, argument.end)


def _integer(_: Type) -> Type:
    return ComputedIntegerType()


def _byte(_: Type) -> Type:
    return IntegerType(1, False, None)


def _text(_: Type) -> Type:
    return StringType()


def _bytes(_: Type) -> Type:
    return BytesType()


def _boolean(_: Type) -> Type:
    return BooleanType()


def _item(type: Type) -> Type:
    return type.item if isinstance(type, ListType) else type


SUBJECTS = {
    "text": "string",
    "bytes": "byte array",
    "integer": "integer",
    "float": "float",
    "boolean": "boolean",
    "enum": "enum",
    "list": "array",
    "stream": "stream",
    "table": "table",
}
"""The names of types in messages, as in those of Kaitai's compiler."""

METHODS: dict[str, dict[str, Method]] = {
    "text": {
        "length": Method(_integer),
        "reverse": Method(_text),
        "to_i": Method(_integer, ("integer",), 0),
        "substring": Method(_text, ("integer", "integer"), 2),
        "to_b": Method(_bytes, ("encoding",), 1),
    },
    "bytes": {
        "length": Method(_integer),
        "size": Method(_integer),
        "first": Method(_byte),
        "last": Method(_byte),
        "min": Method(_byte),
        "max": Method(_byte),
        "to_s": Method(_text, ("encoding",), 1),
    },
    "integer": {"to_s": Method(_text)},
    "float": {"to_i": Method(_integer)},
    "boolean": {"to_i": Method(_integer)},
    "enum": {"to_i": Method(_integer)},
    "list": {
        "first": Method(_item),
        "last": Method(_item),
        "size": Method(_integer),
        "min": Method(_item),
        "max": Method(_item),
    },
    "table": {"has": Method(_boolean, ("key",), 1)},
    "stream": {"eof": Method(_boolean), "size": Method(_integer), "pos": Method(_integer)},
}


def family(type: Type) -> str:
    """Return the key of ``METHODS`` for a type; ``""`` if its values have no methods."""
    tests: tuple[tuple[str, Callable[[Type], bool]], ...] = (
        ("text", is_text),
        ("integer", is_integer),
        ("float", is_float),
        ("boolean", is_boolean),
    )
    for name, test in tests:
        if test(type):
            return name
    kinds = {BytesType: "bytes", EnumType: "enum", ListType: "list", StreamType: "stream", TableType: "table"}
    return next((name for kind, name in kinds.items() if isinstance(type, kind)), "")
