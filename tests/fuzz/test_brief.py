"""A short run of every fuzz target: it builds, reads its seeds, and finds nothing in them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from . import coverage, libfuzzer, native, report, seeds
from .surfaces import NAMES
from .targets import CORPORA, TARGETS, Outcome, Target

ENGINE = [each for each in TARGETS if each.kind == "engine"]


@pytest.mark.parametrize("name", NAMES)
def test_surfaces_take_their_seeds(name: str) -> None:
    check = importlib.import_module(f"tests.fuzz.surfaces.{name}").check
    check(b"")
    for seed in sorted((CORPORA / name).iterdir()):
        check(seed.read_bytes())


@pytest.fixture(scope="module")
def report_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not native.toolchain().guided:
        pytest.skip("no clang with libFuzzer; tests/engine runs the targets without guidance")
    return tmp_path_factory.mktemp("fuzz")


# One process, so that the engine is compiled only once.
@pytest.mark.xdist_group("fuzz")
@pytest.mark.parametrize("target", ENGINE, ids=lambda target: target.name)
def test_targets_of_the_engine_run(target: Target, report_folder: Path) -> None:
    outcome = native.fuzz(target, 1, report_folder, optimise="-O0")
    assert not outcome.findings
    assert not outcome.absent
    assert outcome.executions
    assert outcome.coverage


def test_the_seeds_are_those_of_the_vectors(tmp_path: Path) -> None:
    total = seeds.write(tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path.relative_to(CORPORA): path.read_bytes() for path in CORPORA.rglob("*") if path.is_file()}
    assert made == kept, "python -m tests.fuzz.seeds writes them anew"
    assert total < 240_000


def test_what_libfuzzer_says_is_read() -> None:
    outcome = Outcome("fuzz_wire", "engine", seconds=2.0)
    libfuzzer.read_output(
        outcome,
        "#2\tINITED cov: 7 ft: 8 corp: 1/1b exec/s: 0 rss: 30Mb\n"
        "#99\tNEW    cov: 12 ft: 20 corp: 5/3Kb lim: 4 exec/s: 0 rss: 30Mb L: 1/1 MS: 1 ChangeBit-\n"
        "stat::number_of_executed_units: 1000\n",
    )
    assert (outcome.executions, outcome.coverage, outcome.features) == (1000, 12, 20)
    assert (outcome.corpus, outcome.corpus_bytes, outcome.per_second) == (5, 3072, 500.0)


STOPS_ONCE = """
import pathlib, sys
prefix = [each.partition("=")[2] for each in sys.argv if each.startswith("-artifact_prefix=")]
again = pathlib.Path({again!r})
if not prefix:
    # An input by itself: slow or not.
    sys.exit({code})
print("stat::number_of_executed_units: 10", file=sys.stderr)
if not again.exists():
    again.touch()
    pathlib.Path(prefix[0] + "timeout-1").touch()
    sys.exit(70)
"""
"""What libFuzzer does if an input takes too long, or seems to."""


@pytest.mark.parametrize("slow", [False, True])
def test_what_is_slow_once_is_no_finding(slow: bool, tmp_path: Path) -> None:
    outcome = Outcome("fuzz_wire", "engine")
    program = STOPS_ONCE.format(again=str(tmp_path / "again"), code=70 * slow)
    libfuzzer.run([sys.executable, "-c", program], outcome, 30, tmp_path / "report")
    kept = [path.name for path in (tmp_path / "report" / "findings").iterdir()]
    if slow:
        assert (outcome.executions, len(outcome.findings)) == (10, 1)
        assert sorted(kept) == ["fuzz_wire-timeout-1", "fuzz_wire.log"]
    else:
        assert (outcome.executions, outcome.findings, kept) == (20, [], [])


@pytest.mark.parametrize(("program", "slow"), [("import time; time.sleep(1.3)", False), ("while True: pass", True)])
def test_waiting_for_a_processor_is_not_slow(program: str, slow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libfuzzer, "SLOW_SECONDS", 1)
    monkeypatch.setattr(libfuzzer, "REPEATS", 1)
    assert libfuzzer.is_slow_again([sys.executable, "-c", program], Path("artifact")) == slow


def test_the_report_names_what_is_absent_and_what_was_found(tmp_path: Path) -> None:
    outcomes = [
        Outcome("specs", "python", absent="atheris is not installed"),
        Outcome("fuzz_wire", "engine", 2.0, 1000, 12, findings=["fuzz-report/findings/fuzz_wire-crash-1"]),
    ]
    text = report.table(outcomes)
    assert "specs: atheris is not installed" in text
    assert "fuzz_wire found: fuzz-report/findings/fuzz_wire-crash-1" in text
    assert "1,000" in text
    assert '"executions_per_second": 500.0' in report.write(outcomes, tmp_path).read_text()


def test_lines_that_no_input_reaches_are_named(tmp_path: Path, report_folder: Path) -> None:
    target = next(each for each in TARGETS if each.name == "fuzz_index")
    try:
        files = {each.file: each for each in coverage.measure([target], tmp_path, optimise="-O0")}
    except coverage.AbsentError as absent:
        pytest.skip(str(absent))
    assert files["index.c"].reached > 0.9 * files["index.c"].lines
    assert files["cobs.c"].reached == 0
    assert files["cobs.c"].lines > 50


def test_what_is_not_reached_is_listed_by_file() -> None:
    files = [coverage.Reached("a.c", 10, 10, ""), coverage.Reached("b.c", 20, 15, "3-6, 9")]
    assert report.reached_table(files).splitlines() == [
        "lines of the engine that inputs reach: 25 of 30 (83.3%); 1 of 2 files are reached as a whole",
        "file  lines  reached  not reached",
        "b.c      20      75%       3-6, 9",
    ]


def test_llvms_segments_say_which_lines_ran() -> None:
    # Line, column, count, has a count, begins a region, is a gap.
    segments = [[3, 1, 5, True, True, False], [4, 9, 0, True, True, False], [6, 2, 5, True, False, False]]
    segments += [[8, 1, 0, False, False, False]]
    found = coverage.lines_of({"filename": "/somewhere/row.c", "segments": segments})
    assert found == coverage.Reached("row.c", 6, 5, "5")
