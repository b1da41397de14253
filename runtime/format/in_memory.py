"""Formats loaded directly from a spec file: their generated code exists only in memory, in this process and in those of
Spark."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..base.cached import cached_property
from ..base.dataclass import dataclass, field, fields, replace
from .columns import Column
from .description import Format

if TYPE_CHECKING:
    import pyarrow

PREFIX = "wireloom._in_memory_"
"""The prefix of the names of packages in memory; a digest of their specs is appended."""


@dataclass(frozen=True, repr=False)
class InMemoryFormat(Format):
    """A format whose package exists only in memory. Its pickle contains the generated code."""

    files: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The texts of the modules by path."""

    def __reduce__(self) -> tuple[object, ...]:
        digest, _, _ = self.module.removeprefix(PREFIX).partition(".")
        return (in_memory_format, (self.name, digest, dict(self.files), None, self.table))

    def of_table(self, table: str) -> Format:
        """Implement ``Format.of_table``."""
        found = super().of_table(table)
        return found if found is self else _with_files(found, self.files)

    @property
    def columns_module(self) -> str:
        """Return the module with the schema and the program of this table alone."""
        return f"{self.module}.columns"

    @cached_property
    def _lowered(self) -> tuple[pyarrow.Schema, Any]:
        module = importlib.import_module(self.columns_module)
        return module.SCHEMA, module.PROGRAM


class _Refusal:
    """Why the engine cannot fill a column, or run the rows: known when the program of the table is compiled, which
    takes longer than to load a spec. It is pickled as its value."""

    def __init__(self, module: str, column: str = "") -> None:
        self._module = module
        self._column = column

    def __call__(self) -> str | None:
        module = importlib.import_module(self._module)
        found: str | None = module.COLUMN_REFUSALS.get(self._column, "") if self._column else module.ENGINE_REFUSAL
        return found

    def __reduce__(self) -> tuple[object, ...]:
        found = self()
        return (type(None), ()) if found is None else (str, (found,))


def in_memory_format(
    name: str, digest: str, files: Mapping[str, str], otherwise: Format | None = None, table: str = ""
) -> InMemoryFormat | None:
    """Return the format of a package that exists only in memory.

    Args:
        name: The name of the package, and of the format.
        digest: Identifies the specs: with the same digest, the modules of an earlier call are used.
        files: The texts of the modules by path, each of which is asked for when the module is imported.
        otherwise: What to return with the classes of the package if it describes no table.
        table: Name of the table, if there are several.
    """
    module = f"{_installed(digest, files)}.{name}"
    found = getattr(importlib.import_module(module), "FORMAT", otherwise)
    if not isinstance(found, Format):
        return None
    return _with_files(found.of_table(table) if table else replace(found, module=module), files)


def _with_files(format: Format, files: Mapping[str, str]) -> InMemoryFormat:
    found = InMemoryFormat(**{each.name: getattr(format, each.name) for each in fields(Format)}, files=files)
    if found.is_plain:
        return found
    module = found.columns_module
    unknown: Any = _Refusal(module)
    return replace(found, columns=tuple(_unknown(each, module) for each in found.columns), engine_refusal=unknown)


def _unknown(column: Column, module: str) -> Column:
    """Return a column of which it is not known yet whether the engine can fill it."""
    refusal: Any = _Refusal(module, column.name)
    return replace(column, engine_refusal=refusal)


def _installed(digest: str, files: Mapping[str, str]) -> str:
    """Make the files importable and return the name of the package that contains them."""
    name = f"{PREFIX}{digest}"
    if name not in sys.modules:
        sys.meta_path.append(_Finder(name, files))
    return name


class _Finder:
    """Finds and loads the modules of one package from a mapping of paths to texts. It is not derived from the classes
    for that in ``importlib.abc``, which imports 20 modules."""

    def __init__(self, package: str, files: Mapping[str, str]) -> None:
        self._package = package
        self._files = files

    def _path(self, name: str) -> str | None:
        if name != self._package and not name.startswith(f"{self._package}."):
            return None
        stem = name[len(self._package) + 1 :].replace(".", "/")
        candidates = (f"{stem}/__init__.py".lstrip("/"), f"{stem}.py")
        return next((path for path in candidates if path in self._files), None)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Implement the interface of ``importlib``."""
        loader: Any = self
        return spec_from_loader(fullname, loader) if self._path(fullname) else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Implement the interface of ``importlib``: the module is a plain one."""

    def exec_module(self, module: ModuleType) -> None:
        """Implement the interface of ``importlib``."""
        exec(compile(self.get_source(module.__name__) or "", "<string>", "exec", dont_inherit=True), module.__dict__)

    def is_package(self, fullname: str) -> bool:
        """Implement the interface of ``importlib``."""
        return (self._path(fullname) or "").endswith("__init__.py")

    def get_source(self, fullname: str) -> str | None:
        """Implement the interface of ``importlib``."""
        path = self._path(fullname)
        return self._files[path] if path is not None else None
