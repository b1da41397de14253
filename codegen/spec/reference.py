"""The dialect's reference, ``docs/reference.md``, generated from the dialect that specs are checked against.

``python -m wireloom.codegen.spec.reference`` writes it; a test fails if the page is out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ..expression.lexer import MAX_CHARACTERS as MAX_EXPRESSION
from ..expression.methods import METHODS, Method
from ..expression.parser import BINARY, COMPARISONS
from ..expression.types import BytesType, ListType, Type, type_name
from .expectations import REFERENCE, anchor, expected
from .kinds import BUILT_IN, MAX_BITS, EitherKind, ExpressionKind, Key, Kind, ListKind, MapKind, TableKind, TypeKind
from .reader import MAX_CHARACTERS, MAX_DEPTH, MAX_NODES
from .tables import EXTENSION, TABLES

PLACES: dict[type, str] = {ExpressionKind: "expressions", TypeKind: "types"}
"""Kinds with a section of their own."""

INTRODUCTION = """\
# Reference of the dialect

<!-- Generated from codegen/spec/dialect.yaml by "python -m wireloom.codegen.spec.reference". Do not edit. -->

All keys of a spec, where they are allowed, and what they take. `wireloom check` checks a spec against the same
tables, and its messages name the relevant entry: `wireloom reference attribute.size` prints one. `wireloom schema`
prints them all as a JSON Schema for editors. The keys under `-wireloom` are wireloom's own, with an introduction in
[the dialect](dialect.md); all others are [Kaitai Struct's](https://doc.kaitai.io/user_guide.html). A key that begins
with another `-` is ignored.
"""


def reference() -> str:
    """Return the page as Markdown."""
    tables = (line for name in TABLES for line in _table(name))
    return "\n".join([INTRODUCTION, *_contents(), *tables, *_types(), *_expressions(), *_limits()])


def title_of(name: str) -> str:
    """Return the heading of a table."""
    title = TABLES[name].title
    return title[0].upper() + title[1:]


def _contents() -> list[str]:
    parts = [(title_of(name), name) for name in TABLES]
    parts += [("Types", "types"), ("Expressions", "expressions"), ("Limits", "limits")]
    return [*(f"- [{title}](#{name})" for title, name in parts), ""]


def _heading(title: str, name: str) -> list[str]:
    return [f'## <a id="{name}"></a>{title}', ""]


def _table(name: str) -> list[str]:
    lines = _heading(title_of(name), name)
    if parents := parents_of(name):
        links = [f"`{word}` of [{_escaped(TABLES[parent].name)}](#{parent})" for word, parent in parents]
        lines += [f"Used in {', '.join(links)}.", ""]
    if name == "enum":
        return [*lines, "Its keys are integers; each value is a name, or [a mapping](#enum-member).", ""]
    lines += ["| key | takes | meaning |", "|---|---|---|"]
    lines += [_row(name, word, key) for word, key in TABLES[name].keys.items()]
    extensions = TABLES[name].extensions
    if extensions:
        lines.append(f"| `{EXTENSION}` | [a mapping](#{extensions}) | Extensions of Kaitai's language. |")
    return [*lines, ""]


def _row(table: str, word: str, key: Key) -> str:
    meaning = f"{'**Required.** ' if key.required else ''}{key.doc}"
    return f'| <a id="{anchor(table, word)}"></a>`{word}` | {_cell(key.kind)} | {_escaped(meaning)} |'


def _cell(kind: Kind) -> str:
    """Return the description of a value, with links to the tables of mappings in it."""
    if type(kind) in PLACES:
        return f"[{expected(kind)}](#{PLACES[type(kind)]})"
    links = [f"[{_escaped(title_of(each))}](#{each})" for each in tables_of(kind)]
    words = {MapKind: "a mapping", ListKind: "a list", TableKind: "a mapping"}.get(type(kind))
    if words is None or not links:
        text = _escaped(expected(kind))
        return f"{text}: {', '.join(links)}" if links else text
    if isinstance(kind, MapKind):
        words = f"a mapping with a key for each {kind.key}"
    return f"{words}: {', '.join(links)}"


def tables_of(kind: Kind) -> Iterator[str]:
    """Yield the names of the tables of the mappings that a kind allows."""
    match kind:
        case TableKind(table=table):
            yield table
        case ListKind(item=inner) | MapKind(value=inner):
            yield from tables_of(inner)
        case EitherKind():
            for each in (kind.scalar, kind.mapping, kind.sequence):
                if each is not None:
                    yield from tables_of(each)


def parents_of(name: str) -> list[tuple[str, str]]:
    """Return the keys whose values are mappings of a table, each with the table that contains it."""
    found = []
    for parent, table in TABLES.items():
        words = [word for word, key in table.keys.items() if name in tables_of(key.kind)]
        words += [EXTENSION] if table.extensions == name else []
        found += [(word, parent) for word in words]
    return found


def _types() -> list[str]:
    return [
        *_heading("Types", "types"),
        f"Built in: {', '.join(f'`{each}`' for each in BUILT_IN)}, and `b1` to `b{MAX_BITS}` for bits. Without `le` or "
        "`be` the spec's byte order counts. All other names are those of `types`, with `::` between a type and one "
        "inside it, and with arguments in brackets where the type has `params`.",
        "",
    ]


def _expressions() -> list[str]:
    operators = ["`? :`", "`or`", "`and`", "`not`", " ".join(f"`{each}`" for each in COMPARISONS)]
    operators += [" ".join(f"`{each}`" for each in row) for row in BINARY]
    lines = [
        *_heading("Expressions", "expressions"),
        "Numbers (`12`, `0x1f`, `0b11`, `1.5`), text in quotes, `true` and `false`, lists, `enum::member`, names of "
        "attributes, instances and parameters, `_parent`, `_root`, `_io`; `_` in `valid`, `repeat-until` and "
        "`for-each`, `_index` where something repeats; `sizeof<type>`, `value.as<type>`, `list[index]`, "
        f"`value.attribute`. Operators, those that bind loosest first: {', '.join([*operators, '`-x` `~x`'])}.",
        "",
        "| of | can be asked |",
        "|---|---|",
    ]
    for family, methods in METHODS.items():
        calls = (f"`{name}{_arguments(each)}` ({_result(family, each)})" for name, each in methods.items())
        lines.append(f"| {family} | {', '.join(calls)} |")
    return [*lines, ""]


def _arguments(method: Method) -> str:
    if not method.arguments:
        return ""
    shown = [each if index < method.required else f"[{each}]" for index, each in enumerate(method.arguments)]
    return f"({', '.join(shown)})"


def _result(family: str, method: Method) -> str:
    item = BytesType()
    owner: Type = ListType(item) if family == "list" else item
    result = method.result(owner)
    return "an item" if family == "list" and result == item else type_name(result)


def _limits() -> list[str]:
    return [
        *_heading("Limits", "limits"),
        f"A spec has at most {MAX_CHARACTERS:,} characters, {MAX_DEPTH} levels of YAML and {MAX_NODES:,} nodes; an "
        f"expression at most {MAX_EXPRESSION:,} characters.",
        "",
    ]


def _escaped(text: str) -> str:
    """Return text escaped for a cell of a table."""
    return text.replace("|", "\\|")


CHAPTERS = {"types": _types, "expressions": _expressions, "limits": _limits}
"""The chapters of the page besides the tables."""


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else REFERENCE).write_text(reference(), encoding="utf-8", newline="\n")
