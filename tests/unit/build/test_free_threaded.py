"""A free-threaded Python is told so in one sentence; the object parser can be had for it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

# What such a Python says of itself.
PROGRAM = """
import runpy, sys, sysconfig
sysconfig.get_config_vars()["Py_GIL_DISABLED"] = 1
sys.argv = ["setup.py", "--quiet", "build_ext", "--build-lib", sys.argv[1], "--build-temp", sys.argv[1]]
runpy.run_path("setup.py", run_name="__main__")
"""


def build(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_the_engine_is_not_built(tmp_path: Path) -> None:
    done = build(tmp_path)
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == (
        "wireloom: the engine is not built for a free-threaded Python: use an ordinary one, or set"
        " WIRELOOM_WITHOUT_ENGINE=1 for the object parser alone"
    )
    assert list(tmp_path.rglob("*.so")) == []


def test_the_object_parser_alone(tmp_path: Path) -> None:
    done = build(tmp_path, WIRELOOM_WITHOUT_ENGINE="1")
    assert done.returncode == 0, done.stderr
