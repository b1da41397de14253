"""``wireloom import-proto``."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from wireloom.codegen.model.load import load
from wireloom.command import main

FOLDER = Path(__file__).parent / "protos"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["import-proto", *map(str, arguments)])


@pytest.mark.slow
def test_it_writes_a_spec(tmp_path: Path) -> None:
    output = tmp_path / "Event-Log.ksy"
    result = run(FOLDER / "rich3.proto", "--message", "Log", "-o", output)
    assert (result.exit_code, result.output) == (0, "")
    spec = load(output)
    assert spec.name == "event_log"
    assert spec.units is not None


@pytest.mark.slow
def test_it_prints_a_spec_and_warns_beside_it() -> None:
    result = run(FOLDER / "rich2.proto")
    assert result.exit_code == 0
    assert load("rich2.ksy", result.stdout).name == "rich2"
    assert "wireloom: warning: rich.two.Everything.old: groups are not imported" in result.stderr


def test_the_output_is_a_spec(tmp_path: Path) -> None:
    result = run(FOLDER / "rich3.proto", "-o", tmp_path / "rich3.proto")
    assert result.exit_code == 2
    assert "name a .ksy file" in result.stderr
