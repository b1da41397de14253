"""The page of the commands: it describes every command and option correctly, and its examples run."""

import re
from pathlib import Path

import pytest
from wireloom.command import CODES, COMMANDS, INTERRUPTED, PIPE_CLOSED, TERMINATED, UNUSABLE

from .blocks import Page, part
from .commands import PAGE, PART, renewed


def test_every_command_and_option_is_there() -> None:
    text = PAGE.read_text()
    assert renewed(text) == text, "run 'python -m tests.docs.commands' and look at what it changes"
    assert set(PART.findall(text)) == set(COMMANDS)


def test_every_exit_code_is_there() -> None:
    table = part("errors", "Exit codes", "Exit codes of ingest")
    listed = {int(each) for each in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert listed == {0, 1, UNUSABLE, max(CODES), INTERRUPTED, PIPE_CLOSED, TERMINATED}


@pytest.mark.usefixtures("spark")
def test_its_examples(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path, session=True).run() >= 8
