"""Every command accepts a spec file in place of a format's name. (``ingest``: tests/spark/live/test_explored.py.)"""

import pickle
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main

SPEC = """
meta: {id: notes, endian: le, -wireloom: {rows: notes}}
seq: [{id: notes, type: note, repeat: eos}]
types: {note: {seq: [{id: len, type: u1}, {id: text, size: len}]}}
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("notes.ksy").write_text(SPEC)
    Path("notes.bin").write_bytes(b"\2hi\3you")
    return "notes.ksy"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("decode", "notes.bin", "--bytes", "utf8"), '{"len":2,"text":"hi"}\n{"len":3,"text":"you"}\n'),
        (("extract", "notes.bin"), "hi\nyou\n"),
        (("verify", "notes.bin"), "notes.bin: clean; 2 rows, 7 bytes\n"),
    ],
)
def test_reading(arguments: tuple[str, ...], said: str, spec: str) -> None:
    result = CliRunner().invoke(main, [arguments[0], spec, *arguments[1:]])
    assert result.exit_code == 0, result.output
    assert result.stdout == said


def test_encoding(spec: str) -> None:
    Path("rows.ndjson").write_text('{"text":"hi"}\n{"text":"you"}\n')
    result = CliRunner().invoke(main, ["encode", spec, "rows.ndjson", "--bytes", "utf8", "-o", "again.bin"])
    assert result.exit_code == 0, result.output
    assert Path("again.bin").read_bytes() == Path("notes.bin").read_bytes()


def test_such_a_format_takes_its_code_along(spec: str) -> None:
    found = wireloom.load_spec(spec)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.row_class is found.row_class
    assert wireloom.read(again, b"\2hi")["text"].to_pylist() == [b"hi"]
