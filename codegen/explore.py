"""A format from a spec without generated code on disk: the same code, in modules that live in memory."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

from wireloom.errors import SpecError
from wireloom.format import Format

from .emit import load_all, render
from .model.model import Spec

PREFIX = "wireloom._explored_"
"""The packages in memory are named so, with a digest of what is in them."""


def load_format(spec_path: Path) -> Format:
    """The format that a spec describes. Raises ``SpecError``, also where the spec declares no rows."""
    specs = load_all([spec_path])
    name = next(each.name for each in specs if Path(each.file).name == Path(spec_path).name)
    files = render(specs)
    package = importlib.import_module(f"{_installed(files)}.{name}")
    found = getattr(package, "FORMAT", None)
    if not isinstance(found, Format):
        raise SpecError(_without_rows(next(each for each in specs if each.name == name)))
    return replace(found, module=package.__name__)


def _without_rows(spec: Spec) -> str:
    place = spec.root.position
    where = f"{spec.file}:{place.line}:{place.column}" if place is not None else f"{spec.file}:1:1"
    repeated = next((each.id for each in spec.root.attributes if each.repeat is not None), "ATTRIBUTE")
    return (
        f"{where}: error: no rows are declared, so there is no table to read: "
        f"put '-wireloom: {{rows: {repeated}}}' into 'meta', with the repeated attribute whose items are the rows"
    )


def _installed(files: Mapping[str, str]) -> str:
    """Makes the files importable; gives the name of the package that holds them."""
    digest = hashlib.sha256()
    for path, text in sorted(files.items()):
        digest.update(f"{path}\0{text}\0".encode())
    name = f"{PREFIX}{digest.hexdigest()[:16]}"
    if name not in sys.modules:
        sys.meta_path.append(_Finder(name, files))
    return name


class _Finder(MetaPathFinder, InspectLoader):
    """Finds and loads the modules of one package from a mapping of paths to texts."""

    def __init__(self, package: str, files: Mapping[str, str]) -> None:
        self._package = package
        self._files = dict(files)

    def _path(self, name: str) -> str | None:
        if name != self._package and not name.startswith(f"{self._package}."):
            return None
        stem = name[len(self._package) + 1 :].replace(".", "/")
        candidates = (f"{stem}/__init__.py".lstrip("/"), f"{stem}.py")
        return next((path for path in candidates if path in self._files), None)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As importlib asks."""
        return spec_from_loader(fullname, self) if self._path(fullname) else None

    def is_package(self, fullname: str) -> bool:
        """As importlib asks."""
        return (self._path(fullname) or "").endswith("__init__.py")

    def get_source(self, fullname: str) -> str | None:
        """As importlib asks."""
        path = self._path(fullname)
        return self._files[path] if path is not None else None
