"""The engine, its C tests, its fuzz targets and its extension module, compiled with ASan and UBSan.

``python -m tests.engine.sanitizing`` compiles them into the environment; ``make setup`` does so at its end. They are
kept under a digest of everything that they are made from, so that the tests compile only what has changed since.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENGINE = ROOT / "runtime" / "engine"
PREPARED = Path(sys.prefix) / "sanitized"
"""The folder of the builds, each of which is a folder named by its digest."""
COMPILER = os.environ.get("CC") or shutil.which("cc")
PURE = sorted(path for path in ENGINE.glob("*.c") if path.name != "_module.c")
SHARED = [HERE / f"{name}.c" for name in ("check", "expand", "feed", "message_check")]
TESTS = sorted(HERE.glob("test_*.c"))
TARGETS = sorted(HERE.glob("fuzz_*.c"))
EXTENSION = "_engine.so"
HEADERS = Path(sysconfig.get_paths()["include"])
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-UNDEBUG", "-g1", "-Og", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
TABLES = "-DWL_TABLE_AFTER=2"
"""Tables of expressions are made in small inputs too."""
FLAGS = [*WARNINGS, *SANITIZERS, TABLES, "-Iruntime/engine", "-Itests/engine"]
"""Those of a compiler that runs in the root of the repository."""
MODULE_FLAGS = ["-shared", "-DPy_LIMITED_API=0x030B0000", f"-I{HEADERS}"]


class NoSanitizersError(Exception):
    """The compiler has no ASan and UBSan."""


def compile_c(*arguments: str | Path) -> None:
    """Run the compiler. Raises ``NoSanitizersError``, or ``AssertionError`` with what the compiler printed."""
    if COMPILER is None:
        raise NoSanitizersError("no C compiler")
    command = [COMPILER, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "unrecognized" in done.stderr and "sanitize" in done.stderr:
        raise NoSanitizersError(f"{COMPILER} has no sanitizers")
    assert done.returncode == 0, done.stderr


def digest() -> str:
    """Return a digest of the sources, the flags, the compiler and Python's headers."""
    state = hashlib.sha256()
    compiler = subprocess.run([COMPILER or "cc", "-v"], capture_output=True, check=False)
    state.update(repr((COMPILER, compiler.stderr, FLAGS, MODULE_FLAGS, sys.hexversion)).encode())
    for path in sorted(path for folder in (ENGINE, HERE) for path in folder.glob("*.[cdh]*")):
        content = path.read_bytes()
        state.update(f"{path.name} {len(content)} ".encode() + content)
    return state.hexdigest()[:32]


def at_once(action: Callable[[Path], None], paths: Iterable[Path]) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(action, paths))


def compile_all(folder: Path) -> None:
    """Compile everything into the folder: objects, programs, and the extension where Python has headers."""
    at_once(
        lambda source: compile_c(*FLAGS, "-Wshadow", "-c", source.relative_to(ROOT), "-o", folder / f"{source.stem}.o"),
        PURE + SHARED,
    )
    engine = [folder / f"{path.stem}.o" for path in PURE]
    common = [folder / f"{path.stem}.o" for path in SHARED]

    def link(source: Path) -> None:
        if source.name == "_module.c":
            compile_c(*FLAGS, *MODULE_FLAGS, source.relative_to(ROOT), *engine, "-o", folder / EXTENSION, "-lm")
        else:
            main = ["-DWITH_MAIN"] if source in TARGETS else []
            compile_c(*FLAGS, *main, source.relative_to(ROOT), *engine, *common, "-o", folder / source.stem, "-lm")

    module = [ENGINE / "_module.c"] if (HEADERS / "Python.h").exists() else []
    at_once(link, [*module, *TESTS, *TARGETS])


def prepared() -> Path:
    """Return the folder of everything compiled. What is not there yet is compiled first; older builds are removed.

    Raises ``NoSanitizersError``, or ``AssertionError`` with what the compiler printed.
    """
    folder = PREPARED / digest()
    PREPARED.mkdir(exist_ok=True)
    with (PREPARED / "lock").open("w") as lock:
        # Processes that need the same build wait for it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            for other in PREPARED.iterdir():
                if other.is_dir():
                    shutil.rmtree(other)
            # Under this name it is never used.
            unfinished = PREPARED / "unfinished"
            unfinished.mkdir()
            compile_all(unfinished)
            unfinished.rename(folder)
    return folder


if __name__ == "__main__":
    try:
        prepared()
    except (NoSanitizersError, AssertionError) as error:
        # The tests tell more.
        print(f"The engine cannot be compiled with ASan and UBSan: {error}")
