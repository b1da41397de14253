"""Converts records of Kinesis to Arrow batches of user records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from .. import codecs
from ..base.arguments import names, one_of
from ..base.errors import DamagedInputError
from ..base.text import unknown
from ..reading.blobs.exploding import Exploder
from ..reading.decoding.formats import CodecDecoder
from ..reading.options import MODES

FORMAT = "kpl_aggregated_record"
BLOB, SEQUENCE, SUB = "_blob", "sequence_number", "sub_sequence_number"
TIME = pa.timestamp("ms", "UTC")
TAGS = pa.list_(pa.struct([pa.field("key", pa.utf8()), pa.field("value", pa.utf8())]))
KINDS: Mapping[str, pa.DataType] = {
    "stream": pa.utf8(),
    "shard_id": pa.utf8(),
    SEQUENCE: pa.utf8(),
    SUB: pa.int32(),
    "partition_key": pa.utf8(),
    "explicit_hash_key": pa.utf8(),
    "approximate_arrival_timestamp": TIME,
    "data": pa.binary(),
    "aggregated": pa.bool_(),
    "tags": TAGS,
    "_error": pa.utf8(),
    "_corrupt_record": pa.binary(),
}
"""Types of all columns that can be read, by name."""
ALL_COLUMNS = tuple(KINDS)
COLUMNS = ALL_COLUMNS[:9]
"""The columns that are read by default."""
SCHEMA = pa.schema([pa.field(name, kind) for name, kind in KINDS.items()])
OUTER = (SEQUENCE, "approximate_arrival_timestamp")
CONSTANT = ("stream", "shard_id")
HASH_RANGES = ("shard", "all")


def schema_of(columns: Sequence[str] | None) -> pa.Schema:
    """Return the schema of these columns, by default of ``COLUMNS``. Raises ``UnknownNameError``."""
    chosen = COLUMNS if columns is None else names("columns", columns)
    for each in chosen:
        if each not in KINDS:
            raise unknown("column", each, ALL_COLUMNS)
    return pa.schema([SCHEMA.field(each) for each in chosen])


class RecordBatches:
    """Builds batches of user records from the results of ``GetRecords`` for one shard.

    ``hash_range``: aggregates with a record outside of it are dropped, as by Kinesis' client; ``None``: none are
    dropped. ``codec``: that of ``data``, or ``auto``. The batches always include the sequence and sub-sequence numbers;
    ``chosen`` removes columns that were not requested.
    """

    def __init__(
        self,
        stream: str,
        shard_id: str,
        columns: Sequence[str] | None = None,
        *,
        hash_range: str | None = None,
        mode: str = "permissive",
        codec: str = "none",
    ) -> None:
        self._codec = None if codecs.checked(codec) == "none" else CodecDecoder(codecs.checked(codec))
        self.schema = schema_of(columns)
        self._constants = {"stream": stream, "shard_id": shard_id}
        inner = [each for each in dict.fromkeys((*self.schema.names, SUB)) if each not in (*OUTER, *CONSTANT)]
        self._mode = one_of("mode", mode.lower() if isinstance(mode, str) else mode, MODES)
        options: dict[str, Any] = {"columns": inner, "partition_key": "partition_key", "mode": self._mode}
        if hash_range is not None:
            options["hash_range"] = hash_range
        self._exploder = Exploder(FORMAT, BLOB, options, keep=OUTER)

    def batches(self, records: Sequence[Mapping[str, Any]]) -> Iterator[pa.RecordBatch]:
        """Yield the user records, with the columns of ``OUTER`` and the format's."""
        if not records:
            return
        outer = pa.record_batch(
            {
                SEQUENCE: pa.array([each["SequenceNumber"] for each in records], pa.utf8()),
                OUTER[1]: pa.array([each["ApproximateArrivalTimestamp"] for each in records], TIME),
                "partition_key": pa.array([each["PartitionKey"] for each in records], pa.utf8()),
                BLOB: pa.array([bytes(each["Data"]) for each in records], pa.binary()),
            }
        )
        yield from self._exploder.batches(outer)

    def chosen(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the requested columns of a batch from ``batches``, with data decompressed. Raises
        ``DamagedInputError`` in mode ``failfast`` for data that is damaged."""
        if self._codec is not None and "data" in batch.schema.names:
            batch = self._decompressed(batch, self._codec)
        arrays = [
            pa.repeat(pa.scalar(self._constants[field.name], field.type), batch.num_rows)
            if field.name in CONSTANT
            else batch.column(field.name)
            for field in self.schema
        ]
        arrays = [
            array if array.type == field.type else array.cast(field.type)
            for array, field in zip(arrays, self.schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _decompressed(self, batch: pa.RecordBatch, codec: CodecDecoder) -> pa.RecordBatch:
        """Return a batch with the data decompressed, and damaged data as damaged aggregates are: a row of nulls with
        the reason or the bytes, if these are selected, or none."""
        compressed = batch.column("data")
        found = codec.decode(compressed, {}, None)
        broken, data = {row: f"codec: {said}" for row, said in found.problems}, iter(found.items.to_pylist())
        if broken and self._mode == "failfast":
            row = min(broken)
            raise DamagedInputError(f"the data of record {batch.column(SEQUENCE)[row]}: {broken[row]}", reason="codec")
        rows = range(batch.num_rows)
        made: dict[str, Any] = {name: batch.column(name) for name in batch.schema.names}
        made["data"] = pa.array([None if row in broken else next(data) for row in rows], pa.binary())
        if not broken:
            return pa.RecordBatch.from_pydict(made)
        values = {"_error": broken, "_corrupt_record": compressed}
        shown = made.keys() & values.keys() if self._mode == "permissive" else set[str]()
        for name in shown:
            made[name] = pa.array([(values if row in broken else made)[name][row] for row in rows], KINDS[name])
        batch = pa.RecordBatch.from_pydict(made)
        return batch if shown else batch.filter(pa.array([row not in broken for row in rows]))

    @property
    def dropped(self) -> int:
        """Return the number of aggregates dropped so far."""
        return int(self._exploder.facts.get("dropped", 0))
