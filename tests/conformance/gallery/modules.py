"""The gallery's modules: generated with Kaitai's API, imported, linted, type-checked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wireloom import WireloomError
from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.kaitai.generate import generate

from tests.conformance.gallery.checkout import Checkout

PROJECT = Path(__file__).parents[3]

PACKAGE = "ours"
"""The package of the modules; those of Kaitai's compiler have the same names outside it."""

IGNORED = {
    "D101": "what the spec does not describe has no docstring",
    "D102": "what the spec does not describe has no docstring",
    "E501": "a name of the spec with all that it lies in may be longer than a line",
    "E741": "a member is called `l` because the spec calls it so",
    "SIM222": "a constant after what has to be evaluated is how specs force an instance to be read",
    "SIM223": "a constant after what has to be evaluated is how specs force an instance to be read",
}
"""Rules of this project that do not apply to code generated from others' specs, and why."""

IMPORT_ALL = """
import importlib, json, sys
failed = {}
for name in json.load(sys.stdin):
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = f"{type(error).__name__}: {error}"
json.dump(failed, sys.stdout)
"""


@dataclass(frozen=True)
class Findings:
    """The findings about modules, as text by name; a module without findings has no entry."""

    compiled: dict[str, str]
    imported: dict[str, str]
    ruff: dict[str, str]
    mypy: dict[str, str]


def compile_all(gallery: Checkout, folder: Path, specs: Iterable[Path], api: Api = Api.KAITAI) -> dict[str, str]:
    """Generate a module of each spec in the package ``PACKAGE`` below ``folder``; return the errors by spec."""
    failed: dict[str, str] = {}
    target = folder / PACKAGE
    target.mkdir(exist_ok=True)
    (target / "__init__.py").touch()
    given = list(specs)
    _generate(gallery, target, given, api)
    for spec in given:
        if not (target / f"{spec.stem}.py").is_file():
            failed[spec.stem] = "\n".join(map(str, _generate(gallery, target, [spec], api)))
    return failed


def _generate(gallery: Checkout, target: Path, specs: list[Path], api: Api) -> tuple[WireloomError, ...]:
    return generate(specs, target, api=api, package=".", import_paths=(gallery.root,)).errors


def module_names(folder: Path) -> list[str]:
    """Return the modules of the package, in order."""
    return sorted(path.stem for path in (folder / PACKAGE).glob("*.py") if path.stem != "__init__")


def import_all(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Import modules in ``folder``; return the errors by module."""
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        input=json.dumps(list(names)),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    found: dict[str, str] = json.loads(run.stdout)
    return found


def ruff_all(folder: Path) -> dict[str, str]:
    """Check the package with the project's rules except the ``IGNORED`` ones; return the findings by module."""
    options = ["--config", str(PROJECT / "pyproject.toml"), "--no-cache", "--extend-ignore", ",".join(IGNORED)]
    command = [sys.executable, "-m", "ruff", "check", *options, "--output-format", "concise", PACKAGE]
    return _by_module(subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout)


def mypy_all(folder: Path) -> dict[str, str]:
    """Run ``mypy --strict`` on the whole package at once; return the errors by module."""
    options = ["--strict", "--config-file", str(PROJECT / "pyproject.toml"), "--cache-dir", str(folder / ".mypy_cache")]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "-p", PACKAGE],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(PROJECT / ".typings")},
    )
    if not re.search(r"^(?:Found \d+ error|Success)", run.stdout, re.MULTILINE):
        raise RuntimeError(f"mypy did not run: {run.stdout}{run.stderr}")
    return _by_module(run.stdout)


def _by_module(output: str) -> dict[str, str]:
    """Return the lines that begin with the path of a module, by module."""
    found: dict[str, list[str]] = {}
    for line in output.splitlines():
        if place := re.match(rf"{PACKAGE}/(\w+)\.py:", line):
            found.setdefault(place[1], []).append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def inspect(gallery: Checkout, folder: Path, api: Api) -> Findings:
    """Run all checks on all specs."""
    folder.mkdir(exist_ok=True)
    failed = compile_all(gallery, folder, gallery.specs, api)
    names = module_names(folder)
    broken = import_all(folder, (f"{PACKAGE}.{name}" for name in names))
    imported = {name.removeprefix(f"{PACKAGE}."): text for name, text in broken.items()}
    return Findings(failed, imported, ruff_all(folder), mypy_all(folder))
