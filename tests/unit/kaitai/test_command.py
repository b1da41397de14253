"""``wireloom generate --kaitai``."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.command import main

from ..commands import run as command

PART = "meta: {id: part}\nseq: [{id: v, type: u1}]\n"
WHOLE = (
    "meta: {id: whole, imports: [part]}\nseq: [{id: a, type: part}, {id: e, type: u1, enum: e}]\nenums: {e: {1: x}}\n"
)


run = partial(command, "generate")


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "part.ksy").write_text(PART)
    (folder / "whole.ksy").write_text(WHOLE)
    return folder


@pytest.mark.slow
def test_a_spec_and_what_it_imports_become_modules(specs: Path, tmp_path: Path) -> None:
    output = tmp_path / "made"
    output.mkdir()
    (output / "mine.py").write_text("kept = True\n")
    said = run("--kaitai", "-o", output, specs / "whole.ksy").output
    assert sorted(each.name for each in output.iterdir()) == ["mine.py", "part.py", "whole.py"]
    assert said.count("wrote ") == 2
    assert "nothing to do: 2 files" in run("--kaitai", "-o", output, specs / "whole.ksy").output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "package", "statement"),
    [
        ((), "", "from whole import Whole"),
        ((), "made", "from made.whole import Whole"),
        (("--package", "made"), "made", "from made.whole import Whole"),
        (("--package", "."), "made", "from made.whole import Whole"),
    ],
)
def test_modules_find_each_other(
    specs: Path, tmp_path: Path, options: tuple[str, ...], package: str, statement: str
) -> None:
    output = tmp_path / "made"
    run("--kaitai", *options, "-o", output, specs / "whole.ksy")
    if package:
        (output / "__init__.py").touch()
    code = f"{statement}\nprint(Whole.from_bytes(bytes((7, 1))).a.v)"
    folder = tmp_path if package else output
    done = subprocess.run((sys.executable, "-c", code), cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "7\n"


@pytest.mark.slow
def test_check_compares_and_writes_nothing(specs: Path, tmp_path: Path) -> None:
    output = tmp_path / "made"
    run("--kaitai", "-o", output, specs / "part.ksy")
    run("--kaitai", "--check", "-o", output, specs / "part.ksy")
    (specs / "part.ksy").write_text(PART.replace("type: u1", "type: u1, doc: A number."))
    before = (output / "part.py").read_text()
    said = run("--kaitai", "--check", "-o", output, specs / "part.ksy", code=1).output
    assert '+    """A number."""' in said
    assert (output / "part.py").read_text() == before


def test_a_spec_that_is_refused_leaves_the_others_alone(specs: Path, tmp_path: Path) -> None:
    (specs / "bad.ksy").write_text("meta: {id: bad}\nseq: [{id: a, type: u7}]\n")
    output = tmp_path / "made"
    result = run("--kaitai", "-o", output, specs / "bad.ksy", specs / "nowhere.ksy", specs / "part.ksy", code=2)
    assert "bad.ksy:2:21: error: " in result.stderr
    assert "nowhere.ksy: no such spec file: check the path" in result.stderr
    assert [each.name for each in output.iterdir()] == ["part.py"]


def test_what_others_wrote_is_not_overwritten(specs: Path, tmp_path: Path) -> None:
    output = tmp_path / "made"
    output.mkdir()
    (output / "part.py").write_text("mine = 1\n")
    result = CliRunner().invoke(main, ["generate", "--kaitai", "-o", str(output), str(specs / "part.ksy")])
    assert result.exit_code
    assert (output / "part.py").read_text() == "mine = 1\n"


def test_what_kaitais_compiler_made_is_replaced(specs: Path, tmp_path: Path) -> None:
    output = tmp_path / "made"
    output.mkdir()
    (output / "part.py").write_text("# This is a generated file! Please edit source .ksy file\n")
    run("--kaitai", "-o", output, specs / "part.ksy")
    assert "class Part(" in (output / "part.py").read_text()


def test_two_specs_of_one_name(specs: Path, tmp_path: Path) -> None:
    (specs / "other.ksy").write_text(PART + "doc: Another.\n")
    result = run("--kaitai", "-o", tmp_path / "made", specs / "part.ksy", specs / "other.ksy", code=2)
    assert "the id 'part' is already used by" in result.stderr


def test_json(specs: Path, tmp_path: Path) -> None:
    said = json.loads(run("--kaitai", "--json", "-o", tmp_path / "made", specs / "part.ksy").stdout)
    assert [Path(each).name for each in said["written"]] == ["part.py"]
    assert said["removed"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--kaitai",),
        ("--kaitai", "-o", "made"),
        ("--kaitai", "-o", "made", "--package", "a-b", "x.ksy"),
        ("--read-write",),
    ],
)
def test_options_that_do_not_go_together(arguments: tuple[str, ...]) -> None:
    assert CliRunner().invoke(main, ["generate", *arguments]).exit_code == 2


def test_messages_have_no_kaitai_api(tmp_path: Path) -> None:
    spec = Path(__file__).parents[3] / "specs/kpl_aggregated_record.ksy"
    assert (
        "is a protobuf message, which Kaitai's API does not support"
        in run("--kaitai", "-o", tmp_path / "made", spec, code=2).stderr
    )
