"""The tables of what the engine does not read have each reason that the code gives, and no other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from wireloom.codegen.backends.columns.replacements import replacement, replacements

from .engine_limits import PAGE, renewed

ROOT = Path(__file__).parents[2]
BACKEND = ROOT / "codegen" / "backends" / "columns"
REASONS = {"NotForEngineError": 0, "Unavailable": 0}
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
    named = [plain(reason) for rows in replacements().values() for each, _ in rows for reason in each]
    assert len(named) == len(set(named))
    assert {plain(each) for each in reasons()} - {"… inside a byte"} == {*named}


def test_the_page_has_the_replacements() -> None:
    """``python -m tests.docs.engine_limits`` writes them."""
    page = PAGE.read_text("utf-8")
    assert renewed(page) == page


@pytest.mark.parametrize(
    ("sentence", "begin"),
    [
        ('"a" may begin inside a byte', "Bits in a multiple of eight"),
        ('"a" is xored with "key" by several bytes', "'zlib', a codec"),
        ('the column "b" is computed: an expression divides by zero', "A condition ('if')"),
        ('"a" is read at a position of the input', "Rows that are read in order, or an input that is read as a whole."),
        ("something else", ""),
    ],
)
def test_a_reason_has_its_replacement(sentence: str, begin: str) -> None:
    found = replacement(sentence)
    assert found.startswith(begin)
    assert bool(found) == bool(begin)
