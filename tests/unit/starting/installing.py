"""Installs a package into a folder, without a network, and runs programs that see it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from ...waiting import SECONDS

WIRELOOM = (sys.executable, "-c", "from wireloom.command import main; main()")


def install(package: Path, target: Path) -> None:
    # Building leaves folders behind, so a copy is built.
    copy = target.parent / f"{target.name}-build"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    command = (sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(copy))
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(*command: str, folder: Path, target: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, with access to what is installed in ``target``."""
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join(str(each) for each in (target, before) if each)
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=SECONDS
    )
