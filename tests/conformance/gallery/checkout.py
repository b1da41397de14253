"""The gallery as it lies on this machine."""

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
    """A checkout of kaitai-io/kaitai_struct_formats, and a folder with Kaitai's own compiler where there is one."""

    root: Path
    compiler: Path | None

    @property
    def specs(self) -> list[Path]:
        """All specs, in order of their paths."""
        return sorted(self.root.rglob("*.ksy"))

    def version(self) -> dict[str, str]:
        """The commit of the checkout and its date; empty where it is no git checkout."""
        command = ["git", "-C", str(self.root), "log", "-1", "--format=%H %cs"]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        return dict(zip(("commit", "date"), found, strict=False))


def checkout() -> Checkout | None:
    """What the environment names; ``None`` without a gallery."""
    root, compiler = os.environ.get(FORMATS), os.environ.get(COMPILER)
    if not root:
        return None
    return Checkout(Path(root).resolve(), Path(compiler).resolve() if compiler else None)


def suite() -> Path | None:
    """The checkout of kaitai-io/kaitai_struct_tests that the environment names; ``None`` without one."""
    root = os.environ.get(TESTS)
    return Path(root).resolve() if root else None
