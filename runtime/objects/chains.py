"""Checksums that continue from those of the previous items."""

from __future__ import annotations

from typing import Any

Chain = dict[str, tuple[Any, int | None, int | None]]
"""By attribute: the item that was read or written last, the value in the item before it, and its own value."""

UNKNOWN: Chain = {"": (None, None, None)}
"""The chain of a list whose previous items are not known."""


def before(parent: Any, item: Any, name: str, nothing: int) -> int | None:
    """Return the value of the attribute ``name`` in the item before ``item``; for the first item ``nothing``, the
    checksum of no bytes; and ``None`` if the previous item is not known. ``parent``: the object that contains the
    items."""
    chain: Chain = getattr(parent, "_chain", None) or {}
    last, held_before, held = chain.get(name) or chain.get("") or (None, nothing, nothing)
    return held_before if last is item else held


def written_before(parent: Any, item: Any, name: str, nothing: int) -> int:
    """Like ``before``, for an item that is being written, perhaps again: the items before it have already been
    written."""
    return before(parent, item, name, nothing) or 0


def note(parent: Any, item: Any, name: str, held_before: int | None, held: int | None) -> None:
    """Record the value of the attribute in ``item`` and in the item before it; ``None`` if it is not known."""
    if parent is None:
        return
    chain = getattr(parent, "_chain", None)
    if chain is None:
        chain = parent._chain = {}
    chain[name] = (item, held_before, held)
