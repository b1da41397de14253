"""Checksums that continue those of the items before them."""

from __future__ import annotations

from typing import Any

Chain = dict[str, tuple[Any, int | None, int | None]]
"""By attribute: the item that has been read or written last, what the item before it held, and what it held."""

UNKNOWN: Chain = {"": (None, None, None)}
"""The chain of a list whose items so far are not known."""


def before(parent: Any, item: Any, name: str, nothing: int) -> int | None:
    """Return what the attribute ``name`` held in the item before ``item``; ``nothing``, the checksum of no bytes, for
    the first item, and ``None`` if the item before is not known. ``parent``: the object that holds the items."""
    chain: Chain = getattr(parent, "_chain", None) or {}
    last, held_before, held = chain.get(name) or chain.get("") or (None, nothing, nothing)
    return held_before if last is item else held


def written_before(parent: Any, item: Any, name: str, nothing: int) -> int:
    """Return the same for an item that is written, perhaps once more: the ones before it have been."""
    return before(parent, item, name, nothing) or 0


def note(parent: Any, item: Any, name: str, held_before: int | None, held: int | None) -> None:
    """Note what the attribute holds in ``item``, and held in the one before it; ``None``: it is not known."""
    if parent is None:
        return
    chain = getattr(parent, "_chain", None)
    if chain is None:
        chain = parent._chain = {}
    chain[name] = (item, held_before, held)
