"""A free-threaded Python gets a separate engine, or only the object parser; ``make test-free-threaded`` runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

# The properties of such a Python. Nothing is compiled, since the headers here are not those of such a Python.
PROGRAM = """
import runpy, sys, sysconfig
from setuptools import Extension
from setuptools.command.build_ext import build_ext

if sys.argv[1] == "free":
    sysconfig.get_config_vars()["Py_GIL_DISABLED"] = 1

def show(self, extension):
    print(extension.name, dict(extension.define_macros).get("Py_LIMITED_API"), extension.py_limited_api)

build_ext.build_extension = show
sys.argv = ["setup.py", "--quiet", "build_ext", "--build-lib", sys.argv[2], "--build-temp", sys.argv[2]]
made = runpy.run_path("setup.py", run_name="__main__")
print(made["FREE_THREADED"])
"""


def build(kind: str, folder: Path, **environment: str) -> list[str]:
    """Return what would be built, and whether for a free-threaded Python."""
    command = [sys.executable, "-c", PROGRAM, kind, str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("kind", "built"),
    [
        ("free", ["wireloom.engine._engine None False", "True"]),
        ("ordinary", ["wireloom.engine._engine 0x030B0000 True", "False"]),
    ],
)
def test_what_is_built(kind: str, built: list[str], tmp_path: Path) -> None:
    assert build(kind, tmp_path) == built


@pytest.mark.parametrize("kind", ["free", "ordinary"])
def test_the_object_parser_alone(kind: str, tmp_path: Path) -> None:
    assert build(kind, tmp_path, WIRELOOM_WITHOUT_ENGINE="1") == [str(kind == "free")]


def test_an_ordinary_python_is_refused_where_a_free_threaded_one_is_meant() -> None:
    done = subprocess.run(
        ["sh", str(ROOT / ".ci" / "free-threaded")],
        cwd=ROOT,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "is no free-threaded Python; name one: make test-free-threaded FREE_THREADED=" in done.stderr
