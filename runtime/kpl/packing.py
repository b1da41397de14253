"""Rows of the format's table as aggregates: what ``wireloom.write`` and ``wireloom.to_wire`` make of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from ..errors import WireloomError
from ..format import Format
from ..messages.packing import Packed, Row
from .aggregator import MAX_SIZE, Aggregator
from .records import KinesisRecord, UserRecord


class Packing:
    """As many rows in one aggregate as ``target_size`` (by default ``max_size``) allows. A row whose ``aggregated`` is
    false is a record by itself, as it is. Options as those of ``wireloom.kpl.Aggregator``; sizes may be text."""

    OPTIONS: ClassVar[tuple[str, ...]] = ("target_size", "max_size", "single")

    def __init__(
        self,
        format: Format,
        *,
        max_record: int,
        target_size: int | str | None = None,
        max_size: int | str = MAX_SIZE,
        single: str = "aggregated",
    ) -> None:
        most = min(_number("max_size", max_size), max_record)
        target = most if target_size is None else _number("target_size", target_size)
        self._aggregator = Aggregator(target_size=target, max_size=most, single=single)

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """As ``wireloom.messages.packing.Packing.pack``."""
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


def _packed(record: KinesisRecord | None) -> Iterator[Packed]:
    if record is not None:
        yield Packed(record.data, record.count)


def _record(row: Row, number: int) -> UserRecord:
    key = row.get("partition_key")
    if not isinstance(key, str):
        raise WireloomError(f"column partition_key: {key!r:.60} is no text, and every record has a partition key")
    hash_key = row.get("explicit_hash_key")
    if hash_key is not None and not isinstance(hash_key, str):
        raise WireloomError(f"column explicit_hash_key: {hash_key!r:.60} is no text: give the number as decimal text")
    return UserRecord(key, _data(row, number), hash_key, tuple(_tags(row.get("tags"))))


def _data(row: Row, number: int) -> bytes:
    data = row.get("data")
    if not isinstance(data, bytes | bytearray | memoryview):
        raise WireloomError(f"row {number}, column data: {data!r:.60} is not bytes")
    return bytes(data)


def _tags(tags: Any) -> Iterator[tuple[str, str | None]]:
    for tag in tags or ():
        key, value = (tag.get("key"), tag.get("value")) if hasattr(tag, "get") else tag
        if not isinstance(key, str) or not (value is None or isinstance(value, str)):
            raise WireloomError(f"column tags: {tag!r:.60} is no pair of a text and a text or null")
        yield key, value


def _number(name: str, value: int | str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise WireloomError(f"{name} is a number of bytes, not {value!r}") from None
