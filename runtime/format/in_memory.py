"""Formats loaded directly from a spec file: their generated code exists only in memory, in this process and in those of
Spark."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
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
    cache: Any = field(default=None, repr=False, compare=False)
    """The ``SpecCache`` in which its table is kept, if there is one."""
    entry: Any = field(default=None, repr=False, compare=False)
    """The ``spec_cache.CachedTable`` that it was read from, if it was not compiled: it has no texts of modules."""

    @property
    def compiled(self) -> InMemoryFormat:
        """Return the same format, compiled. Raises ``WireloomError``, see ``spec_cache.CachedTable``."""
        found: InMemoryFormat = self if self.entry is None else self.entry.compiled
        return found

    @property
    def package(self) -> str:
        """Return the package of the spec, whose modules can be imported then."""
        return super(InMemoryFormat, self.compiled).package

    def class_of(self, name: str) -> type[Any]:
        """Implement ``Format.class_of``: classes are those of the spec, which is compiled first."""
        return super(InMemoryFormat, self.compiled).class_of(name)

    def __reduce__(self) -> tuple[object, ...]:
        if self.base is not None:
            return super().__reduce__()
        digest, _, _ = self.module.removeprefix(PREFIX).partition(".")
        return (in_memory_format, (self.name, digest, dict(self.compiled.files), None, self.table))

    def of_table(self, table: str) -> Format:
        """Implement ``Format.of_table``."""
        if self.entry is not None and self.base is None and table in self.tables and table != self.table:
            kept = (self.cache.read(table), self.cache.read())
            return next((each for each in kept if each and each.table == table), None) or self.compiled.of_table(table)
        found = super().of_table(table)
        return found if isinstance(found, InMemoryFormat) else _with_files(found, self.files, self.cache)

    @property
    def columns_module(self) -> str:
        """Return the module with the schema and the program of this table alone."""
        return f"{self.module}.columns"

    @cached_property
    def _lowered(self) -> tuple[pyarrow.Schema, Any]:
        if self.base is not None:
            return self.base._lowered
        if self.entry is not None:
            return self.entry.lowered([each.name for each in self.columns]) or self.compiled._lowered
        module = importlib.import_module(self.columns_module)
        if self.cache is not None:
            self.cache.write(self, module.SCHEMA, module.PROGRAM)
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


def package_digest(files: Iterable[tuple[str, str]]) -> str:
    """Return the digest that identifies specs. ``files``: the name and the SHA-256 of each file, in any order."""
    return sha256(
        "".join(f"{name}\0{digest}\0" for name, digest in sorted(files)).encode(errors="surrogatepass")
    ).hexdigest()[:16]


def package_of(digest: str, name: str) -> str:
    """Return the package of a spec."""
    return f"{PREFIX}{digest}.{name}"


def in_memory_format(
    name: str,
    digest: str,
    files: Mapping[str, str],
    otherwise: Format | None = None,
    table: str = "",
    cache: Any = None,
) -> InMemoryFormat | None:
    """Return the format of a package that exists only in memory.

    Args:
        name: The name of the package, and of the format.
        digest: Identifies the specs: with the same digest, the modules of an earlier call are used.
        files: The texts of the modules by path, each of which is asked for when the module is imported.
        otherwise: What to return with the classes of the package if it describes no table.
        table: Name of the table, if there are several.
        cache: The ``SpecCache`` in which tables are kept when they have been compiled.
    """
    _install(digest, files)
    module = package_of(digest, name)
    found = getattr(importlib.import_module(module), "FORMAT", otherwise)
    if not isinstance(found, Format):
        return None
    return _with_files(found.of_table(table) if table else replace(found, module=module), files, cache)


def _with_files(format: Format, files: Mapping[str, str], cache: Any) -> InMemoryFormat:
    values = {each.name: getattr(format, each.name) for each in fields(Format)}
    found = InMemoryFormat(**values, files=files, cache=cache)
    if found.is_plain:
        return found
    module = found.columns_module
    unknown: Any = _Refusal(module)
    return replace(found, columns=tuple(_unknown(each, module) for each in found.columns), engine_refusal=unknown)


def _unknown(column: Column, module: str) -> Column:
    """Return a column of which it is not known yet whether the engine can fill it."""
    refusal: Any = _Refusal(module, column.name)
    return replace(column, engine_refusal=refusal)


def _install(digest: str, files: Mapping[str, str]) -> None:
    """Make the files importable."""
    name = f"{PREFIX}{digest}"
    if name not in sys.modules:
        sys.meta_path.append(_Finder(name, files))


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
