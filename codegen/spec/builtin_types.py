"""The built-in types of Kaitai's language."""

from __future__ import annotations

MAX_BITS = 64
"""Maximum width of ``bN`` in bits."""

BUILT_IN = tuple(
    [
        f"{sign}{size}{endian}"
        for sign in "us"
        for size in (1, 2, 4, 8)
        for endian in ("", "le", "be")
        if size > 1 or not endian
    ]
    + [f"f{size}{endian}" for size in (4, 8) for endian in ("", "le", "be")]
    + ["str", "strz"]
)
"""Their names, except those of bit fields."""
