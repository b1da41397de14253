"""``python -m tests.fuzz.guided SURFACE [libFuzzer's options]``: one Python surface, coverage-guided by atheris."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable


def load(name: str) -> Callable[[bytes], None]:
    """Return the surface's check; wireloom's modules that it imports are instrumented."""
    import atheris

    with atheris.instrument_imports(include=["wireloom"]):
        check: Callable[[bytes], None] = importlib.import_module(f"tests.fuzz.surfaces.{name}").check
    return check


def main() -> None:
    import atheris

    check = load(sys.argv[1])
    atheris.Setup([sys.argv[0], *sys.argv[2:]], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
