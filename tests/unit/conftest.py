"""mypy over generated code, as its users would run it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def mypy() -> Callable[..., str]:
    """Return a function that runs ``mypy --strict`` with arguments in a folder and returns what it prints. It shares
    the cache of ``make types``, since checking the runtime takes most of the time."""
    pytest.importorskip("mypy")
    if not (ROOT / ".typings").is_dir():
        pytest.skip("the links for the type checker do not exist: sh .ci/typings")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        ROOT / "pyproject.toml",
        "--cache-dir",
        ROOT / ".mypy_cache",
    ]

    def run(folder: Path, *arguments: str) -> str:
        environment = {"MYPYPATH": f"{ROOT / '.typings'}:{folder}", "PATH": ""}
        done = subprocess.run(
            [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert "source file" in done.stdout, done.stdout + done.stderr
        return done.stdout

    return run
