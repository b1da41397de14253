"""``check`` and ``generate``."""

import shutil
from pathlib import Path

import pytest
import wireloom
from wireloom.format.registry import get

from ..commands import run

ROOT = Path(__file__).parents[3]
SPECS = sorted((ROOT / "specs").glob("*.ksy"))
OTHERS = {"avro_blocks": ["metadata"], "pcapng": ["journal"]}
"""Tables that the engine does not read: of few rows, such as those of a header, or of values that are computed text."""


def test_the_engine_reads_every_format_in_the_box() -> None:
    for name in wireloom.formats():
        format = get(name)
        tables = [format.of_table(each) for each in format.tables] or [format]
        assert [each.table for each in tables if each.engine_refusal] == OTHERS.get(name, []), name


def test_diagnostics_have_a_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.ksy"
    path.write_text("meta:\n  id: bad\nseq:\n  - id: a\n    type: u4le\n  - id: b\n    sise: a\n")
    line, *more = run("check", str(path), code=1).stdout.splitlines()
    assert all(each.startswith("  ") for each in more)
    place, _, text = line.partition(": error: ")
    assert place.endswith("bad.ksy:7:5")
    assert "size" in text


def test_why_the_engine_does_not_read_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "table.ksy"
    path.write_text(
        "meta: {id: table, endian: be, -wireloom: {rows: rows, columns: [size, values]}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        "types:\n  row:\n    seq:\n      - {id: size, type: u1}\n"
        "      - {id: values, type: str, encoding: Shift_JIS, size: size}\n"
    )
    assert (
        "table: the object parser reads its rows: the engine does not support the encoding Shift_JIS"
        in run("check", str(path)).stdout
    )


def test_what_a_format_cannot_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.ksy"
    path.write_text(
        "meta: {id: table, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: a, type: str, size: 2, encoding: none_such}]}}\n"
    )
    assert "error: Python does not support the encoding 'none_such'" in run("check", str(path), code=1).stdout


def test_a_spec_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "plain.ksy"
    path.write_text("meta: {id: plain, endian: be}\nseq: [{id: a, type: u4}]\n")
    assert "plain: no rows are declared ('-wireloom: {rows: …}' in 'meta')" in run("check", str(path)).stdout


def test_a_spec_of_instances_alone(tmp_path: Path) -> None:
    path = tmp_path / "plain.ksy"
    path.write_text("meta: {id: plain}\ninstances: {a: {value: 1}}\n")
    assert run("check", str(path)).stdout.endswith("not as a table\n")


def test_a_spec_that_is_not_there(tmp_path: Path) -> None:
    for command in ("check", "generate"):
        assert "no.ksy" in run(command, str(tmp_path / "no.ksy"), code=2).stderr


@pytest.mark.slow
def test_generate_and_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two specs; ``make check`` compares what is generated from all of them."""
    monkeypatch.chdir(tmp_path)
    assert "no specs here" in run("generate", code=2).stderr
    (tmp_path / "specs").mkdir()
    names = ("cobs_log", "edgemq_segment")
    for name in names:
        shutil.copy(ROOT / "specs" / f"{name}.ksy", "specs")
    assert "wrote generated/cobs_log/parser.py" in run("generate").stdout.splitlines()
    assert "nothing to do" in run("generate").stdout
    assert run("generate", "--check").stdout == ""
    for name in names:
        theirs = ROOT / "generated" / name / "parser.py"
        assert Path("generated", name, "parser.py").read_text() == theirs.read_text()
    changed = Path("generated/cobs_log/parser.py")
    changed.write_text(changed.read_text() + "# by hand\n")
    result = run("generate", "--check", code=1)
    assert "-# by hand" in result.stdout
    assert "run 'wireloom generate'" in result.stderr
    Path("specs/cobs_log.ksy").unlink()
    assert "cobs_log" in run("generate", "--check", code=1).output
    assert "removed generated/cobs_log/parser.py" in run("generate").stdout.splitlines()


@pytest.mark.slow
def test_generate_elsewhere(tmp_path: Path) -> None:
    run("generate", "-o", str(tmp_path / "out"), *map(str, SPECS[:1]))
    assert (tmp_path / "out" / SPECS[0].stem / "parser.py").exists()
    assert not (tmp_path / "out" / SPECS[1].stem).exists()


@pytest.mark.slow
def test_generate_with_folders_of_absolute_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, text in (
        ("specs", "meta: {id: log, endian: le, imports: [/part]}\nseq: [{id: a, type: part}]\n"),
        ("shared", "meta: {id: part}\nseq: [{id: x, type: u1}]\n"),
    ):
        Path(folder).mkdir()
        (Path(folder) / ("log.ksy" if folder == "specs" else "part.ksy")).write_text(text)
    assert "cannot find the import" in run("generate", code=2).stderr
    assert "wrote generated/part/parser.py" in run("generate", "-I", "shared").stdout.splitlines()
    run("generate", "-I", "shared", "--check")
