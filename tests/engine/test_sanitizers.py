"""The engine under ASan and UBSan: the C tests without Python, on every processor variant, and the extension module."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..examples import PROFILE
from ..waiting import SECONDS
from . import sanitizing

HERE = Path(__file__).parent
ADDRESS_SANITIZER = "quarantine_size_mb=4:malloc_context_size=1"
"""Enough for whatever these small inputs free, and several times as fast as fresh memory for each allocation. For the
whole stack of an allocation, run the test with other ``ASAN_OPTIONS``, which come last."""
FUZZ_ROUNDS = {
    "fuzz_fill": 250,
    "fuzz_rows": 75,
    "fuzz_units": 125,
    "fuzz_encode": 500,
    "fuzz_messages": 625,
    "fuzz_fields": 250,
    "fuzz_stuffing": 150,
    "fuzz_wire": 1000,
    "fuzz_expression": 2500,
    "fuzz_index": 250,
    "fuzz_digests": 125,
    "fuzz_snappy": 1000,
}


@pytest.fixture(scope="session")
def built() -> Path:
    """Return the folder of everything that is compiled with the sanitizers."""
    try:
        return sanitizing.prepared()
    except sanitizing.NoSanitizersError as error:
        pytest.skip(str(error))


def sanitizer_options(*more: str) -> dict[str, str]:
    """Return the environment's variable with the options of ASan."""
    return {"ASAN_OPTIONS": ":".join([ADDRESS_SANITIZER, *more, os.environ.get("ASAN_OPTIONS", "")])}


def run_test(program: Path, *arguments: str) -> None:
    # The sanitizers' report explains a failure, so it must reach the test's output.
    environment = {**os.environ, **sanitizer_options()}
    done = subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr


SHIM_TESTS = (
    "test_refusals.py",
    "test_calls.py",
    "test_arenas.py",
    "test_computing.py",
    "test_md5.py",
    "test_vectors.py",
    "test_snappy.py",
)
READING_TESTS = ("test_records.py",)
"""Tests of reading whose inputs reach the engine by other ways than a file's bytes."""
OTHERWISE = "not (gil or forced or switched or extension or objects) and not (rows_inside_of_records and not 100-7)"
"""Tests that start a Python without this engine, depend on the clock, or read without the engine; and pieces and
batches so small that they only repeat the calls of others."""


@pytest.fixture
def sanitized_python(built: Path) -> dict[str, str]:
    """Return an environment in which a Python that is not compiled with the sanitizers can load what is."""
    extension = built / sanitizing.EXTENSION
    if not extension.exists():
        pytest.skip(f"Python's headers are missing: {sanitizing.HEADERS}")
    found = [library(name) for name in ("libasan.so", "libstdc++.so.6")]
    if None in found:
        pytest.skip(f"{sanitizing.COMPILER} has no libasan.so and libstdc++.so.6 that could be loaded before Python")
    return {
        "LD_PRELOAD": " ".join(map(str, found)),
        "WIRELOOM_TEST_ENGINE": str(extension),
        # What the interpreter never frees is not a leak of the engine; each of its own allocations is separate.
        **sanitizer_options("detect_leaks=0"),
        "PYTHONMALLOC": "malloc",
    }


def library(name: str) -> Path | None:
    """Return a library of the compiler; the compiler returns the name unchanged if it has none."""
    command = [str(sanitizing.COMPILER), f"-print-file-name={name}"]
    path = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    return path if path.is_absolute() else None


@pytest.mark.skipif(sys.platform != "linux", reason="a sanitizer is loaded before Python by LD_PRELOAD, on Linux")
def test_the_shim(sanitized_python: dict[str, str]) -> None:
    """The test that takes longest is the first of these, so that no process waits for it at the end."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-s",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.engine.sanitized",
    ]
    reading = HERE.parent / "unit" / "reading"
    found = [*(HERE / each for each in SHIM_TESTS), *(reading / each for each in READING_TESTS)]
    command += ["-k", OTHERWISE, *map(str, found)]
    environment = {**os.environ, **sanitized_python}
    done = subprocess.run(
        command, cwd=sanitizing.ROOT, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-20_000:]
    assert "passed" in done.stdout


@pytest.mark.parametrize("name", [path.stem for path in sanitizing.TESTS])
def test_c(built: Path, name: str) -> None:
    run_test(built / name)


@pytest.mark.parametrize("name", FUZZ_ROUNDS)
def test_fuzz_target(built: Path, name: str) -> None:
    rounds = FUZZ_ROUNDS[name]
    for seed in (1, 20240229) if PROFILE == "thorough" else (1,):
        run_test(built / name, str(rounds * 8 if PROFILE == "thorough" else rounds), str(seed))


def test_every_target_is_run() -> None:
    assert [path.stem for path in sanitizing.TARGETS] == sorted(FUZZ_ROUNDS)


def test_only_the_shim_knows_python() -> None:
    for path in sanitizing.ENGINE.glob("*.[ch]"):
        if path.name != "_module.c":
            assert "#include <Python.h>" not in path.read_text()
