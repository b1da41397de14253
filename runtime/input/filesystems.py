"""File systems given by callers: pyarrow's and fsspec's."""

from __future__ import annotations

import sys
from typing import Any

from ..base.arguments import shown
from ..base.errors import WireloomError


def checked_filesystem(value: Any) -> Any:
    """Return a file system. Raises ``WireloomError`` unless it is one of pyarrow or fsspec."""
    if is_arrow(value) or is_fsspec(value):
        return value
    raise WireloomError(
        "filesystem must be a file system of pyarrow.fs or fsspec, such as pyarrow.fs.S3FileSystem() or"
        f" fsspec.filesystem('memory'), not {shown(value)}"
    )


def is_arrow(value: Any) -> bool:
    """Return whether it is a file system of pyarrow."""
    return _is(value, "pyarrow.fs", "FileSystem")


def is_fsspec(value: Any) -> bool:
    """Return whether it is a file system of fsspec."""
    return _is(value, "fsspec.spec", "AbstractFileSystem")


def is_open_file(value: Any) -> bool:
    """Return whether it is a result of ``fsspec.open``: a file that is not open yet."""
    return _is(value, "fsspec.core", "OpenFile")


def check_open_file(file: Any, mode: str) -> None:
    """Raise ``WireloomError`` for a file of fsspec in text mode, with compression by fsspec, or with a mode other than
    ``mode``, which is ``rb`` or ``wb``."""
    if file.mode != mode:
        raise WireloomError(f"the fsspec file has the mode {file.mode!r}: open it with {mode!r}", path=file.path)
    if file.compression is not None:
        raise WireloomError(
            f"the fsspec file decompresses by itself ({file.compression}): leave compression= out, and give codec=",
            path=file.path,
        )


def _is(value: Any, module: str, name: str) -> bool:
    # An object of a package exists only if that package has been imported.
    found = sys.modules.get(module)
    return found is not None and isinstance(value, getattr(found, name))
