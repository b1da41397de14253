"""Checksums of the bytes that an object is written as."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ChecksumError
from ..kaitai import KaitaiStream
from .streams import OpenStream


def check_checksum(owner: Any, name: str, computed: int | bytes, src_path: str) -> None:
    """Fill in a checksum that was not assigned; verify one that was."""
    if getattr(owner, name, None) == computed:
        return
    owner._follow(name, computed)
    actual = getattr(owner, name)
    if actual != computed:
        raise ChecksumError(computed, actual, None, src_path)


def cover(
    io: KaitaiStream,
    owner: Any,
    name: str,
    src_path: str,
    begin: int,
    end: int,
    compute: Callable[[bytes], int | bytes],
) -> None:
    """Register a checksum to be computed over the bytes from ``begin`` to ``end`` as soon as they are final.

    This happens while the layout is being found; when the object is finally written, the checksum has its value.
    """
    layout = io.layout if isinstance(io, OpenStream) else None
    if layout is None:
        return

    def at_the_end() -> None:
        computed = compute(io.to_byte_array()[begin:end])
        if owner._follow(name, computed):
            layout.changes.append(name)
        elif getattr(owner, name) != computed:
            layout.refused.append(ChecksumError(computed, getattr(owner, name), None, src_path))

    layout.checksums.append(at_the_end)
