"""Stuffing by the engine if it is available, else in Python."""

from __future__ import annotations

from collections.abc import Callable

from .. import engine
from ..base.errors import WireloomError
from ..format.description import Format
from ..format.program import Stuffing
from ..objects import stuffing as portable
from ..objects.framing import is_unmistakable


def framed(format: Format) -> Callable[[bytes], bytes]:
    """Return the function that stuffs a record of a delimited format and appends its delimiter."""
    delimiter = format.delimiter
    if format.stuffing == Stuffing.NONE:

        def bare(record: bytes) -> bytes:
            if not is_unmistakable(record, delimiter):
                raise WireloomError(
                    f"the record holds the delimiter {delimiter.hex()}, alone or together with those around it, or is "
                    "empty, and the format has no stuffing"
                )
            return record + delimiter

        return bare
    if engine.available:
        number = int(format.stuffing)
        return lambda record: engine.stuff(record, number) + delimiter
    stuff = portable.stuff_words if format.stuffing == Stuffing.WORD else portable.stuff_cobs
    return lambda record: stuff(record) + delimiter
