"""The README as package indexes show it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[3]


def described(folder: Path, urls: str) -> str:
    """Return the description in the metadata of the package, with those addresses in its pyproject.toml."""
    for name in ("README.md", "LICENSE", "setup.py", "pyproject.toml"):
        (folder / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    (folder / "pyproject.toml").write_text((folder / "pyproject.toml").read_text("utf-8") + urls, "utf-8")
    program = "import runpy; print(runpy.run_path('setup.py', run_name='other')['description']())"
    # Setup itself has nothing to do.
    return subprocess.run(
        [sys.executable, "-c", f"import setuptools; setuptools.setup = lambda **_: None; {program}"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def addresses(text: str) -> list[str]:
    html = MarkdownIt().enable("table").render(text)
    return re.findall(r'(?:href|src)="([^"]*)"', html)


@pytest.mark.parametrize("urls", ["", '[project.urls]\nSource = "https://code.invalid/wireloom"\n'])
def test_links_are_absolute(tmp_path: Path, urls: str) -> None:
    text = described(tmp_path, urls)
    assert "pip install wireloom" in text
    found = addresses(text)
    assert found
    assert [each for each in found if not each.startswith("https://")] == []
    assert bool([each for each in found if each.endswith("studio.png")]) is bool(urls)


def test_wheels_have_the_files_that_are_no_modules() -> None:
    """Of the engine they have the extension, and of its sources only those that programs read."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["*"]
    for top in ("codegen", "runtime", "generated"):
        for file in (ROOT / top).rglob("*.*"):
            is_source = file.suffix in (".py", ".pyc") or file.parent.name == "engine" or file.is_dir()
            assert is_source or any(map(file.match, patterns)), file


def test_versions_that_are_claimed_begin_with_the_required_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    claimed = [each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r"Python :: 3\.\d+$", each)]
    assert project["requires-python"] == f">={claimed[0]}"


def test_versions_that_are_claimed_are_those_that_wheels_are_tested_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    claimed = re.findall(r"Python :: 3\.(\d+)", "\n".join(project["project"]["classifiers"]))
    assert claimed == re.findall(r"\bcp3(\d+)-", project["tool"]["cibuildwheel"]["build"])


def test_the_version_without_tags_is_after_the_last_release() -> None:
    """Archives of the sources and clones without tags have the next version."""
    sections = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert sections[0] == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", each) for each in sections[1:])
    major, minor, patch = sections[1].split(".")
    scm = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools_scm"]
    assert scm["fallback_version"] == f"{major}.{minor}.{int(patch) + 1}.dev0"
