"""Specs of tests, compiled into modules with Kaitai's API."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wireloom.codegen.backends.python.names import Api, class_name
from wireloom.codegen.kaitai.generate import modules

NUMBERS = itertools.count()


class Compiled:
    """A package of modules; its attributes are the root classes, by the specs' names."""

    def __init__(self, folder: Path, *texts: str, api: Api = Api.KAITAI, import_paths: tuple[Path, ...] = ()) -> None:
        self.package = f"made_with_kaitais_api_{next(NUMBERS)}"
        self.folder = folder / self.package
        specs = []
        for text in texts:
            name = text.split("id: ", 1)[1].split()[0].rstrip(",}")
            specs.append(folder / f"{name}.ksy")
            specs[-1].write_text(text)
        made = modules(specs, import_paths, api, ".")
        self.errors = [str(each) for each in made.errors]
        self.folder.mkdir()
        # Not formatted, which would take most of the time of a test.
        for name, module in {"__init__": "", **made.texts}.items():
            (self.folder / f"{name}.py").write_text(module)

    def module(self, name: str) -> Any:
        with importable(self.folder.parent):
            return importlib.import_module(f"{self.package}.{name}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module(name), class_name(name))


@contextmanager
def importable(*folders: Path) -> Iterator[None]:
    """Make the content of the folders importable in this context."""
    before = list(sys.path)
    sys.path[:0] = [str(each) for each in folders]
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before
