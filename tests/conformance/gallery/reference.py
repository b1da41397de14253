"""The gallery's modules as Kaitai's own compiler generates them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.conformance.gallery.checkout import COMPILER, Checkout

SCRIPT = Path(__file__).with_name("compile.js")


def missing(gallery: Checkout) -> str:
    """Return why Kaitai's compiler cannot be run; empty if it can."""
    if gallery.compiler is None:
        return f"{COMPILER} does not name a folder with Kaitai's compiler"
    if shutil.which("node") is None:
        return "node, which runs Kaitai's compiler, is not installed"
    return ""


def compile_reference(gallery: Checkout, folder: Path, specs: Iterable[Path]) -> dict[str, str]:
    """Generate Kaitai's module of each spec in ``folder``; return the errors by spec."""
    folder.mkdir(exist_ok=True)
    command = ["node", str(SCRIPT), str(gallery.compiler), str(gallery.root), str(folder), *map(str, specs)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = (line.partition(": ") for line in output.splitlines())
    return {name: text for name, colon, text in lines if colon}
