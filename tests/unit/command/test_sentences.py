"""Messages of the command line about invalid options and numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.command import COMMANDS, main
from wireloom.reading.options import LIMITS

SPECS = ("FORMAT", "SPEC", "OLD NEW", "QUERY")
"""Arguments that are specs, may be specs, or read files with one."""


@pytest.mark.parametrize("name", [each for each in COMMANDS if each != "schema"])
def test_help(name: str) -> None:
    """Options are in groups, each once; there is a folder of imports where there may be a spec."""
    text = CliRunner().invoke(main, [name, "--help"]).stdout
    usage, _, rest = text.partition("\n\n")
    groups = "".join(re.split(r"^(?=Options:|Reading:|Object stores:)", rest, flags=re.MULTILINE)[1:])
    options = re.findall(r"^  (-\S+)", groups, re.MULTILINE)
    assert sorted(set(options)) == sorted(options)
    assert re.findall(r"^  (?=\S)(?!-).*", groups, re.MULTILINE) == [], "an argument is no option"
    if any(each in usage for each in SPECS) or name == "lsp":
        assert "-I DIR" in rest


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


@pytest.mark.parametrize(
    ("command", "option", "said"),
    [
        ("decode", "foo", f"'foo': there are {', '.join(LIMITS)}\n"),
        ("verify", "colums", f"'colums': there are {', '.join(LIMITS)}\n"),
        ("decode", "max-recrod", "'max_recrod': did you mean 'max_record'?\n"),
    ],
)
def test_unknown_options_name_those_that_the_command_accepts(
    command: str, option: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.tfrecord"
    path.touch()
    with pytest.raises(SystemExit):
        main([command, "tfrecord", str(path), "--option", f"{option}=1"])
    assert f"unknown option of tfrecord {said}" in capsys.readouterr().err


def test_options_of_readers_that_commands_set_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["decode", "tfrecord", "a", "--option", "columns=data"])
    said = capsys.readouterr().err
    assert f"columns cannot be set here: name an option of the format, or {', '.join(LIMITS)}" in said


@pytest.mark.parametrize("command", ["decode", "verify", "inspect", "dump", "extract"])
def test_options_come_before_inputs(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "missing.wal")
    with pytest.raises(SystemExit):
        main([command, "edgemq_segment", path, "--option", "strid=rules"])
    assert "unknown option of edgemq_segment 'strid': did you mean 'stride'?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([command, "edgemq_segment", path])
    assert "missing.wal: no such file or folder" in capsys.readouterr().err
