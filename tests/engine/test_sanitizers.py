"""The engine under ASan and UBSan: the C tests without Python, on every processor variant, and the extension module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from ..examples import PROFILE

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENGINE = ROOT / "runtime" / "engine"
PURE = sorted(path for path in ENGINE.glob("*.c") if path.name != "_module.c")
SHARED = [HERE / "check.c", HERE / "expand.c", HERE / "feed.c", HERE / "message_check.c"]
COMPILER = os.environ.get("CC") or shutil.which("cc")
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-g1", "-Og", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
ADDRESS_SANITIZER = "quarantine_size_mb=16:malloc_context_size=1"
"""Enough for whatever these small inputs free, and several times as fast as fresh memory for each allocation. For the
whole stack of an allocation, run the test with other ``ASAN_OPTIONS``, which come last."""
FUZZ_ROUNDS = {
    "fuzz_fill": "1500",
    "fuzz_rows": "200",
    "fuzz_units": "1000",
    "fuzz_encode": "2000",
    "fuzz_messages": "4000",
    "fuzz_fields": "1500",
    "fuzz_stuffing": "800",
    "fuzz_wire": "4000",
    "fuzz_expression": "10000",
    "fuzz_index": "1500",
    "fuzz_digests": "800",
}


pytestmark = [
    pytest.mark.skipif(COMPILER is None, reason="no C compiler"),
    # One process, so that the engine is compiled only once.
    pytest.mark.xdist_group("sanitizers"),
]


def compile_c(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    assert COMPILER is not None
    return subprocess.run([COMPILER, *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the engine and the common parts of the C tests, compiled once with the sanitizers."""
    folder = tmp_path_factory.mktemp("engine")
    done = compile_c(
        [*WARNINGS, "-Wshadow", *SANITIZERS, f"-I{ENGINE}", f"-I{HERE}", "-c", *map(str, PURE + SHARED)], folder
    )
    if "unrecognized" in done.stderr and "sanitize" in done.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert done.returncode == 0, done.stderr
    return folder


def build_test(objects: Path, name: str, *options: str) -> Path:
    program = objects / name
    parts = [str(path) for path in sorted(objects.glob("*.o"))]
    source = str(HERE / f"{name}.c")
    done = compile_c(
        [*WARNINGS, *SANITIZERS, *options, f"-I{ENGINE}", f"-I{HERE}", source, *parts, "-o", str(program)], objects
    )
    assert done.returncode == 0, done.stderr
    return program


def sanitizer_options(*more: str) -> dict[str, str]:
    """Return the environment's variable with the options of ASan."""
    return {"ASAN_OPTIONS": ":".join([ADDRESS_SANITIZER, *more, os.environ.get("ASAN_OPTIONS", "")])}


def run_test(program: Path, *arguments: str) -> None:
    # The sanitizers' report explains a failure, so it must reach the test's output.
    environment = {**os.environ, **sanitizer_options()}
    done = subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "test_blocks",
        "test_encode",
        "test_frames",
        "test_loops",
        "test_md5",
        "test_parts",
        "test_programs",
        "test_rows",
        "test_messages",
    ],
)
def test_c(objects: Path, name: str) -> None:
    run_test(build_test(objects, name))


@pytest.mark.parametrize("name", FUZZ_ROUNDS)
def test_fuzz_target(objects: Path, name: str) -> None:
    program = build_test(objects, name, "-DWITH_MAIN")
    for seed in ("1", "20240229") if PROFILE == "thorough" else ("1",):
        run_test(program, FUZZ_ROUNDS[name], seed)


def test_only_the_shim_knows_python() -> None:
    for path in ENGINE.glob("*.[ch]"):
        if path.name != "_module.c":
            assert "#include <Python.h>" not in path.read_text()


SHIM_TESTS = ("test_refusals.py", "test_calls.py", "test_slabs.py", "test_md5.py", "test_vectors.py")
READING_TESTS = ("test_records.py",)
"""Tests of reading whose inputs reach the engine by other ways than a file's bytes."""
OTHERWISE = "not (gil or forced or switched or extension or objects)"
"""Tests that start a Python without this engine, depend on the clock, or read without the engine."""


@pytest.fixture
def sanitized_python(objects: Path) -> dict[str, str]:
    """Return an environment in which a Python that is not compiled with the sanitizers can load what is."""
    headers = Path(sysconfig.get_paths()["include"])
    if not (headers / "Python.h").exists():
        pytest.skip(f"Python's headers are missing: {headers}")
    found = [library(name) for name in ("libasan.so", "libstdc++.so.6")]
    if None in found:
        pytest.skip(f"{COMPILER} has no libasan.so and libstdc++.so.6 that could be loaded before Python")
    parts = [str(objects / f"{path.stem}.o") for path in PURE]
    extension = objects / "_engine.so"
    done = compile_c(
        [
            *(*WARNINGS, *SANITIZERS, "-shared", "-DPy_LIMITED_API=0x030B0000", f"-I{headers}"),
            *(str(ENGINE / "_module.c"), *parts, "-o", str(extension)),
        ],
        objects,
    )
    assert done.returncode == 0, done.stderr
    return {
        "LD_PRELOAD": " ".join(map(str, found)),
        "WIRELOOM_TEST_ENGINE": str(extension),
        # What the interpreter never frees is not a leak of the engine; each of its own allocations is separate.
        **sanitizer_options("detect_leaks=0"),
        "PYTHONMALLOC": "malloc",
    }


def library(name: str) -> Path | None:
    """Return a library of the compiler; the compiler returns the name unchanged if it has none."""
    assert COMPILER is not None
    command = [COMPILER, f"-print-file-name={name}"]
    path = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    return path if path.is_absolute() else None


@pytest.mark.skipif(sys.platform != "linux", reason="a sanitizer is loaded before Python by LD_PRELOAD, on Linux")
def test_the_shim(sanitized_python: dict[str, str]) -> None:
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
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-20_000:]
    assert "passed" in done.stdout
