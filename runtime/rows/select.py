"""Which row reader reads a format's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import engine
from ..format.description import Format
from .reader import RowReader, Settings

if TYPE_CHECKING:
    from ..objects.structs import Struct


def name_of(format: Format) -> str:
    """``columns`` where the engine can run this format's rows, ``objects`` where not."""
    if not engine.available or not format.streaming:
        return "objects"
    return "columns" if format.program is not None else "objects"


def make(name: str, format: Format, root: Struct | None, settings: Settings) -> RowReader:
    """Return the row reader of that name. ``root``: the object whose attributes before the rows were read, if any."""
    if name == "columns":
        from .engine_reader import EngineRowReader

        return EngineRowReader(format, root, settings)
    from .object_reader import ObjectRowReader

    return ObjectRowReader(format, root, settings)
