"""Loads the engine from an archive of packages, as distributed by ``spark-submit --py-files``.

Python imports modules from archives, but the system loads libraries only from files. So the engine is copied to a
temporary file, which is removed after it has been loaded.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.resources import as_file, files
from importlib.util import module_from_spec, spec_from_file_location
from zipimport import zipimporter


def load(package: str) -> None:
    """Import ``_engine`` of a package. Raises ``ModuleNotFoundError`` if it is in no archive, and ``ImportError``
    where the system refuses it."""
    name = f"{package}._engine"
    found = sys.modules[package].__spec__
    if os.name == "posix" and found is not None and isinstance(found.loader, zipimporter):
        for suffix in EXTENSION_SUFFIXES:
            entry = files(package) / f"_engine{suffix}"
            if entry.is_file():
                with as_file(entry) as path:
                    spec = spec_from_file_location(name, path)
                    assert spec is not None
                    assert spec.loader is not None
                    module = module_from_spec(spec)
                    spec.loader.exec_module(module)
                sys.modules[name] = module
                return
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)
