"""The tutorial, executed from top to bottom, as by a reader who copies and pastes."""

import os
import re
from pathlib import Path

import pytest

from .blocks import Page

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()


INGEST = re.compile(r"\$ wireloom ingest .*\n.*\n")
"""A command that starts Spark, and what it prints."""


def prepared(folder: Path, text: str) -> Page:
    """Return the page in ``folder/work``; what it installs goes to ``folder/site``, and no network is needed."""
    work, site = folder / "work", folder / "site"
    work.mkdir()
    page = Page(text, work)
    page.environment |= {
        "PYTHONPATH": os.pathsep.join((str(site), page.environment["PYTHONPATH"])),
        "PIP_TARGET": str(site),
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        # pip interprets this as turning isolation off.
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_CACHE_DIR": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "XDG_CONFIG_HOME": str(folder),
    }
    (folder / "gitconfig").write_text("[user]\nname = A\nemail = a@example.com\n")
    return page


@pytest.mark.usefixtures("fork_server")
@pytest.mark.parametrize("ingests", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_everything_in_it_runs_and_prints_what_it_says(ingests: bool, tmp_path: Path) -> None:
    assert len(INGEST.findall(TUTORIAL)) == 1
    assert prepared(tmp_path, TUTORIAL if ingests else INGEST.sub("", TUTORIAL)).run() >= 6
