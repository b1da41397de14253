"""Files of consecutive units, each with rows: records, packets, batches, blocks, messages.

All rows of units before the first damage are returned, and none twice. If checksums cover them, only rows that were
written are returned; in other formats a damaged row may be returned as it is stored in the file, and is counted. Intact
units after damage are counted: if a length is damaged, those up to the next position at which reading can continue are
lost.

If a single bit was flipped, which is the only damage in a third of the inputs, and a reader recovers, the rows of all
other units are returned, unless the bit is one of ``loose``: in a length that nothing verifies, or in a value that
determines how the following units are read.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .case import Case, require
from .damaged import Damaged
from .damages import Damager

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Unit:
    """A unit, its position, and the values of its rows."""

    begin: int
    end: int
    rows: tuple[Values, ...]


@dataclass
class Files:
    """Two files, one written after the other."""

    content: bytes
    other: bytes
    units: list[Unit]


@dataclass(frozen=True)
class BackToBack:
    """See the module. ``head``: the bytes before the units; ``make``: makes the unit with this number and the values of
    its rows; ``there``: for formats without checksums, whether values that were not written are those of the unit at a
    position of the content; ``single``: a unit is one row, so that rows have different positions."""

    name: str
    make: Callable[[random.Random, int], tuple[bytes, Sequence[Values]]]
    columns: tuple[str, ...]
    tokens: tuple[bytes, ...]
    head: bytes = b""
    there: Callable[[bytes, int, Values], bool] | None = None
    single: bool = True
    loose: range = range(0)
    options: Mapping[str, Any] = field(default_factory=dict)
    cost: int = 1

    def sample(self, source: random.Random) -> Files:
        """As ``Subject.sample``."""
        content, first = self._written(source, 1, 0)
        other, second = self._written(source, 1001, len(content))
        return Files(content, other, [*first, *second])

    def _written(self, source: random.Random, first: int, begin: int) -> tuple[bytes, list[Unit]]:
        made, units = bytearray(self.head), []
        for number in range(first, first + source.choice((2, 6, 15))):
            content, rows = self.make(source, number)
            at = begin + len(made)
            units.append(Unit(at, at + len(content), tuple(rows)))
            made += content
        return bytes(made), units

    def damage(self, sample: Files, source: random.Random) -> Damaged:
        """Damage the sample's content in all ways; in one input of three, a single bit is flipped."""
        damager = Damager(source, self.tokens, [(len(sample.content), sample.other)])
        pieces = [(0, sample.content)]
        return damager.damage(pieces) if source.randrange(3) else Damaged(damager.flip(pieces), ("bit flipped",))

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Files = case.sample
        recover = case.source.random() < 0.75
        columns = ["_offset", *self.columns]
        options = {"recover": recover, "codec": "none", "check_format": False, **self.options}
        rows, _ = case.read(self.name, columns=columns, **options)
        found = [(row["_offset"], tuple(row[each] for each in self.columns)) for row in rows]
        known = {each for unit in sample.units for each in unit.rows}
        self._check_rows(case, found, known)
        first = case.damaged.stretches[0] if case.damaged.stretches else None
        sound = min(first.end, len(sample.content)) if first is not None and first.origin == 0 else 0
        lost = []
        for unit in sample.units:
            for at in case.damaged.intact(unit.begin, unit.end):
                case.counts["intact"] += 1
                is_out = self._is_out(unit, at, found)
                case.counts["out" if is_out else "lost"] += 1
                require(is_out or at != unit.begin or unit.end > sound, f"the unit at {at} is missing")
                lost += [] if is_out else [at]
        place = self._flipped(case)
        if recover and place is not None:
            require(not lost, f"one bit is another at {place}, and units are lost at {lost}")

    def _check_rows(self, case: Case, found: list[tuple[int, Values]], known: set[Values]) -> None:
        places = Counter(found if not self.single else [at for at, _ in found])
        twice = next((each for each, count in places.items() if count > 1 and (self.single or each[1] in known)), None)
        require(twice is None, f"a row came out twice: {twice}")
        for at, values in found:
            if values not in known:
                require(self.there is not None, f"the row at {at} was never written")
                stands = self.there is not None and self.there(case.damaged.content, at, values)
                require(stands, f"the row at {at} is not what stands there")
                case.counts["unseen"] += 1

    @staticmethod
    def _is_out(unit: Unit, at: int, found: list[tuple[int, Values]]) -> bool:
        end = at + unit.end - unit.begin
        return {values for place, values in found if at <= place < end}.issuperset(unit.rows)

    def _flipped(self, case: Case) -> int | None:
        """Return the position of the flipped bit, if that is the only damage and must not affect other units."""
        sample: Files = case.sample
        if case.damaged.kinds != ("bit flipped",):
            return None
        pairs = zip(case.damaged.content, sample.content, strict=True)
        place = next((at for at, (new, old) in enumerate(pairs) if new != old), None)
        hit = [unit for unit in sample.units if place is not None and unit.begin <= place < unit.end]
        if place is None or not hit or place - hit[0].begin in self.loose:
            return None
        return place


def blob(source: random.Random, number: int) -> bytes:
    """Return bytes that differ for each number."""
    return b"%d " % number + source.randbytes(source.choice((0, 20, 300)))
