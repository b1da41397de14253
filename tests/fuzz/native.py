"""The fuzz targets in C: under ASan and UBSan, coverage-guided if there is a clang with libFuzzer."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..engine.sanitizing import SHARED
from . import libfuzzer
from .targets import REPORT, ROOT, Outcome, Target

ENGINE = ROOT / "runtime" / "engine"
TESTS = ROOT / "tests" / "engine"
FLAGS = ("-std=c11", "-g", "-fno-sanitize-recover=all", f"-I{ENGINE}", f"-I{TESTS}")
ROUNDS = 20_000
"""Number of inputs per start of a target that drives itself."""


@dataclass(frozen=True)
class Toolchain:
    """A compiler with sanitizers. ``guided``: whether it has libFuzzer."""

    compiler: str
    guided: bool

    def run(self, *arguments: str | Path) -> None:
        """Run the compiler, whose messages go to stderr. Raises ``CalledProcessError`` or ``OSError``."""
        subprocess.run([self.compiler, *FLAGS, *map(str, arguments)], check=True)

    def has_sanitizers(self) -> bool:
        """Return whether programs with ASan and UBSan can be built."""
        probe = [self.compiler, "-fsanitize=address,undefined", "-x", "c", "-", "-o", os.devnull]
        try:
            done = subprocess.run(probe, input=b"int main(void) { return 0; }", capture_output=True, check=False)
        except OSError:
            return False
        return done.returncode == 0


def find_clang() -> str | None:
    """Return a clang, even if it is only installed under the name of its version."""
    found = shutil.which("clang")
    if found:
        return found
    folders = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    named = [path for folder in folders for path in folder.glob("clang-*") if re.fullmatch(r"clang-\d+", path.name)]
    return max(map(str, named), key=lambda path: int(path.rpartition("-")[2]), default=None)


@cache
def toolchain() -> Toolchain:
    """Return the best compiler available."""
    clang = find_clang()
    if clang:
        probe = [clang, "-fsanitize=fuzzer,address", "-x", "c", "-", "-o", os.devnull]
        text = b"int LLVMFuzzerTestOneInput(const char *data, long size) { return !data && !size; }"
        if subprocess.run(probe, input=text, capture_output=True, check=False).returncode == 0:
            return Toolchain(clang, True)
    return Toolchain(os.environ.get("CC", "cc"), False)


@cache
def engine_objects(folder: Path, *options: str) -> tuple[Path, ...]:
    """Return the engine and the common parts of its targets, compiled into the folder once per process."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [path for path in sorted(ENGINE.glob("*.c")) if path.name != "_module.c"]
    sources += SHARED
    objects, chosen = tuple(folder / f"{path.stem}.o" for path in sources), toolchain()

    def compile_one(source: Path, object: Path) -> None:
        chosen.run(*options, "-c", source, "-o", object)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(compile_one, sources, objects))
    return objects


def build(
    folder: Path, name: str, optimise: str, sanitizers: str = "address,undefined", options: Sequence[str] = ()
) -> Path:
    """Return the target of that name."""
    chosen, target = toolchain(), folder / name
    guide, driver = ("fuzzer,", ()) if chosen.guided else ("", ("-DWITH_MAIN",))
    without_main = "fuzzer-no-link," if chosen.guided else ""
    objects = engine_objects(folder, optimise, f"-fsanitize={without_main}{sanitizers}", *options)
    source = TESTS / f"{name}.c"
    chosen.run(optimise, f"-fsanitize={guide}{sanitizers}", *options, *driver, source, *objects, "-o", target, "-lm")
    return target


def fuzz(target: Target, seconds: float, report: Path = REPORT, *, optimise: str = "-O1") -> Outcome:
    """Fuzz for that long, not including the time for building. A target that does not compile is an error."""
    outcome = Outcome(target.name, target.kind)
    if not toolchain().has_sanitizers():
        outcome.absent = "no C compiler with ASan and UBSan"
        return outcome
    program = build(report / "build", target.name, optimise)
    if toolchain().guided:
        libfuzzer.run([program], outcome, seconds, report)
    else:
        outcome.absent = "no clang with libFuzzer: random inputs, not coverage-guided"
        drive(program, outcome, seconds)
    return outcome


def drive(program: Path, outcome: Outcome, seconds: float) -> None:
    """Run random inputs from ever new seeds."""
    begin = time.monotonic()
    outcome.executions = 0
    while time.monotonic() - begin < seconds and not outcome.findings:
        seed = random.SystemRandom().getrandbits(48)
        done = subprocess.run([program, str(ROUNDS), str(seed)], stdout=subprocess.DEVNULL, check=False)
        outcome.executions += ROUNDS
        if done.returncode:
            outcome.findings.append(f"{program.name} {ROUNDS} {seed}")
    outcome.seconds = time.monotonic() - begin
