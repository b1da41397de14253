"""The files and folders that the page may open: those that the user can read. Nothing of them is run."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from ..base.errors import WireloomError

SUFFIX = ".ksy"
MOST_ENTRIES = 2000
"""Maximum number of entries of a folder that are listed."""


def openable(path: str, *, is_spec: bool) -> Path:
    """Return the absolute path of a regular file that the user may read; a spec has the suffix ``.ksy``. Raises
    ``WireloomError``."""
    found = _absolute(path)
    if is_spec and found.suffix != SUFFIX:
        raise WireloomError(f"a spec is a {SUFFIX} file", path=str(found))
    try:
        # Opening a pipe or a device might wait for ever, or do something.
        if not stat.S_ISREG(found.stat().st_mode):
            raise WireloomError("not a file with content, so it is not opened", path=str(found))
        with found.open("rb"):
            return found
    except OSError as error:
        raise WireloomError(f"cannot be opened: {error.strerror}", path=str(found)) from error


def listing(path: str) -> dict[str, Any]:
    """Return the folders and the regular files in a folder, or in that of a file, without hidden ones. Raises
    ``WireloomError``."""
    folder = _absolute(path)
    folder = folder if folder.is_dir() else folder.parent
    entries = []
    try:
        with os.scandir(folder) as found:
            for each in found:
                if each.name.startswith(".") or not (each.is_dir() or each.is_file()):
                    continue
                size = None if each.is_dir() else each.stat().st_size
                entries.append({"name": each.name, "path": each.path, "size": size})
    except OSError as error:
        raise WireloomError(f"cannot be listed: {error.strerror}", path=str(folder)) from error
    entries.sort(key=lambda each: (each["size"] is not None, str(each["name"]).casefold()))
    more = max(0, len(entries) - MOST_ENTRIES)
    return {"folder": str(folder), "above": str(folder.parent), "entries": entries[:MOST_ENTRIES], "more": more}


def _absolute(path: str) -> Path:
    try:
        return Path(os.path.abspath(Path(path).expanduser()))
    except (ValueError, RuntimeError) as error:
        raise WireloomError(f"not a path: {error}") from error
