"""The errors of writing an object whose values cannot be written, or are not all there."""

from __future__ import annotations

import struct

from ..base.errors import WireloomError
from ..objects import ConsistencyError, KaitaiStructError

REFUSALS = (
    KaitaiStructError,
    ConsistencyError,
    WireloomError,
    struct.error,
    ValueError,
    TypeError,
    OverflowError,
    AttributeError,
)
NOT_IN_TABLE = "the condition of the table, 'where', is false for it, so that a reader would not find it"
UNWRITTEN = (
    "it has a value, but the condition of the attribute is false or no case matches: only null can be written there"
)
