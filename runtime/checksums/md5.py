"""MD5 (RFC 1321): against damage, not against forgery."""

from __future__ import annotations

import hashlib

from .checksum import Digest


def _compute(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


MD5 = Digest(name="md5", width=128, compute=_compute)
