"""The bytes of a file that are read."""

from __future__ import annotations

import pytest
from wireloom.input.stored import Stored


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each subsequent read of stored bytes adds their number."""
    sizes: list[int] = []
    original = Stored._read

    def counted(stored: Stored, buffer: memoryview, position: int) -> int:
        sizes.append(original(stored, buffer, position))
        return sizes[-1]

    monkeypatch.setattr(Stored, "_read", counted)
    return sizes
