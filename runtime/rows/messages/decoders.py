"""Which decoder of units a format gets: the engine's, or that of the generated classes."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.limits import MAX_COMPUTED
from ...format.description import Format
from .decoding import UnitDecoder


def name_of(format: Format) -> str:
    """``columns`` where the engine can decode this format's units, ``objects`` where not."""
    from ... import engine

    return "columns" if engine.available and format.message_program is not None else "objects"


def make(
    name: str,
    format: Format,
    wanted: Sequence[int],
    *,
    verify: bool = True,
    null_rows: bool = False,
    max_depth: int | None = None,
    max_computed: int = MAX_COMPUTED,
) -> UnitDecoder:
    """The decoder of that name. ``wanted``: numbers of the format's columns; ``verify``: whether digests are computed;
    ``null_rows``: whether a unit that does not hold gives a row of nulls; ``max_depth``: how deep messages may be in
    each other, by default as deep as the format says; ``max_computed``: most characters of text that the expressions of
    a unit make."""
    if name == "columns":
        from .engine_decoder import EngineDecoder

        return EngineDecoder(format, wanted, verify=verify, null_rows=null_rows, max_depth=max_depth)
    from .object_decoder import ObjectDecoder

    return ObjectDecoder(
        format, wanted, verify=verify, null_rows=null_rows, max_depth=max_depth, max_computed=max_computed
    )
