"""A command never replaces what it reads, and never writes two things to one file."""

import os
import shutil
import subprocess
import sys
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
        ["decode", "edgemq_segment", "seg.wal.zst", "-o", "file:{}/seg.wal.zst", "--to", "ndjson"],
        ["decode", "edgemq_segment", "s3://bucket/a", "-o", "s3a://bucket/a", "--to", "ndjson"],
        ["ingest", "edgemq_segment", "seg.wal.zst", "--table", "t", "--report", "seg.wal.zst"],
        ["ingest", "edgemq_segment", ".", "--table", "t", "--stream", "--checkpoint", "c", "--report", "hard"],
    ],
)
def test_an_output_that_is_an_input(arguments: list[str], folder: Path) -> None:
    os.link("seg.wal.zst", "hard")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = CliRunner().invoke(main, [each.format(folder) for each in arguments])
    assert result.exit_code == 2
    assert "name another file" in result.output or "name a .json file" in result.output
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_output_that_was_there_before_is_replaced(folder: Path) -> None:
    (folder / "out.ndjson").write_text("old")
    assert CliRunner().invoke(main, ["decode", "edgemq_segment", "seg.wal.zst", "-o", "out.ndjson"]).exit_code == 0
    assert (folder / "out.ndjson").read_text().startswith('{"fmt":0')


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize(
    ("output", "report"),
    [
        ("x.ndjson", "x.ndjson"),
        ("x.ndjson", "./x.ndjson"),
        ("x.ndjson", "{}/x.ndjson"),
        ("x.ndjson", "file://{}/x.ndjson"),
        ("soft", "x.ndjson"),
        ("x.ndjson", "soft"),
        ("x.ndjson", "below/x.ndjson"),
        ("s3://bucket/x.ndjson", "s3a://bucket/x.ndjson"),
    ],
)
def test_two_outputs_that_are_one_file(output: str, report: str, old: bool, folder: Path) -> None:
    (folder / "soft").symlink_to("x.ndjson")
    (folder / "below").symlink_to(".")
    if old:
        (folder / "x.ndjson").write_text("old")
    before = sorted(os.listdir(folder))
    arguments = ["-o", output, "--report", report.format(folder), "--to", "ndjson"]
    result = CliRunner().invoke(main, ["decode", "edgemq_segment", "seg.wal.zst", *arguments])
    assert result.exit_code == 2
    assert "would be written twice" in result.output
    assert "name another file for one of the outputs" in result.output
    assert sorted(os.listdir(folder)) == before
    assert not old or (folder / "x.ndjson").read_text() == "old"


def test_two_outputs_that_are_hard_links(folder: Path) -> None:
    (folder / "x.ndjson").write_text("old")
    os.link("x.ndjson", "y.json")
    arguments = ["-o", "x.ndjson", "--report", "y.json"]
    result = CliRunner().invoke(main, ["decode", "edgemq_segment", "seg.wal.zst", *arguments])
    assert result.exit_code == 2
    assert "y.json: would be written twice, also as x.ndjson" in result.output
    assert (folder / "x.ndjson").read_text() == "old"


def test_two_outputs_that_are_discarded(folder: Path) -> None:
    arguments = ["-o", "/dev/null", "--report", "/dev/null", "--to", "ndjson"]
    assert CliRunner().invoke(main, ["decode", "edgemq_segment", "seg.wal.zst", *arguments]).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["decode", "edgemq_segment", "seg.wal.zst", "--report", "out"],
            "out: would be written twice, also as standard",
        ),
        pytest.param(
            ["extract", "edgemq_segment", "seg.wal.zst", "--report", "out"],
            "out: would be written twice, also as standard",
            marks=pytest.mark.thorough,
        ),
        (["decode", "edgemq_segment", "out"], "standard output: is an input and an output"),
        pytest.param(
            ["extract", "edgemq_segment", "."], "standard output: is an input and an output", marks=pytest.mark.thorough
        ),
        pytest.param(
            ["verify", "edgemq_segment", "o*"], "standard output: is an input and an output", marks=pytest.mark.thorough
        ),
        (["inspect", "edgemq_segment", "out"], "standard output: is an input and an output"),
    ],
)
def test_standard_output_that_is_a_file(arguments: list[str], message: str, folder: Path) -> None:
    shutil.copy(SEGMENT, "out")
    content = SEGMENT.read_bytes()
    with (folder / "out").open("ab") as file:
        command = [sys.executable, "-c", "from wireloom.command.entry import main; main()", *arguments]
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, (folder / "out").read_bytes()) == (2, content)
    assert message in done.stderr


@pytest.mark.parametrize("place", ["--table", "--quarantine", "--metrics", "--checkpoint"])
@pytest.mark.parametrize("report", ["there", "there/report.json", "below/there/report.json"])
def test_a_report_in_a_folder_that_is_written(report: str, place: str, folder: Path) -> None:
    (folder / "below").symlink_to(".")
    (folder / "there").mkdir()
    arguments = [*(["--table", "t"] if place != "--table" else []), place, "there", "--report", report]
    stream = ["--stream"] if place == "--checkpoint" else []
    result = CliRunner().invoke(main, ["ingest", "edgemq_segment", "seg.wal.zst", *arguments, *stream])
    assert result.exit_code == 2
    assert "is inside there, which is also an output: name a file outside of it" in result.output
    assert os.listdir("there") == []


def test_the_report_of_an_ingest_on_standard_output(folder: Path) -> None:
    arguments = ["ingest", "edgemq_segment", "seg.wal.zst", "--table", "t", "--report", "-"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "use --json" in result.output
