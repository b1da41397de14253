"""Sentences of the command line about wrong options and numbers."""

from __future__ import annotations

import pytest
from wireloom.base.errors import WireloomError
from wireloom.command.program import main
from wireloom.command.rows import _object


@pytest.mark.parametrize(("command", "is_named"), [("decode", True), ("import-proto", False)])
def test_unknown_options(command: str, is_named: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--plugin=x"])
    said = capsys.readouterr().err
    assert ("--option NAME=VALUE" in said) == is_named
    assert ".;" not in said


def test_numbers_of_many_digits() -> None:
    with pytest.raises(WireloomError, match=r"^line 3 is no JSON: a number of 6,000 digits, at most 4,000 are read$"):
        _object(b'{"a": ' + b"1" * 6000 + b"}", 3)
