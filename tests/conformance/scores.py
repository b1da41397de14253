"""The parts of the suite, how each is run, and the file of the scores."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import errors, kst, roundtrips, unittests
from .gallery.checkout import COMPILER, Checkout
from .gallery.reference import compile_reference, missing
from .suite import Suite

FILE = Path(__file__).with_name("scores.json")
REPOSITORY = "https://github.com/kaitai-io/kaitai_struct_tests"

Reasons = Mapping[str, str]
"""The tests of a part by name: why each does not pass, or an empty text."""


def read_specs(suite: Suite) -> Reasons:
    """Run the unit tests of classes that read, ``spec/python/spec``."""
    suite.package_of_readers()
    return unittests.run(suite, "spec")


def write_specs(suite: Suite) -> Reasons:
    """Run the unit tests of classes that write, ``spec/python/specwrite``."""
    suite.package_of_writers()
    return unittests.run(suite, "specwrite")


def mistakes(suite: Suite) -> Reasons:
    """Run the specs with mistakes, ``formats_err``: the severity and place of each reported error."""
    found = [errors.judged(path) for path in errors.specs(suite.folder)]
    return {each.name: f"not said: {each.missing[0]}" if each.missing else "" for each in found}


PARTS: Mapping[str, Callable[[Suite], Reasons]] = {
    "kst": kst.run,
    "python": read_specs,
    "write": write_specs,
    "errors": mistakes,
}
"""The function that runs each part, by the part's name."""

DETAILS: Mapping[str, Callable[[Suite, Reasons], Mapping[str, Any]]] = {
    "write": roundtrips.score,
    "errors": lambda suite, _: {"texts": errors.score(suite.folder)},
}
"""Additional entries of the file about a part."""


@contextmanager
def importable(suite: Suite) -> Iterator[None]:
    """Make the generated packages importable in this context."""
    before, modules = list(sys.path), set(sys.modules)
    sys.path[:0] = suite.python_path
    try:
        yield
    finally:
        sys.path[:] = before
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(suite.python_path):
                del sys.modules[name]


def run_part(name: str, suite: Suite) -> Reasons:
    """Run one part."""
    with importable(suite):
        return PARTS[name](suite)


def built_in() -> Reasons | None:
    """Compile the built-in specs with Kaitai's own compiler; ``None`` where it is not installed."""
    specs = sorted(Path("specs").glob("*.ksy"))
    named = os.environ.get(COMPILER)
    there = Checkout(Path("specs"), Path(named).resolve() if named else None)
    if missing(there):
        return None
    with tempfile.TemporaryDirectory() as folder:
        found = compile_reference(there, Path(folder), specs)
    return {each.stem: found.get(each.stem, "") for each in specs}


def counted(reasons: Reasons) -> dict[str, Any]:
    """Return the entry of the file about a part."""
    failing = {name: reason for name, reason in sorted(reasons.items()) if reason}
    return {"passed": len(reasons) - len(failing), "total": len(reasons), "not_passing": failing}


def standing() -> dict[str, Any]:
    """Return the current content of the file."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write(suite: Suite, commit: Mapping[str, str]) -> dict[str, Any]:
    """Run everything and write the file; ``commit`` is that of the suite, with its date."""
    parts = {}
    for name in PARTS:
        reasons = run_part(name, suite)
        parts[name] = {**counted(reasons), **(DETAILS[name](suite, reasons) if name in DETAILS else {})}
    compiled = built_in()
    kept = standing()["specs"] if compiled is None else counted(compiled)
    scores = {"suite": {"repository": REPOSITORY, **commit}, "parts": parts, "specs": kept}
    FILE.write_text(json.dumps(scores, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return scores
