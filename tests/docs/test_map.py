"""The map of the documentation: how many pages there are, where, and that their sentences and tables can be read."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MOST_PAGES = 28
"""With the home page and the Python API. Recipes of the cookbook, the pages of formats, and those about the inside of
the project are not counted."""
LONGEST_SENTENCE, LONGEST_CELL = 36, 48
"""In words."""
CHANGELOG_LINES = 150
MEASURED = ("engine.md", "engine_profile.md")
"""Notes of measurements, and steps that are derived from the engine's table."""
READ = sorted(
    [
        *(each for each in DOCS.rglob("*.md") if each.name not in MEASURED),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *ROOT.glob("generated/*/README.md"),
    ]
)
LABEL = re.compile(r"\[[a-z_]+\.md\]\(")
"""The name of a file as the text of a link: a title says more."""


def menu() -> list[str]:
    """Return the pages in the menu of the site. The tags of mkdocs, such as ``!ENV``, are not needed for that."""
    text = (ROOT / "mkdocs.yml").read_text()
    found: list[str] = []

    def visit(node: object) -> None:
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, dict | list):
            for each in node.values() if isinstance(node, dict) else node:
                visit(each)

    visit(yaml.safe_load(text[text.index("\nnav:") :])["nav"])
    return found


def paragraphs(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the paragraphs, items of lists and cells of a page, each with whether it is a cell."""
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "", text, flags=re.MULTILINE | re.DOTALL)
    words: list[str] = []
    for line in [*text.splitlines(), ""]:
        item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        if words and (item or not line.strip() or line.startswith(("#", "|"))):
            yield False, " ".join(words)
            words = []
        if line.startswith("|"):
            yield from ((True, each) for each in re.split(r"(?<!\\)\|", line)[1:-1])
        elif line.strip() and not line.startswith("#"):
            words.append(line[item.end() :] if item else line.strip())


def count(text: str) -> int:
    """Return the number of words. Code in a line is a single one, and the target of a link none."""
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", text))
    return sum(re.search(r"\w", each) is not None for each in text.split())


def sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph. Dots in code end none."""
    shown = re.sub(r"`[^`]*`", lambda match: match[0].replace(".", "·").replace(" ", "_"), paragraph)
    return re.split(r"(?<=[.!?])[)*\"]*\s+", shown)


def test_the_number_of_pages() -> None:
    """The API is generated when the site is built."""
    assert len([*DOCS.glob("*.md")]) + 1 <= MOST_PAGES


def test_each_page_is_in_the_menu_or_internal() -> None:
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    shown = [each for each in pages if not each.startswith(("internals/", "changes/"))]
    assert sorted(menu()) == sorted([*shown, "api.md", "CONTRIBUTING.md", "CHANGELOG.md"])


def test_each_format_is_in_the_list() -> None:
    page = (DOCS / "formats.md").read_text()
    pages = [f"../generated/{path.parent.name}/README.md" for path in ROOT.glob("generated/*/README.md")]
    assert pages
    assert [each for each in pages if f"({each})" not in page] == []


def test_sentences_and_cells_are_short(subtests: pytest.Subtests) -> None:
    assert len(READ) > 60
    for page in READ:
        with subtests.test(page=page.relative_to(ROOT).as_posix()):
            text = page.read_text()
            parts = [*paragraphs(text)]
            long = [each for _, part in parts for each in sentences(part) if count(each) > LONGEST_SENTENCE]
            assert not long, "\n".join(long)
            cells = [part for is_cell, part in parts if is_cell and count(part) > LONGEST_CELL]
            assert not cells, "\n".join(cells)
            assert not LABEL.search(text)


def test_the_changelog_is_short() -> None:
    assert len((ROOT / "CHANGELOG.md").read_text().splitlines()) <= CHANGELOG_LINES


def test_changes_are_lists() -> None:
    """A change has a file of its own, which becomes a part of the changelog at a release."""
    for path in {*(DOCS / "changes").glob("*.md")} - {DOCS / "changes" / "README.md"}:
        lines = path.read_text().splitlines()
        assert lines, path.name
        assert all(re.match(r"- |  \S", each) for each in lines), path.name
