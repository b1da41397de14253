"""Limits of readers whose defaults several modules need."""

from __future__ import annotations

MAX_COMPUTED = 1024 * 1024
"""The most characters of text that the expressions of a record make and items of its decompressed lists, unless a
reader is told otherwise."""

MAX_INTEGER_BITS = 8 * 1024
"""The most bits of an integer that a product or a shift in an expression makes."""
