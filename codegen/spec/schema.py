"""The dialect as a JSON Schema (2020-12), generated from the tables that specs are checked against.

It serves completion and the detection of structural errors; checks that need the whole spec (names, types, expressions)
are left to ``validator`` and the model. Where the two differ, the schema allows more, so that no valid spec is
underlined: editors' YAML reads as numbers some words that are text in the dialect, and as text numbers such as
``1_000``.
"""

from __future__ import annotations

import re
from typing import Any

from .expectations import reference_command
from .kinds import (
    BUILT_IN,
    IDENTIFIER,
    TYPE_NAME,
    AnyKind,
    ContentsKind,
    EitherKind,
    ExpressionKind,
    FlagKind,
    IntegerKind,
    Key,
    Kind,
    ListKind,
    MapKind,
    ObjectsKind,
    ProcessKind,
    Table,
    TableKind,
    TextKind,
    TypeKind,
)
from .tables import EXTENSION, TABLES

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_NUMBER_TEXT = "^[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*)$"
_SINGLE = ["string", "number", "boolean"]
_SAMPLES: dict[str, str] = {"number": "0.11", "boolean": "true"}
"""Values that editors may not read as text."""


def schema() -> Schema:
    """Return the schema of a .ksy file as a JSON object."""
    return {
        "$schema": DIALECT,
        "title": "A wireloom spec",
        "description": f"A .ksy file: Kaitai Struct's language with the extensions under {EXTENSION}.",
        "$ref": "#/$defs/spec",
        "$defs": {name: _enum() if name == "enum" else _table(name, table) for name, table in TABLES.items()},
    }


def _table(name: str, table: Table) -> Schema:
    properties = {word: _key(key, reference_command(name, word)) for word, key in table.keys.items()}
    if table.extensions:
        properties[EXTENSION] = {
            "description": f"Extensions of Kaitai's language. See: {reference_command(table.extensions)}",
            **_reference(table.extensions),
        }
    result: Schema = {
        "type": "object",
        "properties": properties,
        # Other keys that begin with a dash belong to other tools.
        "patternProperties": {f"^-(?!{EXTENSION[1:]}$)": True},
        "additionalProperties": False,
    }
    required = [word for word, key in table.keys.items() if key.required]
    if required:
        result["required"] = required
    return result


def _key(key: Key, where: str) -> Schema:
    return {"description": f"{key.doc} See: {where}", **_kind(key.kind)}


def _reference(table: str) -> Schema:
    return {"$ref": f"#/$defs/{table}"}


def _enum() -> Schema:
    name = _kind(TABLES["enum-member"].keys["id"].kind)
    return _named(_NUMBER_TEXT, {"anyOf": [name, _reference("enum-member")]})


def _named(pattern: str, value: Schema) -> Schema:
    """Return the schema of a mapping. Editors take ``<<`` in one for a name if these have a schema of their own."""
    return {"type": "object", "patternProperties": {pattern: value}, "additionalProperties": False}


def _kind(kind: Kind) -> Schema:
    match kind:
        case TableKind(table=table):
            return _reference(table)
        case TextKind():
            return _text(kind)
        case FlagKind(only=only):
            return {"type": "boolean"} if only is None else {"const": only}
        case IntegerKind():
            return _integer(kind)
        case ExpressionKind():
            return {"type": _SINGLE}
        case TypeKind():
            # Editors offer the first branch; the second one is a name of the spec's own, with arguments.
            return {"anyOf": [{"enum": list(BUILT_IN)}, {"type": "string", "pattern": rf"^\s*(?:{TYPE_NAME}|b\d+)"}]}
        case ProcessKind():
            return {
                "type": "string",
                "pattern": r"^\s*[a-z][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*\s*(?:\([\s\S]*\))?\s*$",
            }
        case ContentsKind():
            byte = {"type": "integer", "minimum": -128, "maximum": 255}
            part = {"anyOf": [byte, {"type": "string"}]}
            return {"anyOf": [{"type": "string"}, {"type": "array", "items": part}]}
        case AnyKind():
            return {}
        case ObjectsKind():
            return {"type": "array"}
        case ListKind():
            return _list(kind)
        case MapKind():
            return _map(kind)
        case EitherKind():
            parts = (kind.scalar, kind.mapping, kind.sequence)
            return {"anyOf": [_kind(each) for each in parts if each is not None]}


def _text(kind: TextKind) -> Schema:
    if kind.choices:
        return {"enum": list(kind.choices)}
    if kind.offered:
        return {"anyOf": [{"enum": list(kind.offered)}, _text(kind._replace(offered=()))]}
    if kind.pattern is None:
        return {"type": [*_SINGLE, "null"] if kind.empty else _SINGLE}
    others = [name for name, sample in _SAMPLES.items() if re.fullmatch(kind.pattern, sample)]
    return {"type": ["string", *others] if others else "string", "pattern": f"^(?:{kind.pattern})$"}


def _integer(kind: IntegerKind) -> Schema:
    number: Schema = {"type": "integer"}
    if kind.minimum is not None:
        number["minimum"] = kind.minimum
    if kind.maximum is not None:
        number["maximum"] = kind.maximum
    return {"anyOf": [number, {"type": "string", "pattern": _NUMBER_TEXT}]}


def _list(kind: ListKind) -> Schema:
    item = _kind(kind.item)
    array: Schema = {"type": "array", "items": item}
    if kind.minimum:
        array["minItems"] = kind.minimum
    if kind.maximum is not None:
        array["maxItems"] = kind.maximum
    return {"anyOf": [item, array]} if kind.single else array


def _map(kind: MapKind) -> Schema:
    if kind.keys == "text":
        return _named(f"^(?:{IDENTIFIER})$", _kind(kind.value))
    return {"type": "object", "additionalProperties": _kind(kind.value)}
