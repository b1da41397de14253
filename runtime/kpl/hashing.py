"""Hash keys, the numbers that determine the shard of a record, and ranges of them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from typing import Any

from ..base.errors import WireloomError

LARGEST_HASH_KEY = 2**128 - 1


def hash_of(partition_key: str, explicit_hash_key: str | None) -> int:
    """Return the hash key of a record, 0 to 2**128 - 1 (an explicit hash key may be any integer).

    >>> hash_of("a", None)
    16955237001963240173058271559858726497
    >>> hash_of("a", "7")
    7
    """
    if explicit_hash_key is not None:
        return integer(explicit_hash_key)
    digest = hashlib.md5(partition_key.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest, "big")


def integer(text: str) -> int:
    """Return a decimal integer of any length; one far outside of every range is replaced by a shorter one
    that is outside too."""
    sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    # The digits may be of any script. Leading zeros are removed because Python refuses to convert very long strings.
    plain = "".join(str(unicodedata.decimal(each)) for each in digits).lstrip("0") or "0"
    return int(sign + plain) if len(plain) < 40 else int(f"{sign}1{'0' * 39}")


def range_of(value: Any, name: str = "hash_range") -> tuple[int, int]:
    """Return the first and last hash key of a shard, from ``"FIRST-LAST"``, a pair, or a mapping such as the
    ``HashKeyRange`` of ``ListShards``. ``name``: the name of the option, for messages. Raises ``WireloomError``."""
    parts = value.split("-") if isinstance(value, str) else value
    if isinstance(value, Mapping):
        parts = (value.get("StartingHashKey"), value.get("EndingHashKey"))
    try:
        first, last = (int(each) for each in parts)
    except (TypeError, ValueError):
        first, last = 1, 0
    if not 0 <= first <= last <= LARGEST_HASH_KEY:
        raise WireloomError(
            f"{name} is 'FIRST-LAST', or a pair, of numbers from 0 to {LARGEST_HASH_KEY}, not {value!r:.100}: a shard's"
            " StartingHashKey and EndingHashKey"
        )
    return first, last
