"""Packs rows of the format's table into aggregates, for ``wireloom.write`` and ``wireloom.to_wire``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from ..base.errors import WireloomError
from ..format.description import Format
from ..units.packing import Packed, Row
from .aggregator import MAX_SIZE, Aggregator
from .records import KinesisRecord, UserRecord


class Packing:
    """Packs rows of one shard into an aggregate up to ``target_size`` (by default ``max_size``). A row whose
    ``aggregated`` is false becomes a record of its own, without aggregation. The options are those of
    ``wireloom.kpl.Aggregator``; sizes and shards may be strings."""

    OPTIONS: ClassVar[tuple[str, ...]] = ("shards", "target_size", "max_size", "single")
    SEVERAL: ClassVar[str] = (
        "an aggregate holds rows of one shard, or of one hash key where the option shards is not given: give"
        " shards='FIRST-LAST,…', the hash ranges of the stream's shards, or shards='one' where it has only one, and"
        " rows of one shard that fit in max_size"
    )

    def __init__(
        self,
        format: Format,
        *,
        max_record: int,
        shards: Any = None,
        target_size: int | str | None = None,
        max_size: int | str = MAX_SIZE,
        single: str = "aggregated",
    ) -> None:
        most = min(_number("max_size", max_size), max_record)
        target = most if target_size is None else _number("target_size", target_size)
        self._aggregator = Aggregator(shards=shards, target_size=target, max_size=most, single=single)

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Pack rows, like ``wireloom.units.packing.Packing.pack``."""
        for number, row in enumerate(rows):
            if row.get("aggregated") is False:
                yield from _packed(self._aggregator.flush())
                yield Packed(_data(row, number), 1)
                continue
            try:
                finished = self._aggregator.add_record(_record(row, number))
            except WireloomError as error:
                raise WireloomError(f"row {number}: {error.message}", reason=error.reason) from error
            yield from _packed(finished)
        yield from _packed(self._aggregator.flush())


def _packed(records: list[KinesisRecord]) -> Iterator[Packed]:
    return (Packed(each.data, each.count) for each in records)


def _record(row: Row, number: int) -> UserRecord:
    key = row.get("partition_key")
    if not isinstance(key, str):
        raise WireloomError(f"column partition_key: {key!r:.60} is not text, but every record needs a partition key")
    hash_key = row.get("explicit_hash_key")
    if hash_key is not None and not isinstance(hash_key, str):
        raise WireloomError(f"column explicit_hash_key: {hash_key!r:.60} is not text: give the number as decimal text")
    return UserRecord(key, _data(row, number), hash_key, tuple(_tags(row.get("tags"))))


def _data(row: Row, number: int) -> bytes:
    data = row.get("data")
    if not isinstance(data, bytes | bytearray | memoryview):
        raise WireloomError(f"row {number}, column data: {data!r:.60} is not bytes")
    return bytes(data)


def _tags(tags: Any) -> Iterator[tuple[str, str | None]]:
    if isinstance(tags, Mapping):
        tags = list(tags.items())
    if tags is not None and not isinstance(tags, list | tuple):
        raise WireloomError(f"column tags: {tags!r:.60} is not a list of pairs")
    for tag in tags or ():
        pair = (tag.get("key"), tag.get("value")) if isinstance(tag, Mapping) else tag
        match pair:
            case [str() as key, (str() | None) as value]:
                yield key, value
            case _:
                raise WireloomError(f"column tags: {tag!s:.60} is not a pair of a text and a text or null")


def _number(name: str, value: int | str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise WireloomError(f"{name} is a number of bytes, not {value!r}") from None
