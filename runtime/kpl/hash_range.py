"""Hash ranges of shards: aggregates outside of a shard's range are dropped, as by Kinesis' own client.

An aggregate with a record whose hash key is outside is dropped as a whole, including its other records, because after a
shard was split both halves have the same aggregate. Records that are not aggregated are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from ..base.arguments import shown
from ..base.errors import WireloomError
from ..format import registry
from ..rows.messages.decoding import Decoded
from ..rows.numbers import constant, value_array
from ..units.decoded_units import units_of_rows
from ..units.units import Units
from .hashing import LARGEST_HASH_KEY, hash_of, integer, range_of
from .message import FORMAT_NAME

PARTITION_KEY, EXPLICIT_HASH_KEY, AGGREGATED = "partition_key", "explicit_hash_key", "aggregated"
HASH_RANGE = "hash_range"
ALL = (0, LARGEST_HASH_KEY)
NO_NAME = re.compile(r"[\d\s+-]*")
"""Pattern of values that are meant to be a range and not the name of a column."""


class Hooks:
    """The hooks that drop aggregates with a record outside of ``hash_range``, see ``wireloom.units.decoded_units``.
    The default range has all hash keys: no partition key can be outside, but an explicit hash key can.

    ``hash_range``: that of a shard, or the name of a column that has it for each blob, where null means all hash keys.
    ``partition_key``: the name of a column with the partition keys of the blobs, which become those of records that are
    not aggregated. In the report, ``dropped`` is the number of dropped aggregates, and ``digest_failed`` the number of
    blobs that begin like an aggregate but have an invalid digest.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (HASH_RANGE,)
    TABLE_OPTIONS: ClassVar[tuple[str, ...]] = (PARTITION_KEY,)

    def __init__(self, *, hash_range: Any = None, partition_key: str | None = None) -> None:
        self.beside: dict[str, str] = {}
        self._range = ALL
        needs = {EXPLICIT_HASH_KEY}
        if isinstance(hash_range, str) and not NO_NAME.fullmatch(hash_range):
            self.beside[HASH_RANGE] = hash_range
        elif hash_range is not None:
            self._range = range_of(hash_range)
        if hash_range is not None:
            needs |= {PARTITION_KEY, AGGREGATED}
        if partition_key is not None:
            if not isinstance(partition_key, str):
                raise WireloomError(
                    f"partition_key must be the name of a column of the table, not {shown(partition_key)}"
                )
            self.beside[PARTITION_KEY] = partition_key
            needs |= {PARTITION_KEY, AGGREGATED}
        self.needs = tuple(sorted(needs))
        self._dropped = 0
        self._digest_failed = 0

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        """Return the rows without those of units that have a row outside of the range."""
        self._digest_failed += sum(each.reason == "digest" for each in decoded.problems)
        if not decoded.rows:
            return decoded
        if PARTITION_KEY in self.beside:
            decoded = self._keyed(units.beside[PARTITION_KEY], decoded)
        outside = self._outside(units, decoded)
        return decoded if outside is None or not pc.any(outside).as_py() else self._without(outside, decoded)

    def facts(self) -> Mapping[str, Any]:
        """Return the number of dropped aggregates, and of blobs with an invalid digest."""
        return {"dropped": self._dropped, "digest_failed": self._digest_failed}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {each.name: number for number, each in enumerate(registry.get(FORMAT_NAME).columns)}

    def _column(self, decoded: Decoded, name: str) -> pa.Array:
        return decoded.arrays[self._numbers[name]]

    def _keyed(self, outer: pa.Array, decoded: Decoded) -> Decoded:
        """Return the rows in which records that are not aggregated have the partition key of their blob."""
        plain = pc.equal(self._column(decoded, AGGREGATED), constant(False, pa.bool_())).fill_null(False)
        if not pc.any(plain).as_py():
            return decoded
        keys = _texts(outer, self.beside[PARTITION_KEY]).take(units_of_rows(decoded.counts, decoded.rows))
        own = self._column(decoded, PARTITION_KEY)
        arrays = {**decoded.arrays, self._numbers[PARTITION_KEY]: pc.if_else(plain, keys, own)}
        return replace(decoded, arrays=arrays)

    def _outside(self, units: Units, decoded: Decoded) -> pa.Array | None:
        """Return a mask of the rows that are outside, ``None`` if there are none. Null rows and records that are not
        aggregated never are."""
        if HASH_RANGE in self.beside:
            ranges = self._ranges(units)
            rows = units_of_rows(decoded.counts, decoded.rows).to_pylist()
            return self._compared(decoded, [ranges[unit] for unit in rows])
        if self._range == ALL:
            return outside_of_all(self._column(decoded, EXPLICIT_HASH_KEY))
        return self._compared(decoded, [self._range] * decoded.rows)

    def _ranges(self, units: Units) -> list[tuple[int, int]]:
        """Return the range of each unit."""
        known: dict[Any, tuple[int, int]] = {None: ALL}
        found: list[tuple[int, int]] = []
        for number, value in enumerate(units.beside[HASH_RANGE].to_pylist()):
            key = repr(value) if isinstance(value, dict | list) else value
            if key not in known:
                try:
                    known[key] = range_of(value)
                except WireloomError as error:
                    place = f"row {units.offsets[number]}, column {self.beside[HASH_RANGE]}"
                    raise WireloomError(f"{place}: {error.message}") from error
            found.append(known[key])
        return found

    def _compared(self, decoded: Decoded, ranges: list[tuple[int, int]]) -> pa.Array:
        # Keys repeat, so each distinct pair is hashed once.
        hashes: dict[tuple[str, str | None], int] = {}
        columns = (self._column(decoded, each).to_pylist() for each in (PARTITION_KEY, EXPLICIT_HASH_KEY, AGGREGATED))
        found: list[bool] = []
        for key, hash_key, is_aggregated, (first, last) in zip(*columns, ranges, strict=True):
            if not is_aggregated or key is None:
                found.append(False)
                continue
            pair = (key, hash_key)
            if pair not in hashes:
                hashes[pair] = hash_of(key, hash_key)
            found.append(not first <= hashes[pair] <= last)
        return value_array(found, pa.bool_())

    def _without(self, outside: pa.Array, decoded: Decoded) -> Decoded:
        unit_of_row = units_of_rows(decoded.counts, decoded.rows)
        dropped = pc.unique(unit_of_row.filter(outside))
        numbers = set(dropped.to_pylist())
        self._dropped += len(numbers)
        keep = pc.invert(pc.is_in(unit_of_row, dropped))
        is_dropped = pc.is_in(value_array(range(decoded.units), pa.int64()), dropped)
        counts = pc.if_else(is_dropped, constant(0, pa.int32()), decoded.counts)
        return Decoded(
            units=decoded.units,
            rows=pc.sum(counts).as_py(),
            arrays={number: array.filter(keep) for number, array in decoded.arrays.items()},
            counts=counts,
            problems=[each for each in decoded.problems if each.unit not in numbers],
            wholes=[each for each in decoded.wholes if each not in numbers],
            unit_arrays=decoded.unit_arrays,
        )


def outside_of_all(keys: pa.Array) -> pa.Array | None:
    """Return the explicit hash keys (decimal integers) that are invalid; ``None`` if all are valid."""
    if keys.null_count == len(keys):
        return None
    texts = keys.unique().drop_null()
    sizes, largest = pc.binary_length(texts), str(LARGEST_HASH_KEY)
    fits = pc.or_(pc.less(sizes, len(largest)), pc.and_(pc.equal(sizes, len(largest)), pc.less_equal(texts, largest)))
    # Signs, leading zeros and digits of other scripts are rare, so only such strings are checked one by one.
    ordinary = pc.and_(fits, pc.and_(pc.string_is_ascii(texts), pc.utf8_is_decimal(texts)))
    rest = texts.filter(pc.invert(ordinary)).to_pylist()
    odd = [each for each in rest if not 0 <= integer(each) <= LARGEST_HASH_KEY]
    return pc.is_in(keys, value_array(odd, keys.type)) if odd else None


def _texts(outer: pa.Array, name: str) -> pa.Array:
    try:
        return outer.cast(pa.utf8())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise WireloomError(f"column {name}: partition keys must be text, but the column is {outer.type}") from error
