"""Places in an input at which another scan of it can begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class UnitStart:
    """The beginning of a unit at ``offset``. ``state``: what the extractor of the format needs to know of the units
    before it."""

    offset: int
    state: Any = None
