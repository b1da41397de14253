"""The tables of what the engine does not read have each reason that the code gives, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
BACKEND = ROOT / "codegen" / "backends" / "columns"
REASONS = {"NotForEngineError": 0, "ColumnRefusedError": 1, "Unavailable": 0}
"""What is called with a reason, and the number of its argument."""
ALIGNED = ("must_be_aligned", "flush_aligned")
"""Methods that are called with the beginning of a reason."""


def texts(node: ast.AST, known: dict[str, list[str]]) -> list[str]:
    """Return the texts of an expression, with ``…`` for what is computed; none if all of it is."""
    match node:
        case ast.Constant(str() as value):
            return [value]
        case ast.Name(name):
            return known.get(name, [])
        case ast.IfExp():
            return texts(node.body, known) + texts(node.orelse, known)
        case ast.JoinedStr():
            found = [""]
            for each in node.values:
                inner = each.value if isinstance(each, ast.FormattedValue) else each
                parts = texts(inner, known) or ["…"]
                found = [text + part for text in found for part in parts]
            return found
    return []


def reasons() -> Iterator[str]:
    for path in BACKEND.rglob("*.py"):
        for scope in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(scope, ast.FunctionDef):
                continue
            known = {
                target.id: texts(each.value, {})
                for each in ast.walk(scope)
                if isinstance(each, ast.Assign)
                for target in each.targets
                if isinstance(target, ast.Name)
            }
            for each in ast.walk(scope):
                if isinstance(each, ast.Call) and getattr(each.func, "id", "") in REASONS:
                    yield from texts(each.args[REASONS[each.func.id]], known)  # type: ignore[attr-defined]
                elif isinstance(each, ast.Call) and getattr(each.func, "attr", "") in ALIGNED:
                    yield from (f"{text} inside a byte" for text in texts(each.args[0], known))
                elif isinstance(each, ast.Return) and each.value is not None and scope.name.startswith("why"):
                    yield from filter(None, texts(each.value, known))


def plain(text: str) -> str:
    return text.replace('"…"', "…").replace("`", "")


def test_each_reason_says_what_to_write_instead() -> None:
    page = (ROOT / "docs" / "dialect.md").read_text("utf-8").partition("## What the engine does not read")[2]
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", page.partition("\n## ")[0], re.MULTILINE)
    named = [plain(each) for words, _ in rows for each in words.split("<br>")]
    assert len(named) == len(set(named))
    assert {plain(each) for each in reasons()} - {"… inside a byte"} == {*named}
