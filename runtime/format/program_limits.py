"""Limits of column programs, the same as those of the engine's loader.

Lowering observes them, so that every generated program can be loaded.
"""

from __future__ import annotations

import re
from importlib.resources import files

_DEFINED = {
    name: int(number)
    for name, number in re.findall(
        r"^#define WL_(\w+) (\d+)$",
        files("wireloom").joinpath("engine", "program_limits.h").read_text("utf-8"),
        re.MULTILINE,
    )
}

MOST_STEPS = _DEFINED["MOST_STEPS"]
MOST_COLUMNS = _DEFINED["MOST_COLUMNS"]
MOST_REGISTERS = _DEFINED["MOST_REGISTERS"]
MOST_SPANS = _DEFINED["MOST_SPANS"]
MOST_MARKS = _DEFINED["MOST_MARKS"]
MOST_CONSTANTS = _DEFINED["MOST_CONSTANTS"]
"""Bytes of all constants and expressions of a program."""
MOST_CHECKSUMS = _DEFINED["MOST_CHECKSUMS"]
MOST_DELIMITER_BYTES = _DEFINED["MOST_DELIMITER_BYTES"]
MOST_CHAINS = _DEFINED["MOST_CHAINS"]
"""Checksums that continue those of the items before them, and variables."""
MOST_STORES = _DEFINED["MOST_STORES"]
"""Variables that are lists."""
MOST_ITEMS = _DEFINED["MOST_ITEMS"]
"""Items of such a list that are kept."""
MOST_SERIES = _DEFINED["MOST_SERIES"]
"""Series of what the items of lists held."""
MOST_FUNCTIONS = _DEFINED["MOST_FUNCTIONS"]
"""Types that contain themselves."""
MOST_OWN_BYTES = _DEFINED["MOST_OWN_BYTES"]
"""Bytes of a checksum's own field, where they count as another value."""
DEEPEST_LIMIT = _DEFINED["DEEPEST_LIMIT"]
"""Sub-streams that may be open at a time."""
DEEPEST_UNIT = _DEFINED["DEEPEST_UNIT"]
"""Units that may be open inside of the outermost one at a time."""
DEEPEST_STACK = _DEFINED["DEEPEST_STACK"]
"""Values on the stack of an expression."""
MOST_IDLE = _DEFINED["MOST_IDLE"]
"""Items of a repetition one after another that take no bytes."""
MOST_LOOPS = _DEFINED["MOST_LOOPS"]
"""Loops of a program."""
MOST_MESSAGES = _DEFINED["MOST_MESSAGES"]
MOST_MESSAGE_FIELDS = _DEFINED["MOST_MESSAGE_FIELDS"]
"""Fields of all messages of a program."""
MOST_BYTES = _DEFINED["MOST_BYTES"]
"""Bytes of a constant size, and of what is added to a computed one."""
