"""All pages: their links have targets, what they name exists, and nothing in them is specific to one machine."""

import re
from pathlib import Path

import pytest
from wireloom import codecs

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    text = without_blocks(page.read_text())
    titles = re.findall(r"^#+ (?:<a .*?</a>)?(.+)$", text, re.MULTILINE)
    return set(re.findall(r'<a id="([^"]+)"', text)) | {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles
    }


def test_links(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(page.name):
            for link in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page.read_text())):
                if link.startswith("http"):
                    continue
                place, _, anchor = link.partition("#")
                target = (page.parent / place).resolve() if place else page
                assert target.exists(), link
                assert not anchor or anchor in anchors(target), link


def test_the_codecs_are_those_of_the_registry() -> None:
    assert f"detected from the content: {codecs.listed().replace(', xor:KEY', '')}." in (
        ROOT / "docs" / "reading.md"
    ).read_text("utf-8")
    table = (ROOT / "docs" / "checksums.md").read_text("utf-8").partition("| codec | bytes |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE) == list(codecs.BLOCK_CODECS)


def test_every_target_of_make_that_is_named_is_one(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(page.name):
            text = page.read_text()
            named = re.findall(r"^make ([a-z -]+?)(?= *#|$| [A-Z])", text, re.MULTILINE) + re.findall(
                r"`make ([a-z-]+)`", text
            )
            assert {each for group in named for each in group.split()} <= TARGETS


def test_nothing_is_of_one_machine(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(page.name):
            assert not re.search(r"/(?:home|root|work|Users)/\w", page.read_text())


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_picture_of_the_house(name: str) -> None:
    """Every folder that it names exists, and it names every important folder."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / name).read_text(), re.MULTILINE | re.DOTALL)
    picture = next(text for kind, text in blocks if not kind)
    named = set(re.findall(r"\b([a-z][a-z0-9]*)/", picture))
    parts = {"specs", "codegen", "generated", "runtime"}
    for folder in ("codegen", "runtime"):
        parts |= {each.parent.name for each in ROOT.glob(f"{folder}/*/*.py")}
    assert parts - {"__pycache__", "demo"} <= named
    for each in named:
        assert any((ROOT / top / each).is_dir() for top in ("", "codegen", "codegen/backends", "runtime")), each
    for file in re.findall(r"\b[a-z_]+\.py\b", picture):
        assert any(any((ROOT / top).rglob(file)) for top in ("codegen", "runtime", "tests")), file


def test_files_that_are_named_are_there(subtests: pytest.Subtests) -> None:
    tops = "specs|codegen|generated|runtime|tests|docs|\\.ci"
    # The tutorial names files of the project that its reader makes.
    for page in [each for each in PAGES if each.name != "tutorial.md"]:
        with subtests.test(page.name):
            for path in re.findall(rf"`((?:{tops})/[\w./-]*)`", without_blocks(page.read_text())):
                if "NAME" not in path:
                    assert (ROOT / path).exists(), path


def test_the_style_is_kept() -> None:
    """Files are small, as CONTRIBUTING says."""
    for folder in ("codegen", "runtime"):
        for path in (ROOT / folder).rglob("*.py"):
            assert len(path.read_text().splitlines()) < 400, path
