"""A command never replaces what it reads."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.command import main

SEGMENT = Path(__file__).parents[2] / "vectors" / "edgemq" / "single.wal.zst"
SPEC = Path(__file__).parents[3] / "specs" / "edgemq_segment.ksy"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(SEGMENT, tmp_path / "seg.wal.zst")
    shutil.copy(SPEC, tmp_path / "mine.ksy")
    (tmp_path / "rows.ndjson").write_text('{"fmt":0,"tenant":1,"ts":"2026-01-01T00:00:00Z","payload":"00"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["decode", "edgemq_segment", "seg.wal.zst", "-o", "seg.wal.zst", "--to", "ndjson"],
        ["decode", "edgemq_segment", ".", "-o", "seg.wal.zst", "--to", "ndjson"],
        ["decode", "edgemq_segment", "*.zst", "-o", "./seg.wal.zst", "--to", "ndjson"],
        ["decode", "edgemq_segment", "seg.wal.zst", "-o", "out.ndjson", "--report", "seg.wal.zst"],
        ["decode", "mine.ksy", "seg.wal.zst", "-o", "mine.ksy", "--to", "ndjson"],
        ["encode", "edgemq_segment", "rows.ndjson", "-o", "rows.ndjson"],
        ["extract", "edgemq_segment", "seg.wal.zst", "--report", "seg.wal.zst"],
        ["inspect", "edgemq_segment", "seg.wal.zst", "--html", "seg.wal.zst"],
        ["schema", "-o", "mine.ksy"],
    ],
)
def test_an_output_that_is_an_input(arguments: list[str], folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "name another file" in result.output or "name a .json file" in result.output
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_output_that_was_there_before_is_replaced(folder: Path) -> None:
    (folder / "out.ndjson").write_text("old")
    assert CliRunner().invoke(main, ["decode", "edgemq_segment", "seg.wal.zst", "-o", "out.ndjson"]).exit_code == 0
    assert (folder / "out.ndjson").read_text().startswith('{"fmt":0')
