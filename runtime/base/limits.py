"""Limits of readers whose defaults are used by several modules."""

from __future__ import annotations

LARGEST_RECORD = 2**31 - 1
"""Maximum size of a row in bytes: offsets of Arrow's binary columns have 32 bits."""

MAX_ROWS = 2**31 - 1
"""Maximum value of the option ``batch_rows``."""

MAX_COMPUTED = 1024 * 1024
"""Default limit on the characters of text computed by the expressions of a record, and on the items of its decompressed
lists."""

MAX_INTEGER_BITS = 127
"""Maximum number of bits of the result of a product or a shift in an expression: the width of the engine's
registers."""

MAX_TRUNCATED_BITS = 100
"""Maximum number of bits of the integer part of a float that an expression uses."""

MAX_DECIMAL_BITS = 8 * 1024
"""Maximum number of bits of an integer that is written in decimal: Python refuses much longer ones."""
