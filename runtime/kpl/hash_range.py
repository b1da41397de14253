"""The hash range of a shard: which aggregates belong to it.

As Kinesis' own client does it: an aggregate of which one record lies outside is dropped as a whole, its other records
too, because after a shard was split its other half has the same aggregate. Records that are not aggregated stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from .. import registry
from ..messages.decoding import Decoded
from ..messages.framing import Units
from .hashing import hash_of, range_of
from .message import FORMAT_NAME

PARTITION_KEY, EXPLICIT_HASH_KEY, AGGREGATED = "partition_key", "explicit_hash_key", "aggregated"


class Hooks:
    """Drops what lies outside of the option ``hash_range``, where that is given. As ``wireloom.messages.hooks.Hooks``.

    The report's ``dropped`` is the number of aggregates that were.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ("hash_range",)

    def __init__(self, *, hash_range: Any = None) -> None:
        self._range = None if hash_range is None else range_of(hash_range)
        self.needs = () if self._range is None else (PARTITION_KEY, EXPLICIT_HASH_KEY, AGGREGATED)
        self._dropped = 0

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        """The rows without those of units that have a row outside of the range."""
        if self._range is None or not decoded.rows:
            return decoded
        outside = self._outside(decoded)
        if not pc.any(outside).as_py():
            return decoded
        unit_of_row = pa.array(_repeated(decoded.counts), pa.int32())
        dropped = set(pc.unique(unit_of_row.filter(outside)).to_pylist())
        keep = pc.invert(pc.is_in(unit_of_row, pa.array(sorted(dropped), pa.int32())))
        self._dropped += len(dropped)
        counts = [0 if number in dropped else count for number, count in enumerate(decoded.counts.to_pylist())]
        return Decoded(
            units=decoded.units,
            rows=sum(counts),
            arrays={number: array.filter(keep) for number, array in decoded.arrays.items()},
            counts=pa.array(counts, pa.int32()),
            problems=[each for each in decoded.problems if each.unit not in dropped],
            wholes=[each for each in decoded.wholes if each not in dropped],
            unit_arrays=decoded.unit_arrays,
        )

    def facts(self) -> Mapping[str, Any]:
        """How many aggregates were dropped, where a range was given."""
        return {} if self._range is None else {"dropped": self._dropped}

    def _outside(self, decoded: Decoded) -> pa.Array:
        """Which rows lie outside; null rows and rows that are no aggregates do not."""
        assert self._range is not None
        first, last = self._range
        names = [each.name for each in registry.get(FORMAT_NAME).columns]
        keys, hash_keys, aggregated = (decoded.arrays[names.index(each)] for each in self.needs)
        # Keys repeat: each pair is looked at once.
        verdicts: dict[tuple[str | None, str | None], bool] = {}
        found: list[bool] = []
        for key, hash_key, is_aggregated in zip(
            *(each.to_pylist() for each in (keys, hash_keys, aggregated)), strict=True
        ):
            pair = (key, hash_key)
            if not is_aggregated or key is None:
                found.append(False)
                continue
            if pair not in verdicts:
                verdicts[pair] = not first <= hash_of(key, hash_key) <= last
            found.append(verdicts[pair])
        return pa.array(found, pa.bool_())


def _repeated(counts: pa.Array) -> list[int]:
    """The number of its unit for each row."""
    return [number for number, count in enumerate(counts.to_pylist()) for _ in range(count)]
