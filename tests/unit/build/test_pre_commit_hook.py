"""The hook of pre-commit for users' repositories runs for the files on which generated code depends."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from wireloom.command import main

HOOKS = Path(__file__).parents[3] / ".pre-commit-hooks.yaml"


@pytest.mark.parametrize(
    ("path", "edit"),
    [
        ("pyproject.toml", lambda text: text.replace('output = "src', 'output = "lib')),
        ("specs/door_log.ksy", lambda text: text.replace("columns: [kind, at, note]", "columns: [kind, at]")),
        ("src/wireloom_door_log/generated/door_log/parser.py", lambda text: text + "# by hand\n"),
    ],
)
def test_it_runs_for_each_file_whose_edit_it_refuses(
    path: str, edit: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(main, ["new", "door_log"], catch_exceptions=False)
    monkeypatch.chdir("door_log")
    edited = Path(path)
    edited.write_text(edit(edited.read_text()))
    [hook] = yaml.safe_load(HOOKS.read_text())
    command, *arguments = hook["entry"].split()
    assert command == "wireloom"
    assert CliRunner().invoke(main, arguments).exit_code == 1
    # As pre-commit selects files: anywhere in the path from the top of the repository.
    assert re.search(hook["files"], path)
    assert re.search(hook["files"], f"logs/{path}")
