"""Stretches of frames that become one call of the decoder, and their decompression ahead of it.

Frames that are not compressed are decoded where they stand. Compressed ones are decompressed by threads while rows are
made of those before them: zstd and zlib let other threads run.
"""

from __future__ import annotations

import mmap
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from ..base.cached import cached_property
from ..rows.reader import BATCH_BYTES
from .compression import COMPRESSIONS, MAX_CONTENT, BodyError, decompress_into
from .frames import COMPRESSION_SHIFT, LENGTH_SIZE, MAX_LENGTH, TERMINAL

COMPRESSED_BYTES = 128 * 1024
"""Stored bytes of a stretch of compressed frames, which one thread takes at a time; often that is one frame."""
MOST_FRAMES = 1 << 16
SMALL_BODY = 64 * 1024
"""Bodies up to this size that are not compressed are copied, where they are between compressed ones."""
WORTH_A_THREAD = 16 * 1024
"""Stored bytes of a stretch from which on handing it to a thread costs less than it gains."""
WORKERS = 2
"""Threads of a process: together they are quicker than one that makes rows."""
SLOT = BATCH_BYTES + MAX_CONTENT + 1
"""Room for what a stretch decompresses to: it stops after the message with which it passes ``BATCH_BYTES``."""
SLOTS = 8
"""For the units that are being decoded, and for what is decompressed meanwhile."""

Found = tuple[int, int, int]
"""A complete frame: where it begins and ends, counted from the begin of its stretch, and its flag byte. Its body begins
at ``BODY``. A plain tuple: there are sessions of one small record per frame."""
BODY = LENGTH_SIZE + 1
COMPRESSION_BITS = 3 << COMPRESSION_SHIFT


class Slots:
    """Memory for decompressed stretches, used again and again: new memory costs the system as much as filling it.

    The pages of a slot become real when they are first written to.
    """

    def __init__(self) -> None:
        self._free = list(range(SLOTS))

    @cached_property
    def memory(self) -> memoryview:
        """Return all slots."""
        # A copy on write, so that a forked process does not share it.
        return memoryview(mmap.mmap(-1, SLOTS * SLOT, access=mmap.ACCESS_COPY))

    @property
    def free(self) -> int:
        """Return the number of free slots."""
        return len(self._free)

    def take(self) -> int:
        """Take a slot and return the offset in ``memory`` at which it begins."""
        return self._free.pop() * SLOT

    def give_back(self, begin: int) -> None:
        """Release a slot."""
        self._free.append(begin // SLOT)


Content = tuple[int, int] | BodyError
"""Where the message of a frame begins in the memory of the slots, and its size; or why there is none."""


@dataclass
class Run:
    """A stretch of complete frames, none of them terminal, from ``offset`` of the input on."""

    offset: int
    frames: list[Found] = field(default_factory=list)
    compressed: bool = False
    flags: int = 0
    """The bits of all flag bytes together."""
    slot: int = -1
    """Where its slot begins, once it has one."""
    _ahead: Future[list[Content]] | None = None
    _process: int = 0

    @property
    def size(self) -> int:
        """Return the size in bytes of the input."""
        return self.frames[-1][1] if self.frames else 0

    def begin_ahead(self, view: memoryview, slots: Slots) -> None:
        """Let a thread decompress the stretch with which ``view`` begins, where that pays."""
        if self.size < WORTH_A_THREAD or _parallel() < 2:
            return
        # A copy: the window that the view is of may be filled again meanwhile.
        stored = memoryview(bytes(view[: self.size]))
        self.slot = slots.take()
        self._process = os.getpid()
        self._ahead = _pool().submit(_decompress, stored, self.frames, slots.memory, self.slot)

    def contents(self, view: memoryview, slots: Slots) -> list[Content]:
        """Return the messages of the first frames, at least of one, as many as about ``BATCH_BYTES`` hold."""
        # A thread that has not begun is not waited for; and a forked process does not have the threads.
        if self._ahead is not None and self._process == os.getpid() and not self._ahead.cancel():
            return self._ahead.result()
        if self.slot < 0:
            self.slot = slots.take()
        return _decompress(view[: self.size], self.frames, slots.memory, self.slot)

    def rest(self, count: int) -> Run:
        """Return the stretch without its first ``count`` frames."""
        cut = self.frames[count - 1][1]
        frames = [(begin - cut, end - cut, flag) for begin, end, flag in self.frames[count:]]
        return Run(self.offset + cut, frames, self.compressed, self.flags)


def _decompress(stretch: memoryview, frames: list[Found], memory: memoryview, slot: int) -> list[Content]:
    found: list[Content] = []
    filled = slot
    for begin, end, flag in frames:
        if filled - slot >= BATCH_BYTES:
            break
        word = COMPRESSIONS[flag >> COMPRESSION_SHIFT & 3] if is_compressed(flag) else "none"
        try:
            size = decompress_into(stretch[begin + BODY : end], word, memory[filled:])
        except BodyError as error:
            found.append(error)
            continue
        found.append((filled, size))
        filled += size
    return found


def find_run(view: memoryview, offset: int) -> Run:
    """Return the complete frames that ``view`` begins with and that go together; it may have none.

    It ends before a frame that is not complete, is terminal, or has a length that no frame has; before a compressed one
    where the others are not; and where it has about ``BATCH_BYTES`` or 65,536 frames.
    """
    run = Run(offset)
    frames = run.frames
    position, end, enough, flags = 0, len(view), BATCH_BYTES, 0
    while end - position >= BODY and position < enough and len(frames) < MOST_FRAMES:
        length = view[position] << 16 | view[position + 1] << 8 | view[position + 2]
        flag = view[position + LENGTH_SIZE]
        following = position + LENGTH_SIZE + length
        if following > end or flag & TERMINAL or not 0 < length <= MAX_LENGTH:
            break
        if flag & COMPRESSION_BITS and is_compressed(flag):
            # What is before it in the same stretch is copied, too.
            if not run.compressed and position > SMALL_BODY:
                break
            run.compressed, enough = True, COMPRESSED_BYTES
        elif run.compressed and length > SMALL_BODY:
            break
        frames.append((position, following, flag))
        flags |= flag
        position = following
    run.flags = flags
    return run


def is_compressed(flag: int) -> bool:
    """Return whether the body of a frame with this flag is compressed."""
    return flag >> COMPRESSION_SHIFT & 3 in (1, 2)


_pools: dict[int, ThreadPoolExecutor] = {}
"""By process: a forked one has none of the threads of its parent."""


def _pool() -> ThreadPoolExecutor:
    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(WORKERS, thread_name_prefix="wireloom-s2")
    return _pools[process]


def _parallel() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
