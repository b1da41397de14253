"""Selection of the decoder of units: the engine, or the generated classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...format.description import Format
from .decoding import UnitDecoder


def make(name: str, format: Format, wanted: Sequence[int], **settings: Any) -> UnitDecoder:
    """Return the decoder with that name for the format's columns of these numbers. ``settings``: those of
    ``ObjectDecoder``; ``max_computed`` does not apply to the engine, which computes no text."""
    if name == "columns":
        from .engine_decoder import EngineDecoder

        return EngineDecoder(format, wanted, **{key: each for key, each in settings.items() if key != "max_computed"})
    from .object_decoder import ObjectDecoder

    return ObjectDecoder(format, wanted, **settings)
