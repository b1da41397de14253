"""Selection of the row reader, or the decoder of units, for a format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from .. import engine
from ..format.description import Format
from .reader import RowReader, Settings

if TYPE_CHECKING:
    from ..objects.structs import Struct


def name_of(format: Format, wanted: Sequence[int] = ()) -> str:
    """Return ``columns`` if the engine reads this format with the columns of these numbers, ``objects`` if the
    generated classes do."""
    if any(format.columns[number].engine_refusal for number in wanted):
        return "objects"
    program = format.message_program if format.message is not None else format.program
    return "columns" if engine.available and program is not None else "objects"


def make(name: str, format: Format, root: Struct | None, settings: Settings) -> RowReader:
    """Return the row reader with that name. ``root``: the object whose attributes before the rows were read, if any."""
    if format.distinct:
        from .distinct import DistinctRows

        # Look-ups into the table find the last row with a key, also if it equals an earlier one.
        every = replace(format, distinct=False)
        return DistinctRows(
            format,
            settings,
            lambda how: make(name_of(every, how.wanted) if name == "columns" else name, every, root, how),
        )
    if any(format.columns[number].looked_up for number in settings.wanted):
        from .looking_up import LookUpReader

        def made(table: Format, how: Settings) -> RowReader:
            return make(name_of(table, how.wanted), replace(table, distinct=False), root, how)

        return LookUpReader(format, settings, made)
    if format.marker:
        from .marked import MarkedRows

        return MarkedRows(format.marker, root, _reader(name, format, root, settings))
    return _reader(name, format, root, settings)


def _reader(name: str, format: Format, root: Struct | None, settings: Settings) -> RowReader:
    if name == "columns":
        from .engine_reader import EngineRowReader

        assert format.program is not None
        computed = _computed(format, format.program.preset)
        if not computed:
            return EngineRowReader(format, root, settings)
        from .computed_presets import ComputedPresets

        by_objects = partial(_reader, "objects", format, settings=settings)
        return ComputedPresets(computed, root, partial(EngineRowReader, format, settings=settings), by_objects)
    from .object_reader import ObjectRowReader

    return ObjectRowReader(format, root, settings)


def _computed(format: Format, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names that are instances of the root, neither attributes nor its byte order."""
    attributes = {*format.root_class._fields, "_is_le"} if names else set()
    return tuple(each for each in names if "." not in each and each not in attributes)
