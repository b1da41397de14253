"""Which row reader, or which decoder of units, a format gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import engine
from ..format.description import Format
from .reader import RowReader, Settings

if TYPE_CHECKING:
    from ..objects.structs import Struct


def name_of(format: Format, wanted: Sequence[int] = ()) -> str:
    """``columns`` where the engine reads this format with the columns of these numbers, ``objects`` where the generated
    classes do."""
    if any(format.columns[number].engine_refusal for number in wanted):
        return "objects"
    program = format.message_program if format.message is not None else format.program
    return "columns" if engine.available and program is not None else "objects"


def make(name: str, format: Format, root: Struct | None, settings: Settings) -> RowReader:
    """Return the row reader of that name. ``root``: the object whose attributes before the rows were read, if any."""
    if any(format.columns[number].looked_up for number in settings.wanted):
        from .looking_up import LookUpReader

        return LookUpReader(format, settings, lambda table, how: make(name_of(table, how.wanted), table, root, how))
    if name == "columns":
        from .engine_reader import EngineRowReader

        return EngineRowReader(format, root, settings)
    from .object_reader import ObjectRowReader

    return ObjectRowReader(format, root, settings)
