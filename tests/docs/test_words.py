"""Wording: docstrings begin with what something is or does, and avoid words that confuse readers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [path for folder in ("codegen", "runtime") for path in sorted((ROOT / folder).rglob("*.py"))]
TESTS = sorted(ROOT.joinpath("tests").rglob("*.py"))
PAGES = sorted(
    each for pattern in ("*.md", "docs/**/*.md", "generated/**/*.md", "specs/**/*.ksy") for each in ROOT.glob(pattern)
)
SOURCES = sorted(
    path
    for folder in ("codegen", "runtime")
    for path in (ROOT / folder).rglob("*.*")
    if path.suffix in (".c", ".h", ".j2")
)
"""Files of the engine, and templates."""

BEGINNINGS = re.compile(r"(Whether|What|Who|Whose|Sees)\b")
"""A noun phrase or an imperative says the same: "Return whether …", "The report of …"."""
WORDS = re.compile(r"\b(behind|nobody)\b", re.IGNORECASE)
"""In the order of bytes one thing comes after another."""
WORDS_OF_CODE = re.compile(r"\b(cooked|settled|undoing)\b", re.IGNORECASE)
"""Participles that were names: of values that are converted, attributes that are filled in, functions that decode."""
ALLOWED = (
    # The idiom.
    re.compile(r"\b(left|leaves?|leaving) behind\b"),
)


SUSPECT = re.compile(rf"[\"'][\\\s]*{BEGINNINGS.pattern}")
"""How a string begins that may be a docstring with such a beginning."""


def suspects(pattern: re.Pattern[str]) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the files that contain the pattern or one of the words; others need not be parsed."""
    for path in (*CODE, *TESTS):
        if path == Path(__file__):
            continue
        text = path.read_text()
        if pattern.search(text) or stumbling(text.replace("_", " "), path):
            yield path, ast.parse(text)


def docstrings(module: ast.Module) -> list[tuple[int, str]]:
    """Return the line and the text of each docstring, including that of the module."""
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                found.append((node.body[0].lineno, text))
    return found


def stumbling(text: str, path: Path) -> list[str]:
    """Return the words in a text of a file that confuse readers."""
    for allowed in ALLOWED:
        text = allowed.sub("", text)
    return WORDS.findall(text) + (WORDS_OF_CODE.findall(text) if path in CODE else [])


def begins(text: str, path: Path) -> bool:
    """Return whether a docstring has such a beginning. That of a test may state what the test shows."""
    return BEGINNINGS.match(text) is not None and not path.name.startswith("test_")


def test_docstrings() -> None:
    """They begin with what a thing is or does, and contain none of the words."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {wrong}"
        for path, module in suspects(SUSPECT)
        for line, text in docstrings(module)
        for wrong in (*([text.splitlines()[0]] if begins(text, path) else ()), *stumbling(text, path))
    ]
    assert not found, "\n".join(found)


def identifiers(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names that a module defines or uses, with their lines."""
    for node in ast.walk(module):
        for key in ("id", "attr", "arg", "name", "asname"):
            if isinstance(name := getattr(node, key, None), str):
                yield getattr(node, "lineno", 0), name


def test_names() -> None:
    """Names in Python contain none of the words either: a part of a name is a word."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, module in suspects(WORDS)
        for line, name in identifiers(module)
        if stumbling(name.replace("_", " "), path)
    ]
    assert not found, "\n".join(found)


def test_sources_and_names_of_files() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in SOURCES
        for word in stumbling(f"{path.stem}\n{path.read_text()}".replace("_", " "), path)
    ]
    assert len(SOURCES) > 100
    assert not found, "\n".join(found)


def test_words_of_pages(subtests: pytest.Subtests) -> None:
    """Pages, specs, and the pages that are generated from them."""
    assert {each.parent.name for each in PAGES} >= {"docs", "cookbook", "specs", "etcd_wal"}
    for page in PAGES:
        with subtests.test(page=page.relative_to(ROOT).as_posix()):
            found = [
                f"{number}: {word}"
                for number, line in enumerate(page.read_text().splitlines(), 1)
                for word in stumbling(line, page)
            ]
            assert not found, "\n".join(found)
