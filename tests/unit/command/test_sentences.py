"""Messages of the command line about invalid options and numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from wireloom.command import main


@pytest.mark.parametrize(("command", "is_named"), [("decode", True), ("import-proto", False)])
def test_unknown_options(command: str, is_named: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--plugin=x"])
    said = capsys.readouterr().err
    assert ("--option NAME=VALUE" in said) == is_named
    assert ".;" not in said


def test_numbers_of_many_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = '{"generation": 1, "payload": ""}\n'
    (tmp_path / "rows.ndjson").write_text(2 * row + row.replace("1", "1" * 6000))
    with pytest.raises(SystemExit):
        main(["encode", "word_stuffed_log", str(tmp_path / "rows.ndjson"), "-o", str(tmp_path / "out")])
    assert "line 3 is not JSON: a number of 6,000 digits, at most 4,000 are read" in capsys.readouterr().err
