"""The zeros at the end of an input that grows: space that a writer has allocated, but not written yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .opening import Opened

AT_ONCE = 256 * 1024


def end_of_written(opened: Opened) -> int | None:
    """Return the offset after the last byte of an input that is not zero; 0 if there is none. The window of the input
    is restored. ``None``: the input can only be read sequentially."""
    if opened.begin_at is None:
        return None
    begin = opened.window.base + opened.window.begin
    end = opened.size if opened.size is not None else opened.window.base + len(opened.window.view)
    found = 0
    while end > 0 and not found:
        first = max(0, end - AT_ONCE)
        window = opened.restart(first)
        while not window.at_end and window.base + len(window.view) < end and window.extend():
            pass
        last = first + len(bytes(window.view[first - window.base : end - window.base]).rstrip(b"\0"))
        found = last if last > first else 0
        end = first
    opened.restart(begin)
    return found
