"""Units: the messages that a framing found in an input, each with what is around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base.dataclass import dataclass, field
from ..rows.reader import RowDamage

CLEAN = "clean"


@dataclass
class Units:
    """The complete units that were found in a view.

    ``source``: what ``begins`` and ``sizes`` refer to: the view itself, or new bytes where units had to be
    decompressed. ``offsets``, ``spans``: the position of each unit in the input, and its size there, including what is
    around it. ``consumed``: number of bytes of the view that are processed. ``damages``: ranges of the input that did
    not yield a unit; ``details``: a sentence for some of them, by where they begin. ``needed``: number of bytes that
    must be in the view before more can be found, 0 if that is not known. ``ended``: non-empty if nothing after
    ``consumed`` is read; how the input then ended, as a word of ``FileReport.tail``: ``clean``, ``truncated``,
    ``invalid_length``, ``limit`` … ``detail``: a sentence about that.
    """

    source: Any
    begins: Any = field(default_factory=list)
    """Lists of int, or Arrow arrays if the source is a column of blobs."""
    sizes: Any = field(default_factory=list)
    offsets: Any = field(default_factory=list)
    spans: Any = field(default_factory=list)
    consumed: int = 0
    damages: list[RowDamage] = field(default_factory=list)
    details: dict[int, str] = field(default_factory=dict)
    needed: int = 0
    ended: str = ""
    detail: str = ""
    is_open: bool = False
    """Whether only the end of the input, or of a blob, ends the one unit, so that an early end is ``truncated``."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Arrow arrays of the other columns of a table of blobs, by the option that names the column."""

    def add(self, begin: int, size: int, offset: int, span: int) -> None:
        """Add a unit: ``size`` bytes of ``source`` from ``begin`` on, which occupy ``span`` bytes of the input at
        ``offset``."""
        self.begins.append(begin)
        self.sizes.append(size)
        self.offsets.append(offset)
        self.spans.append(span)

    def part(self, first: int, count: int) -> Units:
        """Return only ``count`` of the units, from number ``first`` on, without damages."""
        end = first + count
        return Units(
            self.source,
            self.begins[first:end],
            self.sizes[first:end],
            self.offsets[first:end],
            self.spans[first:end],
            is_open=self.is_open,
            beside={name: each[first:end] for name, each in self.beside.items()},
        )
