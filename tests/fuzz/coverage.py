"""Which lines of the engine the inputs of the fuzz targets reach, by file: what no input reaches is not fuzzed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from . import native
from .targets import CORPORA, REPORT, Target

INSTRUMENTED = ("-fprofile-instr-generate", "-fcoverage-mapping")


@dataclass(frozen=True)
class Reached:
    """``lines`` that contain code for this machine, ``reached`` ones, and the numbers of the others as ranges."""

    file: str
    lines: int
    reached: int
    missed: str


class AbsentError(Exception):
    """The reason why coverage cannot be measured."""


def tool(name: str) -> str:
    """Return LLVM's tool of the same version as the compiler. Raises ``AbsentError``."""
    compiler = Path(native.toolchain().compiler)
    found = shutil.which(name + compiler.name.removeprefix("clang"))
    if not native.toolchain().guided or found is None:
        raise AbsentError(f"coverage needs clang with libFuzzer and {name}")
    return found


def measure(targets: Sequence[Target], report: Path = REPORT, *, optimise: str = "-O1") -> list[Reached]:
    """Run every seed and every input of the grown corpora once. Raises ``AbsentError``."""
    merge, export = tool("llvm-profdata"), tool("llvm-cov")
    folder = report / "coverage"
    programs = [native.build(folder, each.name, optimise, "address", INSTRUMENTED) for each in targets]
    profiles = [run_once(program, report, folder) for program in programs]
    merged = folder / "all.profdata"
    subprocess.run([merge, "merge", "-sparse", "-o", merged, *profiles], check=True)
    others = [argument for each in programs[1:] for argument in ("-object", each)]
    sources = sorted(native.ENGINE.glob("*.[ch]"))
    command = [export, "export", f"-instr-profile={merged}", programs[0], *others, *sources]
    done = subprocess.run(command, check=True, capture_output=True)
    return [lines_of(each) for each in json.loads(done.stdout)["data"][0]["files"]]


def run_once(program: Path, report: Path, folder: Path) -> Path:
    """Return the profile of all inputs of a program."""
    profile = folder / f"{program.name}.profraw"
    inputs = [path for path in (CORPORA / program.name, report / "corpora" / program.name) if path.is_dir()]
    environment = {**os.environ, "LLVM_PROFILE_FILE": str(profile)}
    subprocess.run([program, "-runs=0", *inputs], check=True, capture_output=True, env=environment)
    return profile


def lines_of(entry: dict[str, Any]) -> Reached:
    """Return the lines from LLVM's segments: each says from where a count applies, up to the next one."""
    counts: dict[int, int] = {}
    segments = [tuple(each) for each in entry["segments"]]
    for (line, _, count, has_count, _, is_gap), following in pairwise(segments):
        if has_count and not is_gap:
            for number in range(line, following[0] + 1):
                counts[number] = max(counts.get(number, 0), count)
    missed = sorted(number for number, count in counts.items() if not count)
    return Reached(Path(entry["filename"]).name, len(counts), len(counts) - len(missed), ranges(missed))


def ranges(numbers: Sequence[int]) -> str:
    """``3-5, 9``"""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
