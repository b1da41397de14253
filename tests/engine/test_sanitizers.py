"""The C tests: the engine without Python, under ASan and UBSan, on every processor variant."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ENGINE = HERE.parents[1] / "runtime" / "engine"
PURE = sorted(path for path in ENGINE.glob("*.c") if path.name != "_module.c")
SHARED = [HERE / "check.c", HERE / "feed.c", HERE / "message_check.c"]
COMPILER = os.environ.get("CC") or shutil.which("cc")
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FUZZ_ROUNDS = {
    "fuzz_fill": "4000",
    "fuzz_encode": "2000",
    "fuzz_messages": "4000",
    "fuzz_stuffing": "800",
    "fuzz_wire": "4000",
    "fuzz_digests": "800",
}


pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


def compile_c(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    assert COMPILER is not None
    return subprocess.run([COMPILER, *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the engine and what the C tests share, compiled once with the sanitizers."""
    folder = tmp_path_factory.mktemp("engine")
    done = compile_c([*WARNINGS, *SANITIZERS, f"-I{ENGINE}", f"-I{HERE}", "-c", *map(str, PURE + SHARED)], folder)
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


def run_test(program: Path, *arguments: str) -> None:
    # The sanitizers' own report is what a failure is about, so it must reach the test's output.
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name", ["test_encode", "test_md5", "test_parts", "test_programs", "test_rows", "test_messages"]
)
def test_c(objects: Path, name: str) -> None:
    run_test(build_test(objects, name))


@pytest.mark.parametrize("name", FUZZ_ROUNDS)
def test_fuzz_target(objects: Path, name: str) -> None:
    program = build_test(objects, name, "-DWITH_MAIN")
    for seed in ("1", "20240229"):
        run_test(program, FUZZ_ROUNDS[name], seed)


def test_compiles_without_python(tmp_path: Path) -> None:
    """All but the shim compile without Python's headers, and no other file names them."""
    done = compile_c([*WARNINGS, "-O3", "-Wshadow", "-c", *map(str, PURE)], tmp_path)
    assert done.returncode == 0, done.stderr
    for path in ENGINE.glob("*.[ch]"):
        if path.name != "_module.c":
            assert "#include <Python.h>" not in path.read_text()
