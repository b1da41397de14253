"""Formats of specs that several tests read."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import wireloom
from wireloom import Format


@cache
def format_of(text: str, name: str = "made") -> Format:
    """Return the format of a spec in a file of that name, compiled once per process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.ksy"
        path.write_text(text)
        return wireloom.load_spec(path)
