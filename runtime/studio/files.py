"""The spec and the file on disk: reads pages of bytes, and detects changes by others."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..base.errors import WireloomError

MOST_BYTES = 256 * 1024
"""Maximum number of bytes of a page."""
MOST_SPEC = 4 * 1024 * 1024


def page_of_bytes(path: Path, offset: int, size: int) -> bytes:
    """Return at most ``size`` bytes from ``offset`` on; fewer at the end of the file."""
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(min(size, MOST_BYTES))


def size_of(path: Path) -> int:
    """Return the size of a file in bytes."""
    return path.stat().st_size


def stamp(path: Path) -> str:
    """Return a string that changes whenever a file changes; empty if the file does not exist."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}"


def read_spec(path: Path) -> str:
    """Return the text of a spec. Raises ``WireloomError`` if it is not a spec."""
    if size_of(path) > MOST_SPEC:
        raise WireloomError(f"a spec has at most {MOST_SPEC} bytes", path=str(path))
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise WireloomError(f"is not valid UTF-8: {error.reason} at byte {error.start}", path=str(path)) from error


def write_spec(path: Path, text: str) -> None:
    """Replace the file atomically. The target of a link is replaced, not the link."""
    target = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            Path(name).chmod(target.stat().st_mode & 0o7777)
        else:
            Path(name).chmod(0o644)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
