"""``python -m tests.fuzz``: for ``FUZZ_SECONDS``, half on the engine in C and half on the property tests in Python.

The engine's fuzz target runs under ASan and UBSan: coverage-guided where clang with libFuzzer is installed, else with
random programs and inputs of ever new seeds. The property tests run again and again with random examples; a failure
prints how to reproduce it. Exit code 1: something was found.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "runtime" / "engine"
TESTS = ROOT / "tests" / "engine"
SANITIZERS = ["-std=c11", "-g", "-O1", "-fno-sanitize-recover=all"]
TARGETS = ("fuzz_fill", "fuzz_messages")
PROPERTIES = [
    "tests/unit/reading/test_feeders.py",
    "tests/unit/reading/test_journal.py",
    "tests/unit/reading/test_codecs.py",
    "tests/unit/frontend/test_hostile.py",
    "tests/unit/writing/test_write.py",
    "tests/unit/objects/test_stuffing.py",
    "tests/unit/columns_backend/test_agreement.py",
    "tests/engine/test_fill.py",
    "tests/unit/messages/test_decoders_agree.py",
]
ROUNDS = 20_000
"""Inputs per start of the plain runner."""


def build(folder: Path, name: str) -> tuple[Path, bool]:
    """The fuzz target of that name, and whether it is coverage-guided."""
    sources = [str(path) for path in sorted(ENGINE.glob("*.c")) if path.name != "_module.c"]
    sources += [str(TESTS / each) for each in ("check.c", "feed.c", "message_check.c", f"{name}.c")]
    target = folder / name
    common = [*SANITIZERS, f"-I{ENGINE}", f"-I{TESTS}", *sources, "-o", str(target)]
    clang = shutil.which("clang")
    if clang:
        done = subprocess.run([clang, "-fsanitize=fuzzer,address,undefined", *common], capture_output=True)
        if done.returncode == 0:
            return target, True
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-fsanitize=address,undefined", "-DWITH_MAIN", *common], check=True)
    return target, False


def fuzz_engine(name: str, seconds: float) -> bool:
    """Whether nothing was found by the target of that name."""
    with tempfile.TemporaryDirectory() as temporary:
        target, guided = build(Path(temporary), name)
        if guided:
            click.echo(f"{name}: libFuzzer for {seconds:.0f} s")
            command = [
                str(target),
                f"-max_total_time={int(seconds)}",
                "-print_final_stats=1",
                f"-artifact_prefix={ROOT}/",
            ]
            return subprocess.run(command).returncode == 0
        click.echo(
            f"{name}: random programs and inputs for {seconds:.0f} s (install clang for coverage-guided fuzzing)"
        )
        end = time.monotonic() + seconds
        starts = 0
        while time.monotonic() < end:
            seed = random.SystemRandom().getrandbits(48)
            if subprocess.run([target, str(ROUNDS), str(seed)], stdout=subprocess.DEVNULL).returncode:
                click.echo(f"{name}: found something; {target.name} {ROUNDS} {seed} shows it")
                return False
            starts += 1
        click.echo(f"{name}: {starts * ROUNDS:,} inputs, nothing found")
        return True


def fuzz_properties(seconds: float) -> bool:
    """Whether nothing was found."""
    environment = {**os.environ, "WIRELOOM_HYPOTHESIS": "fuzz"}
    end = time.monotonic() + seconds
    runs = 0
    while time.monotonic() < end or not runs:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *PROPERTIES]
        if subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL).returncode:
            # Once more with its output: what failed is in the database of examples and comes first.
            subprocess.run(command, cwd=ROOT, env=environment)
            return False
        runs += 1
    click.echo(f"property tests: {runs} runs with new examples, nothing found")
    return True


@click.command()
@click.option("--seconds", default=60.0, show_default=True, envvar="FUZZ_SECONDS", help="How long, in all.")
def fuzz(seconds: float) -> None:
    """Looks for inputs that break something."""
    # Half for the engine, and that for its targets in equal parts.
    if not (all(fuzz_engine(name, seconds / 2 / len(TARGETS)) for name in TARGETS) and fuzz_properties(seconds / 2)):
        sys.exit(1)


if __name__ == "__main__":
    fuzz()
