"""The expression language: parsed, typed, folded and translated, or refused with a position."""

import json

from wireloom.codegen.expression.lexer import ExpressionError
from wireloom.codegen.expression.parser import parse_expression, parse_expressions, parse_type_reference

from . import specs

SPEC = {
    "meta": {"id": "x", "endian": "le", "encoding": "UTF-8"},
    "seq": [
        {"id": "n", "type": "u1"},
        {"id": "f", "type": "f8"},
        {"id": "t", "type": "str", "size": 4},
        {"id": "b", "size": 4},
        {"id": "l", "type": "u2", "repeat": "expr", "repeat-expr": 3},
        {"id": "s", "type": "sub"},
        {"id": "e", "type": "u1", "enum": "animals"},
    ],
    "types": {"sub": {"seq": [{"id": "v", "type": "s4"}]}},
    "enums": {"animals": {"1": "cat", "2": "dog"}},
}


def words() -> set[str]:
    signs = {"::", "? :", "==", "<<", "and", "or", "not", "0x", "1e9", ".as<u1>", "f'{", "sizeof<", "[0]", "_parent"}
    return specs.words() | signs | {"n", "f", "t", "b", "l", "s.v", "e", "animals::cat", "to_i(16)", "to_s('ASCII')"}


def check(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for parse in (parse_expression, parse_expressions, parse_type_reference):
        try:
            parse(text)
        except ExpressionError as error:
            assert 0 <= error.start <= len(text)
    specs.check(json.dumps({**SPEC, "instances": {"i": {"value": text}}}).encode())
