"""The README and the page that it leads to first, executed from top to bottom."""

import os
import re
from pathlib import Path

import pytest

from .blocks import Page, blocks, part

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_everything_in_it_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    assert Page(README, tmp_path).run() == 3


@pytest.mark.usefixtures("spark")
def test_everything_on_the_first_page_runs(tmp_path: Path) -> None:
    # Paths without a folder are relative to that of Spark's own process, which is not the page's.
    page = re.sub(r'(format\("\w+"\)\.load\()"', rf'\1"{tmp_path}/', part("start"))
    assert Page(page, tmp_path).run() >= 8


def test_its_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {
        name for block in blocks(README) if block.kind == "sh" for name in re.findall(r"(?m)^make (\w+)", block.text)
    }
    named |= set(re.findall(r"`make (\w+)`", README))
    assert {"demo", "test", "quick", "setup", "bench", "generate", "check", "docs"} >= named >= {"demo", "test"}
    for name in named:
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name


def test_its_links_lead_somewhere() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert links
    for link in links:
        assert os.path.exists(ROOT / link.partition("#")[0]), link
