"""The bytes of an aggregate, written with the classes that are generated from the format's spec."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from ..format import registry

if TYPE_CHECKING:
    from .records import UserRecord

MAGIC = b"\xf3\x89\x9a\xc2"
"""The first bytes of every aggregate."""

FORMAT_NAME = "kpl_aggregated_record"


@cache
def _classes() -> tuple[Any, Any, Any, Any]:
    root: Any = registry.get(FORMAT_NAME).root_class
    return root, root.AggregatedRecord, root.Record, root.Tag


def aggregate(
    partition_keys: dict[str, int], explicit_hash_keys: dict[str, int], records: Iterable[UserRecord]
) -> bytes:
    """Return the aggregate of these records. The tables map each key to its index."""
    root, message, record_class, tag_class = _classes()
    return bytes(
        root(
            message=message(
                partition_key_table=list(partition_keys),
                explicit_hash_key_table=list(explicit_hash_keys),
                records=[
                    record_class(
                        partition_key_index=partition_keys[each.partition_key],
                        explicit_hash_key_index=(
                            None if each.explicit_hash_key is None else explicit_hash_keys[each.explicit_hash_key]
                        ),
                        data=each.data,
                        tags=[tag_class(key=key, value=value) for key, value in each.tags],
                    )
                    for each in records
                ],
            )
        ).to_bytes()
    )


def looks_aggregated(data: bytes) -> bool:
    """Return whether a reader would try to read these bytes as an aggregate: they begin like one, and have at least the
    minimum length."""
    return len(data) > 20 and data.startswith(MAGIC)
