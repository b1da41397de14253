"""The window: the part of the decompressed input that rows are read from.

Rows are read from contiguous memory. Input is read block by block; the partial row at the end of a block is copied to
just before the first byte of the next one, where ``ROOM`` bytes are reserved. Only a larger partial row is assembled in
a separate buffer, which grows with the bytes that have been read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import monotonic
from typing import Protocol

import pyarrow as pa

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..base.threads import Ahead
from ..codecs import Decoder
from .stored import Stored

CHUNK = 2 * 1024 * 1024
"""Bytes per block: small enough to stay in a core's cache until the engine has read it."""
FIRST = 256 * 1024
"""Bytes of the first block: many inputs are small, and the first rows come sooner."""
HEAD_SIZE = 64 * 1024
"""Number of first bytes of an input that are kept: an input without rows is judged by them."""
ROOM = 64 * 1024
"""Bytes reserved before a block for the partial row of the previous block."""
PATIENCE = 0.1
"""Seconds in which a block is filled from a pipe: rows come about as soon as their bytes."""
BLOCKS_AHEAD = 6
"""Blocks of a prefetched input: one is read by the engine, one is being filled. Those in between are full, or wait
until they have left the cache of the engine's processor core, since writing to memory that another core has just read
is slow."""
LEAST_BLOCKS_AHEAD = 3
"""Minimum number of blocks, if they are larger."""


class Window(Protocol):
    """``view[begin:]`` is the input that is in memory and has not been consumed."""

    view: memoryview
    base: int
    """Offset of ``view[0]`` in the decompressed input."""
    begin: int
    at_end: bool
    """Whether ``view`` ends where the input ends."""
    error: WireloomError | None
    """The failure that ended the input, if there was one."""
    unwritten: bytes
    """What space that a writer has allocated and not written looks like, repeated from the input's first byte on: a
    zero byte, or the key of an obfuscated input."""
    before_gap: bool
    """Whether ``view`` ends before a part of the input that need not be read, unless a row goes on there."""

    @property
    def head(self) -> bytes | memoryview:
        """Return the first ``HEAD_SIZE`` bytes of the input, as far as they have been in memory; none if the window
        does not begin with the input."""
        ...

    def extend(self) -> bool:
        """Append input to ``view``; false at the end. ``view``, ``base`` and ``begin`` change."""
        ...

    def skip_hole(self, back: int) -> int:
        """Skip the zeros of a sparse file's hole that begins where ``view`` ends, up to ``back`` bytes before the
        hole's end, and empty ``view``. Return their number; 0: nothing has changed."""
        ...

    def close(self) -> None:
        """Release memory and threads."""
        ...


def extend_twice(window: Window, most: int) -> bool:
    """Extend the window to twice the bytes that have not been consumed.

    What is read from its beginning again after each extension then takes a time in proportion to its size.

    Args:
        window: The window.
        most: Number of bytes that is enough; at least one block is appended, if there is one.

    Returns:
        Whether input was appended.
    """
    needed = min(2 * (len(window.view) - window.begin), most)
    extended = window.extend()
    while extended and not window.before_gap and len(window.view) - window.begin < needed and window.extend():
        pass
    return extended


class MemoryWindow:
    """All of the input, already in the caller's memory: nothing is copied."""

    unwritten = b"\0"
    before_gap = False

    def __init__(self, content: memoryview, begin: int = 0) -> None:
        self.view = content
        self.base = 0
        self.begin = begin
        self.at_end = True
        self.error: WireloomError | None = None

    @property
    def head(self) -> memoryview:
        """Like ``Window.head``."""
        return self.view[: 0 if self.base else HEAD_SIZE]

    def extend(self) -> bool:
        """Return false: all input is in ``view``."""
        return False

    def skip_hole(self, back: int) -> int:
        """Return 0: there are no holes in memory."""
        return 0

    def close(self) -> None:
        """Release the caller's bytes."""
        self.view = memoryview(b"")


@dataclass
class Block:
    """Memory for input after ``ROOM``. ``size`` bytes of it are filled; no block follows the ``last`` one, and
    ``error`` says why the input ended early, if it did."""

    memory: memoryview
    size: int = 0
    last: bool = False
    error: WireloomError | None = None


class Blocks(Protocol):
    """A source of blocks."""

    def next(self) -> Block | None:
        """Return the next block; ``None`` at the end. The last one may have an error."""
        ...

    def give_back(self, block: Block) -> None:
        """Allow the block's memory to be filled again."""
        ...

    def skip_hole(self, back: int) -> int:
        """Like ``Stored.skip_hole``, where the next block would begin."""
        ...

    def close(self) -> None:
        """Stop reading and release memory and threads."""
        ...


def fill(decoder: Decoder, block: Block, stop: int | None = None) -> None:
    """Fill a block while the decoder has room in it, and note how the input ended, if it did. On a pipe that is not
    compressed, a block ends when no bytes have come for a while.

    ``stop``: for inputs that are not compressed, the stored byte at which the requested range ends. A block ends there,
    and those after it are small, since they are read only for one row.
    """
    block.size, block.last, block.error = 0, False, None
    until = 0.0
    target = block.memory[ROOM:]
    if stop is not None and isinstance(decoder, Stored):
        target = target[: stop - decoder.position if decoder.position < stop else FIRST]
    try:
        while len(target) - block.size >= decoder.room:
            if block.size and isinstance(decoder, Stored) and not decoder.is_ready(until):
                return
            count = decoder.readinto(target[block.size :])
            if not block.size:
                until = monotonic() + PATIENCE
            block.size += count
            if not count:
                block.last = True
                return
    except WireloomError as error:
        block.error = error
    except MemoryError:
        block.error = WireloomError("not enough memory to decompress the input", reason="codec")
    block.last = block.error is not None


def new_block(decoder: Decoder, chunk: int) -> Block:
    """Return an empty block for about ``chunk`` bytes."""
    # Memory of Arrow's pool is not zeroed, and that of the previous scan is reused.
    return Block(memoryview(pa.allocate_buffer(ROOM + max(chunk, decoder.room))).cast("B"))


class DirectBlocks:
    """Blocks that are filled on demand."""

    def __init__(self, decoder: Decoder, chunk: int = CHUNK, *, stop: int | None = None) -> None:
        self._decoder = decoder
        self._chunk = chunk
        self._stop = stop
        self._free: Block | None = None
        self._first = True
        self._ended = False

    def next(self) -> Block | None:
        """Like ``Blocks.next``."""
        if self._ended:
            return None
        block, self._free = self._free, None
        if block is None:
            block = new_block(self._decoder, min(self._chunk, FIRST) if self._first else self._chunk)
            self._first = False
        fill(self._decoder, block, self._stop)
        self._ended = block.last
        return block

    def give_back(self, block: Block) -> None:
        """Like ``Blocks.give_back``."""
        self._free = block if len(block.memory) >= ROOM + self._chunk else None

    def skip_hole(self, back: int) -> int:
        """Like ``Blocks.skip_hole``."""
        return self._decoder.skip_hole(back) if isinstance(self._decoder, Stored) and not self._ended else 0

    def close(self) -> None:
        """Like ``Blocks.close``."""
        self._ended = True
        self._free = None


class PrefetchedBlocks:
    """Blocks that a thread fills while the previous one is being read. ``may_block``: a read may block forever."""

    def __init__(
        self, decoder: Decoder, chunk: int = CHUNK, *, may_block: bool = False, stop: int | None = None
    ) -> None:
        self._decoder = decoder
        self._chunk = chunk
        self._may_block = may_block
        self._first_given_back = False
        self._ended = False
        # Functions, not methods: the thread must not keep this object.
        self._ahead = Ahead(
            "wireloom-prefetch", partial(_filled, decoder, stop), partial(_new_blocks, decoder, chunk), _is_last
        )

    def next(self) -> Block | None:
        """Like ``Blocks.next``."""
        if self._ended:
            return None
        block = self._ahead.next()
        self._ended = block.last
        return block

    def give_back(self, block: Block) -> None:
        """Like ``Blocks.give_back``."""
        whole = self._first_given_back
        self._first_given_back = True
        self._ahead.give(block if whole else new_block(self._decoder, self._chunk))

    def skip_hole(self, back: int) -> int:
        """Return 0: the thread may have read the hole already."""
        return 0

    def close(self) -> None:
        """End the thread and wait for it, unless it may be blocked by a pipe."""
        self._ended = True
        self._ahead.close(wait=not self._may_block)


def _new_blocks(decoder: Decoder, chunk: int) -> Iterator[Block]:
    # As much memory, whatever the size of a block.
    count = min(BLOCKS_AHEAD, max(BLOCKS_AHEAD * CHUNK // chunk, LEAST_BLOCKS_AHEAD))
    return (new_block(decoder, chunk if number else min(chunk, FIRST)) for number in range(count))


def _filled(decoder: Decoder, stop: int | None, block: Block) -> Block:
    try:
        fill(decoder, block, stop)
    except BaseException as error:
        # Any exception: what was read before it is returned first.
        block.error = WireloomError(f"reading failed: {error!r}", reason="missing")
        block.last = True
    return block


def _is_last(block: Block) -> bool:
    return block.last


class StreamWindow:
    """A window over input that is read block by block. ``start`` is the offset of its first byte."""

    unwritten = b"\0"
    before_gap = False

    def __init__(self, blocks: Blocks, start: int = 0) -> None:
        self.view = memoryview(b"")
        self.base = start
        self.begin = 0
        self.at_end = False
        self.error: WireloomError | None = None
        self.head = b""
        self._has_head = start > 0
        """Whether ``head`` is complete."""
        self._blocks = blocks
        self._block: Block | None = None
        self._own = memoryview(b"")
        """The buffer of a large partial row, filled up to ``_own_end``, where ``view`` then ends."""
        self._own_end = 0

    def extend(self) -> bool:
        """Like ``Window.extend``. Does not raise: a failure is kept in ``error`` and ends the input."""
        if self.at_end:
            return False
        carry = self.view[self.begin :]
        self.base += self.begin
        self.begin = 0
        if len(carry) <= ROOM:
            # The block is given back before the next one is requested: if the same memory is reused, it is still in the
            # processor's cache.
            carry = memoryview(bytes(carry))
            self._let_go()
        self.view = carry
        block = self._blocks.next()
        if block is None:
            self.at_end = True
            return False
        self.error = block.error
        self.at_end = block.last
        if not block.size:
            self._blocks.give_back(block)
            return False
        if not self._has_head:
            self._add_to_head(bytes(block.memory[ROOM : ROOM + min(block.size, HEAD_SIZE)]))
        if len(carry) <= ROOM:
            start = ROOM - len(carry)
            block.memory[start:ROOM] = carry
            self.view = block.memory[start : ROOM + block.size]
            self._block = block
        else:
            self._append(carry, block)
        return True

    def _add_to_head(self, piece: bytes) -> None:
        self.head = (self.head + piece)[:HEAD_SIZE]
        self._has_head = len(self.head) == HEAD_SIZE

    def _let_go(self) -> None:
        if self._block is not None:
            self._blocks.give_back(self._block)
        self._block = None
        self._own = memoryview(b"")

    def _append(self, carry: memoryview, block: Block) -> None:
        """Append a block to a large partial row in its own buffer."""
        end = self._own_end + block.size
        if self._block is not None or end > len(self._own):
            # Not zeroed, as in new_block.
            own = memoryview(pa.allocate_buffer(2 * (len(carry) + block.size))).cast("B")
            own[: len(carry)] = carry
            self._let_go()
            self._own, self._own_end = own, len(carry)
            end = len(carry) + block.size
        self._own[self._own_end : end] = block.memory[ROOM : ROOM + block.size]
        self.view = self._own[self._own_end - len(carry) : end]
        self._own_end = end
        self._blocks.give_back(block)

    def skip_hole(self, back: int) -> int:
        """Like ``Window.skip_hole``."""
        skipped = self._blocks.skip_hole(back)
        if skipped:
            if not self._has_head:
                self._add_to_head(bytes(min(skipped, HEAD_SIZE)))
            self._pass(skipped)
        return skipped

    def _pass(self, size: int) -> None:
        """Empty ``view``, and continue ``size`` bytes after its end."""
        self.base += len(self.view) + size
        self.begin = 0
        self.view = memoryview(b"")
        self._let_go()

    def close(self) -> None:
        """End the thread, if there is one, and release memory."""
        self._blocks.close()
        self.view = memoryview(b"")
        self._block = None
        self._own = memoryview(b"")
