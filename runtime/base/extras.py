"""Optional dependencies: packages that only some parts of wireloom require, installed as extras."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from .errors import MissingExtraError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


def require(module: str, extra: str, what: str) -> None:
    """Raise ``MissingExtraError`` if ``module`` is not installed.

    The error says that ``what`` requires it, and which extra of wireloom installs it.
    """
    try:
        found = find_spec(module) is not None
    except (ValueError, ModuleNotFoundError):
        # A stand-in in `sys.modules` for a module that must not be imported has no spec. A package around it may be
        # missing too.
        found = False
    if not found:
        raise MissingExtraError(f"{what} needs the package {module}: pip install 'wireloom[{extra}]'", name=module)


def entry_points(group: str) -> EntryPoints:
    """Return the entry points of installed packages in ``group``."""
    # Imported here: the import is slow, and formats that have already been found do not need it.
    from importlib import metadata

    return metadata.entry_points(group=group)
