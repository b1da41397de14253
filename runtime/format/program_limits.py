"""Limits of column programs, equal to those of the engine's loader.

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
"""Maximum size in bytes of all constants and expressions of a program."""
MOST_CHECKSUMS = _DEFINED["MOST_CHECKSUMS"]
MOST_DELIMITER_BYTES = _DEFINED["MOST_DELIMITER_BYTES"]
MOST_CHAINS = _DEFINED["MOST_CHAINS"]
"""Maximum number of checksums that continue those of previous items, and of variables."""
MOST_STORES = _DEFINED["MOST_STORES"]
"""Maximum number of variables that are lists."""
MOST_ITEMS = _DEFINED["MOST_ITEMS"]
KEPT_ITEMS = _DEFINED["KEPT_ITEMS"]
"""Maximum number of items of such a list that are kept."""
MOST_SERIES = _DEFINED["MOST_SERIES"]
"""Maximum number of series of values of list items."""
MOST_FUNCTIONS = _DEFINED["MOST_FUNCTIONS"]
"""Maximum number of types that contain themselves."""
MOST_OWN_BYTES = _DEFINED["MOST_OWN_BYTES"]
"""Maximum size in bytes of a checksum's own field if its bytes count as another value."""
DEEPEST_LIMIT = _DEFINED["DEEPEST_LIMIT"]
"""Maximum number of open sub-streams."""
DEEPEST_UNIT = _DEFINED["DEEPEST_UNIT"]
"""Maximum number of open units inside the outermost one."""
DEEPEST_STACK = _DEFINED["DEEPEST_STACK"]
"""Maximum number of values on the stack of an expression."""
MOST_IDLE = _DEFINED["MOST_IDLE"]
"""Maximum number of consecutive items of a repetition that take no bytes."""
MOST_LOOPS = _DEFINED["MOST_LOOPS"]
"""Maximum number of loops of a program."""
MOST_MESSAGES = _DEFINED["MOST_MESSAGES"]
MOST_MESSAGE_FIELDS = _DEFINED["MOST_MESSAGE_FIELDS"]
"""Maximum number of fields of all messages of a program."""
MOST_BYTES = _DEFINED["MOST_BYTES"]
"""Maximum of a constant size in bytes, and of the addend of a computed one."""
