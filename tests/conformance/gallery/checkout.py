"""The gallery on this machine."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

FORMATS = "KAITAI_FORMATS"
COMPILER = "KAITAI_COMPILER"
TESTS = "KAITAI_TESTS"


@dataclass(frozen=True)
class Checkout:
    """A checkout of kaitai-io/kaitai_struct_formats, and the folder of Kaitai's own compiler, if there is one."""

    root: Path
    compiler: Path | None

    @property
    def specs(self) -> list[Path]:
        """Return all specs, ordered by path."""
        return sorted(self.root.rglob("*.ksy"))

    def version(self) -> dict[str, str]:
        """Return the commit of the checkout and its date; empty if it is not a git checkout."""
        command = ["git", "-C", str(self.root), "log", "-1", "--format=%H %cs"]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        return dict(zip(("commit", "date"), found, strict=False))


def checkout() -> Checkout | None:
    """Return the gallery that the environment names; ``None`` without one."""
    root, compiler = os.environ.get(FORMATS), os.environ.get(COMPILER)
    if not root:
        return None
    return Checkout(Path(root).resolve(), Path(compiler).resolve() if compiler else None)


def suite() -> Path | None:
    """Return the checkout of kaitai-io/kaitai_struct_tests that the environment names; ``None`` without one."""
    root = os.environ.get(TESTS)
    return Path(root).resolve() if root else None
