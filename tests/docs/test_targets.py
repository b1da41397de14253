"""Targets of the Makefile in a fresh clone: each with what it sets up by itself, and with nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 3600

FRESH = {
    "docs": ("docs",),
    "demo": ("demo",),
    "test": (
        "generate",
        "check",
        "lint",
        "types",
        "wheel",
        "studio-test",
        "cookbook-test",
        "fuzz",
        "campaign",
        "test-lowest",
    ),
}
"""The targets that run in one clone each, by the group of packages that they set up."""
BOUNDS = ("FUZZ_SECONDS=1", "DAMAGES=1")
ELSEWHERE = {
    "help": "prints text",
    "setup": "is what every target of the group test runs first",
    "clean": "needs nothing",
    **dict.fromkeys(
        ("test", "tests", "quick", "test-objects", "thorough", "kills", "cluster"), "runs the tests themselves"
    ),
    "checks": "is those of the group test, and test-objects",
    **dict.fromkeys(("bench", "same"), "takes minutes"),
    "test-free-threaded": "needs another Python",
    "lock": "changes with the index of packages",
    **dict.fromkeys(("conformance", "gallery"), "needs a checkout of Kaitai's"),
}
"""The targets that do not, each with the reason."""


def test_every_target_is_listed() -> None:
    lines = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    listed = [*(each for targets in FRESH.values() for each in targets), *ELSEWHERE]
    assert sorted({name for line in lines for name in line.split()}) == sorted(listed)


@pytest.mark.thorough
@pytest.mark.parametrize("group", FRESH)
def test_a_fresh_clone(group: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    hidden = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHON", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    for target in FRESH[group]:
        command = ["make", target, *BOUNDS]
        done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, f"{target}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    assert changed.stdout == ""
