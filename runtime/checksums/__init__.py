"""The registry of checksums that fields may hold.

An algorithm is a file here that makes a ``Crc`` or a ``Digest``, and its entry in ``CHECKSUMS``. The dialect, the
generated code and the column programs follow from that. One that the engine computes too has the number of its row
there (``runtime/engine/crc.c``).
"""

from __future__ import annotations

from ..base.arguments import one_of
from .checksum import Crc, Digest
from .crc32 import CRC32
from .crc32c import CRC32C
from .md5 import MD5

CHECKSUMS: dict[str, Crc | Digest] = {each.name: each for each in (CRC32C, CRC32, MD5)}
"""Every algorithm by its name."""


def crc(name: str) -> Crc:
    """Return the CRC of that name. Raises ``UnknownNameError``."""
    found = CHECKSUMS[one_of("checksum", name, [each.name for each in CHECKSUMS.values() if isinstance(each, Crc)])]
    assert isinstance(found, Crc)
    return found


def digest(name: str) -> Digest:
    """Return the digest of that name. Raises ``UnknownNameError``."""
    found = CHECKSUMS[one_of("digest", name, [each.name for each in CHECKSUMS.values() if isinstance(each, Digest)])]
    assert isinstance(found, Digest)
    return found


def engine_number(name: str) -> int:
    """Return the number of an algorithm in the engine. Raises ``ValueError`` where the engine does not have it."""
    found = CHECKSUMS.get(name)
    if not isinstance(found, Crc) or found.engine_number is None:
        raise ValueError(f"the engine has no checksum {name!r}")
    return found.engine_number


__all__ = ["CHECKSUMS", "CRC32", "CRC32C", "MD5", "Crc", "Digest", "crc", "digest", "engine_number"]
