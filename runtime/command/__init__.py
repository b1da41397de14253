"""The command line: ``wireloom COMMAND …``; one module per command, and ``entry``, where the process begins."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .program import main

__all__ = ["main"]


def __getattr__(name: str) -> Any:
    # Not imported here, so that the module "entry" is reached before anything that takes time.
    if name != "main":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .program import main

    return main
