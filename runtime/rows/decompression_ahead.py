"""Contents of zstd blocks that are expected after the current one, decompressed by threads while rows are read.

The bytes between the blocks of a file mostly have about the same size, that of the headers of a unit, or of an index of
its rows, and the end of a zstd frame is found from the sizes of its parts. So after two blocks the next ones are looked
for at about that distance. What is found there is a guess: a content is used only for a block of the same bytes. A
thread gets several small blocks at once, since handing over each of them would take as long as reading its rows.
Instead of waiting for a thread, the reader decompresses the last ones of those that no thread has begun, so that it and
the thread meet in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ..base.threads import WORKERS, Job, pool, processors, submitted
from ..codecs import ZSTD_MAGIC, CodecError, expand_block, zstd_frame_sizes
from ..input.window import Window

GROUPS_AHEAD = 2
"""Maximum number of groups of blocks after that of the current one, so that their contents have bounded memory."""
WORTH_A_THREAD = 16 * 1024
"""Minimum size in bytes of a block for which a thread is faster."""
MOST_STORED, MOST_CONTENT = 4 * 1024 * 1024, 8 * 1024 * 1024
"""Maximum size in bytes of a block that is decompressed ahead, and of its content."""
ENOUGH = 1024 * 1024
"""Size in bytes of a group from which on it gets no other block; a block counts with its content, or with its own size
if that is larger."""
MOST_BETWEEN = 1024 * 1024
"""Maximum distance of blocks in bytes."""


class Group:
    """Consecutive blocks. ``stored``: their bytes, by their positions in the input; ``most``: the maximum sizes of
    their contents in bytes."""

    def __init__(self, stored: dict[int, bytes], most: dict[int, int]) -> None:
        self.stored = stored
        self._most = most
        self.waiting = deque(stored)
        """The positions of the blocks that have not been begun. A call of its methods is atomic."""
        self._contents: dict[int, bytes | None] = {}
        """Contents by position, without those that were taken; ``None`` for a damaged block."""

    def take(self, position: int, groups: list[Group], jobs: list[Job[None]]) -> bytes | None:
        """Return the content of a block, once; ``None`` if no thread has begun it, or it is damaged. While a thread is
        at it, others are decompressed, of this group and of the next ones, which ``groups`` contains."""
        while position not in self._contents:
            try:
                self.waiting.remove(position)
            except ValueError:
                if any(each.expand(each.waiting.pop) for each in groups):
                    continue
                for job in jobs:
                    job.result()
            break
        return self._contents.pop(position, None)

    def expand(self, next_position: Callable[[], int]) -> bool:
        """Decompress one of the blocks; return whether there was one."""
        try:
            position = next_position()
        except IndexError:
            return False
        try:
            self._contents[position] = expand_block(("zstd",), 0, self.stored[position], self._most[position], None)
        except CodecError:
            self._contents[position] = None
        return True


def _expand_all(groups: list[Group]) -> None:
    """Decompress all blocks of groups, also of those that are added meanwhile."""
    while any(group.expand(group.waiting.popleft) for group in tuple(groups)):
        pass


class DecompressionAhead:
    """Decompresses blocks of one input ahead of a reader of its rows."""

    def __init__(self) -> None:
        self._window: Window | None = None
        self._end = self._between = -1
        """The end of the last block in the input, and the distance of the last two; -1 if that is not known."""
        self._groups: list[Group] = []
        """The group of the last block, if it was in one, and those after it, in the order of the input."""
        self._jobs: list[Job[None]] = []
        """The threads that decompress them."""
        self._reached = -1
        """The end of the last block of all groups."""

    def look_at(self, window: Window) -> None:
        """Set the bytes in which the next blocks are looked for."""
        self._window = window

    def forget(self) -> None:
        """Forget all blocks, since another input begins."""
        self._group_of(-1)
        self._window, self._end, self._between = None, -1, -1

    def take(self, position: int, data: bytes) -> bytes | None:
        """Return the content of the block ``data`` at a position of the input, and let threads begin with the next
        ones; ``None`` if it is not there, or damaged."""
        group = self._group_of(position)
        self._between, self._end = position - self._end if self._end >= 0 else -1, position + len(data)
        if group is None:
            self._reached = self._end
        if len(self._groups) <= GROUPS_AHEAD and len(data) >= WORTH_A_THREAD and 0 <= self._between <= MOST_BETWEEN:
            self._begin()
        if group is None or group.stored[position] != data:
            return None
        return group.take(position, self._groups, self._jobs)

    def _group_of(self, position: int) -> Group | None:
        """Return the group with the block at a position, and forget those before it: all, if it is in none."""
        while self._groups and position not in self._groups[0].stored:
            self._groups.pop(0).waiting.clear()
        return self._groups[0] if self._groups else None

    def _begin(self) -> None:
        """Let threads decompress the next blocks, as far as the window contains them."""
        if self._window is None or processors() < 2:
            return
        while len(self._groups) <= GROUPS_AHEAD:
            group = self._next_group(self._window.view, self._window.base)
            if group is None:
                break
            self._groups.append(group)
        self._jobs = [job for job in self._jobs if not job.has_ended]
        # One of the processors is that of the reader.
        if len(self._jobs) < min(WORKERS, processors() - 1) and any(group.waiting for group in self._groups):
            self._jobs.append(submitted(pool(), _expand_all, self._groups))

    def _next_group(self, view: memoryview, base: int) -> Group | None:
        """Return the next group in ``view``, which begins at offset ``base``."""
        stored: dict[int, bytes] = {}
        most: dict[int, int] = {}
        total = 0
        while total < ENOUGH:
            at = self._next_frame(view, self._reached - base)
            sizes = zstd_frame_sizes(view[at : at + MOST_STORED]) if at >= 0 else None
            if sizes is None or sizes[0] < WORTH_A_THREAD:
                break
            begin = base + at
            size, most[begin] = sizes[0], min(sizes[1], MOST_CONTENT)
            # A copy, since these bytes may be replaced meanwhile.
            stored[begin] = bytes(view[at : at + size])
            self._reached = begin + size
            total += max(size, most[begin])
        return Group(stored, most) if stored else None

    def _next_frame(self, view: memoryview, end: int) -> int:
        """Return the index of the first frame after a block that ends at ``end``, at about the usual distance; -1 if
        there is none."""
        expected = end + self._between
        if end < 0:
            return -1
        if view[expected : expected + len(ZSTD_MAGIC)] == ZSTD_MAGIC:
            return expected
        first = end + self._between // 2
        found = bytes(view[first : expected + self._between // 2]).find(ZSTD_MAGIC)
        return first + found if found >= 0 else -1
