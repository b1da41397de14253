"""wireloom: binary logs and streams from declarative specs, as Arrow tables and Spark sources.

>>> import wireloom
>>> table = wireloom.read("edgemq_segment", "segments/")  # doctest: +SKIP

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

# As in the module "typing", which takes a few milliseconds to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .base.errors import (
        DamagedInputError,
        NothingThereError,
        RoutineError,
        SpecError,
        TemporaryError,
        UnknownNameError,
        UnsupportedError,
        WireloomError,
        WrongFormatError,
    )
    from .base.report import Damage, FileReport, ReadReport
    from .format.description import Format
    from .format.registry import formats, load_spec
    from .reading.binary_search import FoundRow, SearchResult, first_row, search
    from .reading.blobs.exploding import explode, from_wire, from_wire_with_report
    from .reading.blobs.reader import BlobProblem, BlobReport
    from .reading.dataset import dataset
    from .reading.identification import Identification, identify
    from .reading.scanning import Scanner, read, read_with_report, scan, schema
    from .writing import write
    from .writing.messages.output import to_wire

__all__ = [
    "BlobProblem",
    "BlobReport",
    "Damage",
    "DamagedInputError",
    "FileReport",
    "Format",
    "FoundRow",
    "Identification",
    "NothingThereError",
    "ReadReport",
    "RoutineError",
    "Scanner",
    "SearchResult",
    "SpecError",
    "TemporaryError",
    "UnknownNameError",
    "UnsupportedError",
    "WireloomError",
    "WrongFormatError",
    "dataset",
    "explode",
    "first_row",
    "formats",
    "from_wire",
    "from_wire_with_report",
    "identify",
    "load_spec",
    "read",
    "read_with_report",
    "scan",
    "schema",
    "search",
    "to_wire",
    "write",
]

_HOMES = {
    "base.errors": (
        "DamagedInputError",
        "NothingThereError",
        "RoutineError",
        "SpecError",
        "TemporaryError",
        "UnknownNameError",
        "UnsupportedError",
        "WireloomError",
        "WrongFormatError",
    ),
    "format.description": ("Format",),
    "reading.blobs.reader": ("BlobProblem", "BlobReport"),
    "reading.blobs.exploding": ("explode", "from_wire", "from_wire_with_report"),
    "writing.messages.output": ("to_wire",),
    "reading.dataset": ("dataset",),
    "reading.identification": ("Identification", "identify"),
    "format.registry": ("load_spec",),
    "base.report": ("Damage", "FileReport", "ReadReport"),
    "reading.scanning": ("Scanner", "read", "read_with_report", "scan", "schema"),
    "reading.binary_search": ("FoundRow", "SearchResult", "first_row", "search"),
    "writing": ("write",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


class FormatsPackage(ModuleType):
    """``wireloom.formats`` is the package of the generated formats; ``wireloom.formats()`` lists all formats' names."""

    def __call__(self) -> list[str]:
        from .format import registry

        return registry.formats()


class _Face(ModuleType):
    """A module class that keeps ``wireloom.formats`` callable, even after the package of that name has been
    imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "formats" and isinstance(value, ModuleType):
            value.__class__ = FormatsPackage
        super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    # PEP 562: `import wireloom` stays quick, and a Spark worker that only imports it imports no pyarrow.
    if name == "formats":
        return importlib.import_module(".formats", __name__)
    if name == "__version__":
        from importlib.metadata import version

        return version("wireloom")
    if name not in _HOME:
        raise AttributeError(f"module 'wireloom' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


sys.modules[__name__].__class__ = _Face
