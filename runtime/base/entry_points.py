"""Entry points of installed packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


def entry_points(group: str) -> EntryPoints:
    """Return the entry points of installed packages in ``group``."""
    # Imported here: the import is slow, and formats that have already been found do not need it.
    from importlib import metadata

    return metadata.entry_points(group=group)
