"""Files of the gallery's formats, made by Python's library, by tools of the machine, or byte by byte.

Each module of this package contains the makers of a family of formats; ``makers`` finds them all.
"""

from __future__ import annotations

import importlib
import pkgutil
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60
"""Time limit of a tool."""


@dataclass(frozen=True)
class Sample:
    """The bytes of a file, and the arguments of the format's parameters."""

    data: bytes
    arguments: tuple[object, ...] = ()


Samples = Iterator[bytes | Sample]
Maker = Callable[[], Samples]

_makers: dict[str, list[Maker]] = {}


class UnavailableError(Exception):
    """A file cannot be made on this machine; the text says why."""


def makes(*formats: str) -> Callable[[Maker], Maker]:
    """Register a function that yields files of the formats."""

    def register(maker: Maker) -> Maker:
        for each in formats:
            _makers.setdefault(each, []).append(maker)
        return maker

    return register


def makers() -> dict[str, list[Maker]]:
    """Return all makers, by format."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(_makers.items()))


def run(*command: str | Path, given: bytes = b"", folder: Path | None = None) -> bytes:
    """Return what a tool writes to its standard output. Raises ``UnavailableError`` if it does not exist or fails."""
    program = shutil.which(str(command[0])) or shutil.which(f"/usr/sbin/{command[0]}")
    if program is None:
        raise UnavailableError(f"{command[0]} is not installed")
    done = subprocess.run(
        [program, *map(str, command[1:])], input=given, capture_output=True, check=False, cwd=folder, timeout=SECONDS
    )
    if done.returncode:
        raise UnavailableError(f"{command[0]} fails: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return done.stdout


def existing(*patterns: str) -> Iterator[Path]:
    """Yield the first file of the machine that matches each pattern. Raises ``UnavailableError`` if none does."""
    found = False
    for pattern in patterns:
        path = next((each for each in sorted(Path("/").glob(pattern.lstrip("/"))) if each.is_file()), None)
        if path is not None:
            found = True
            yield path
    if not found:
        raise UnavailableError(f"there is no {' or '.join(patterns)}")
