"""Limits of readers whose defaults several modules need."""

from __future__ import annotations

LARGEST_RECORD = 2**31 - 1
"""The most bytes of a row: they are counted in 32 bits in Arrow's binary columns."""

MAX_ROWS = 2**31 - 1
"""The most rows of a batch that a reader can be told."""

MAX_COMPUTED = 1024 * 1024
"""The most characters of text that the expressions of a record make and items of its decompressed lists, unless a
reader is told otherwise."""

MAX_INTEGER_BITS = 127
"""The most bits of an integer that a product or a shift in an expression makes: the engine's registers have as many."""

MAX_DECIMAL_BITS = 8 * 1024
"""The most bits of an integer that is written as a decimal number: Python refuses to write much longer ones."""
