"""The messages of ``make setup`` on a machine where something is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOOLS = ("sh", "dirname", "sed", "head", "printf", "uname")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder that is the only one on the path, with a compiler, Java and what every machine has."""
    for name in TOOLS:
        found = shutil.which(name)
        if found:
            (tmp_path / name).symlink_to(found)
    program(tmp_path, "cc", "exit 0")
    program(tmp_path, "java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2")
    return tmp_path


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def said(machine: Path, python: str) -> str:
    environment = {"PATH": str(machine), "PYTHON": python, "VENV": str(machine / "venv"), "GROUP": "test"}
    done = subprocess.run(
        [str(machine / "sh"), str(ROOT / ".ci" / "setup")], env=environment, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("wireloom: ")
    assert done.stderr.count("\n") == 1
    assert not (machine / "venv").exists()
    return done.stderr


def test_no_python(machine: Path) -> None:
    assert "Install Python 3.11 or newer" in said(machine, "python-that-is-not-there")


def test_an_old_python(machine: Path) -> None:
    program(machine, "python3", 'case "$1" in --version) echo "Python 3.9.2";; *) exit 1;; esac')
    text = said(machine, "python3")
    assert "is Python 3.9.2" in text
    assert "needs Python 3.11" in text


def test_no_compiler(machine: Path) -> None:
    (machine / "cc").unlink()
    assert "no C compiler found as 'cc'" in said(machine, os.path.realpath(sys.executable))


def test_no_java(machine: Path) -> None:
    (machine / "java").unlink()
    assert "Install Java 17 or newer" in said(machine, os.path.realpath(sys.executable))


def test_an_old_java(machine: Path) -> None:
    program(machine, "java", "echo 'java version \"1.8.0_402\"' >&2")
    assert "Spark needs 17" in said(machine, os.path.realpath(sys.executable))
