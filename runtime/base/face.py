"""Public names of packages, each imported from its module on first access (PEP 562)."""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Not imported at run time: `import wireloom` and the command line begin with this module.
    from collections.abc import Callable, Mapping
    from typing import Any


def face(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package.

    ``homes``: the names defined in each of its modules, separated by spaces; ``name:other`` exports ``name`` of the
    module as ``other``.
    """
    home: dict[str, tuple[str, str]] = {}
    for module, names in homes.items():
        for each in names.split():
            name, _, other = each.partition(":")
            home[other or name] = (module, name)

    def getattr_(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, inner = home[name]
        value = getattr(importlib.import_module(f".{module}", package), inner)
        setattr(sys.modules[package], name, value)
        return value

    return getattr_
