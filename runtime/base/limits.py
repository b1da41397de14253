"""Limits of readers whose defaults several modules need."""

from __future__ import annotations

LARGEST_RECORD = 2**31 - 1
"""Maximum size of a row in bytes: offsets of Arrow's binary columns have 32 bits."""

MAX_ROWS = 2**31 - 1
"""Maximum of the option ``batch_rows``."""

MAX_COMPUTED = 1024 * 1024
"""Default limit of the characters of text that the expressions of a record make, and of the items of its decompressed
lists."""

MAX_INTEGER_BITS = 127
"""Maximum bits of an integer that a product or a shift in an expression makes: the width of the engine's registers."""

MAX_DECIMAL_BITS = 8 * 1024
"""Maximum bits of an integer that is written as a decimal number: Python refuses much longer ones."""
