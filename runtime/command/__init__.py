"""The command line: ``wireloom COMMAND …``; one module per command."""

from __future__ import annotations

from .program import main

__all__ = ["main"]
