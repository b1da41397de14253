"""The fuzz targets in C: under ASan and UBSan, coverage-guided where there is a clang with libFuzzer."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from . import libfuzzer
from .targets import REPORT, ROOT, Outcome, Target

ENGINE = ROOT / "runtime" / "engine"
TESTS = ROOT / "tests" / "engine"
SHARED = ("check.c", "feed.c", "message_check.c")
FLAGS = ("-std=c11", "-g", "-O1", "-fno-sanitize-recover=all")
ROUNDS = 20_000
"""Inputs per start of a target that drives itself."""


def find_clang() -> str | None:
    """A clang, also one that is only installed under the name of its version."""
    found = shutil.which("clang")
    if found:
        return found
    folders = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    named = [path for folder in folders for path in folder.glob("clang-*") if re.fullmatch(r"clang-\d+", path.name)]
    return max(map(str, named), key=lambda path: int(path.rpartition("-")[2]), default=None)


def build(folder: Path, name: str) -> tuple[Path, bool]:
    """The target of that name, and whether it is coverage-guided."""
    sources = [str(path) for path in sorted(ENGINE.glob("*.c")) if path.name != "_module.c"]
    sources += [str(TESTS / each) for each in (*SHARED, f"{name}.c")]
    target = folder / name
    common = [*FLAGS, f"-I{ENGINE}", f"-I{TESTS}", *sources, "-o", str(target)]
    clang = find_clang()
    if clang:
        done = subprocess.run([clang, "-fsanitize=fuzzer,address,undefined", *common], capture_output=True, check=False)
        if done.returncode == 0:
            return target, True
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-fsanitize=address,undefined", "-DWITH_MAIN", *common], check=True, capture_output=True)
    return target, False


def fuzz(target: Target, seconds: float, report: Path = REPORT) -> Outcome:
    """Fuzzes for that long. The time that building takes is not counted."""
    outcome = Outcome(target.name, target.kind)
    with tempfile.TemporaryDirectory() as temporary:
        try:
            program, guided = build(Path(temporary), target.name)
        except (OSError, subprocess.CalledProcessError) as error:
            outcome.absent = f"no C compiler with ASan and UBSan ({error})"
            return outcome
        if guided:
            libfuzzer.run([program], outcome, seconds, report)
        else:
            outcome.absent = "no clang with libFuzzer: random inputs, not coverage-guided"
            drive(program, outcome, seconds)
    return outcome


def drive(program: Path, outcome: Outcome, seconds: float) -> None:
    """Random inputs from ever new seeds."""
    begin = time.monotonic()
    outcome.executions = 0
    while time.monotonic() - begin < seconds and not outcome.findings:
        seed = random.SystemRandom().getrandbits(48)
        done = subprocess.run([program, str(ROUNDS), str(seed)], stdout=subprocess.DEVNULL, check=False)
        outcome.executions += ROUNDS
        if done.returncode:
            outcome.findings.append(f"{program.name} {ROUNDS} {seed}")
    outcome.seconds = time.monotonic() - begin
