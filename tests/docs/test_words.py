"""Wording: docstrings begin with what something is or does, and avoid words that confuse readers."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [path for folder in ("codegen", "runtime") for path in sorted((ROOT / folder).rglob("*.py"))]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])

BEGINNINGS = re.compile(r"(Whether|What|Who|Whose|Sees)\b")
"""A noun phrase or an imperative says the same: "Return whether …", "The report of …"."""
WORDS = re.compile(r"\b(behind|nobody)\b", re.IGNORECASE)
"""In the order of bytes one thing comes after another."""
ALLOWED = (
    # The idiom.
    re.compile(r"\b(left|leaves?|leaving) behind\b"),
)


def docstrings(path: Path) -> list[tuple[int, str]]:
    """Return the line and the text of each docstring of a file, including those of modules."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                found.append((node.body[0].lineno, text))
    return found


def stumbling(text: str) -> list[str]:
    for allowed in ALLOWED:
        text = allowed.sub("", text)
    return WORDS.findall(text)


def test_docstrings() -> None:
    """They begin with what a thing is or does, and contain none of the words."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {wrong}"
        for path in CODE
        for line, text in docstrings(path)
        for wrong in (*([text.splitlines()[0]] if BEGINNINGS.match(text) else ()), *stumbling(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_words_of_pages(page: Path) -> None:
    found = [
        f"{page.name}:{number}: {word}"
        for number, line in enumerate(page.read_text().splitlines(), 1)
        for word in stumbling(line)
    ]
    assert not found, "\n".join(found)
