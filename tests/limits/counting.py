"""What is read of a file."""

from __future__ import annotations

import pytest
from wireloom.input import Stored


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list into which each read of stored bytes puts their number from now on."""
    sizes: list[int] = []
    original = Stored._read

    def counted(stored: Stored, buffer: memoryview, position: int) -> int:
        sizes.append(original(stored, buffer, position))
        return sizes[-1]

    monkeypatch.setattr(Stored, "_read", counted)
    return sizes
