"""Runs of frames that are decoded with one call, and their decompression ahead of time.

Uncompressed frames are decoded in place. Compressed ones are decompressed by threads while rows are built from those
before them, since zstd and zlib release the GIL.
"""

from __future__ import annotations

import mmap

from ..base.cached import cached_property
from ..base.dataclass import dataclass, field
from ..base.threads import Job, pool, processors, submitted
from ..rows.reader import BATCH_BYTES
from .compression import COMPRESSIONS, MAX_CONTENT, BodyError, decompress_into
from .frames import COMPRESSION_SHIFT, LENGTH_SIZE, MAX_LENGTH, TERMINAL

COMPRESSED_BYTES = 128 * 1024
"""Stored bytes of a run of compressed frames, which one thread decompresses at a time; often this is one frame."""
MOST_FRAMES = 1 << 16
SMALL_BODY = 64 * 1024
"""Maximum size in bytes of uncompressed bodies that are copied if they are between compressed ones."""
WORTH_A_THREAD = 16 * 1024
"""Minimum number of stored bytes of a run for which decompression in a thread is faster."""
SLOT = BATCH_BYTES + MAX_CONTENT + 1
"""Size in bytes for the decompressed data of a run, which ends with the message that exceeds ``BATCH_BYTES``."""
SLOTS = 8
"""Number of slots, for the units that are being decoded and for those that are decompressed meanwhile."""

Found = tuple[int, int, int]
"""A complete frame: its begin and end, relative to its run, and its flag byte. Its body begins at ``BODY``. A plain
tuple, since some sessions have one small record per frame."""
BODY = LENGTH_SIZE + 1
COMPRESSION_BITS = 3 << COMPRESSION_SHIFT


class Slots:
    """Reusable memory for decompressed runs, since allocating new memory costs the system as much as filling it.

    The pages of a slot are allocated when they are first written to.
    """

    def __init__(self) -> None:
        self._free = list(range(SLOTS))

    @cached_property
    def memory(self) -> memoryview:
        """Return the memory of all slots."""
        # Copy on write, so that a forked process does not share the memory.
        return memoryview(mmap.mmap(-1, SLOTS * SLOT, access=mmap.ACCESS_COPY))

    @property
    def free(self) -> int:
        """Return the number of free slots."""
        return len(self._free)

    def take(self) -> int:
        """Allocate a slot and return its offset in ``memory``."""
        return self._free.pop() * SLOT

    def give_back(self, begin: int) -> None:
        """Release a slot."""
        self._free.append(begin // SLOT)


Content = tuple[int, int] | BodyError
"""Offset of the message of a frame in the memory of the slots, and its size; or the error."""


@dataclass
class Run:
    """A run of complete frames without terminal frames, at ``offset`` of the input."""

    offset: int
    frames: list[Found] = field(default_factory=list)
    compressed: bool = False
    flags: int = 0
    """The bitwise or of all flag bytes."""
    slot: int = -1
    """Offset of its slot; -1 if it has none."""
    _ahead: Job[list[Content]] | None = None

    @property
    def size(self) -> int:
        """Return the size in bytes of the run in the input."""
        return self.frames[-1][1] if self.frames else 0

    def begin_ahead(self, view: memoryview, slots: Slots) -> None:
        """Start to decompress the run, with which ``view`` begins, in a thread if that is faster."""
        if self.size < WORTH_A_THREAD or processors() < 2:
            return
        # A copy, since the window of the view may be refilled meanwhile.
        stored = memoryview(bytes(view[: self.size]))
        self.slot = slots.take()
        self._ahead = submitted(pool(), _decompress, stored, self.frames, slots.memory, self.slot)

    def contents(self, view: memoryview, slots: Slots) -> list[Content]:
        """Return the messages of the first frames: at least one, and about ``BATCH_BYTES`` in total."""
        found = None if self._ahead is None else self._ahead.result()
        if found is not None:
            return found
        if self.slot < 0:
            self.slot = slots.take()
        return _decompress(view[: self.size], self.frames, slots.memory, self.slot)

    def rest(self, count: int) -> Run:
        """Return the run without its first ``count`` frames."""
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
    """Return the run of complete frames at the beginning of ``view``, which may be empty.

    It ends before a frame that is incomplete, terminal, or has an invalid length; before a compressed frame if the
    others are not compressed; and when it has about ``BATCH_BYTES`` or 65,536 frames.
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
            # Data before it in the same run is copied, too.
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
