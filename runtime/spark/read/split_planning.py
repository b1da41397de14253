"""Plans which parts of which files form a partition. Pure functions without Spark and I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...base.dataclass import dataclass
from ...input.inputs import FileInput, Input

EXPANSION = 4
"""Assumed ratio of decompressed to compressed size, typical for text logs."""

NEARNESS = 32
"""Ratio of the cost of opening an object in a store to that of opening a file of a mounted disk."""

TOGETHER = 1024
"""The same ratio for a file that is read together with others."""

UNKNOWN_SIZE = 64 * 1024 * 1024
"""Assumed size in bytes of an input of unknown size."""


@dataclass(frozen=True)
class Candidate:
    """A file to be read. ``splittable``: any byte range of it can be read independently; ``compressed`` is derived from
    its name; ``together``: the rows of several such files are read at once.
    """

    input: Input
    splittable: bool = False
    compressed: bool = False
    together: bool = False

    @property
    def cost(self) -> int:
        """Return the estimated number of bytes to read."""
        size = UNKNOWN_SIZE if self.input.size is None else self.input.size
        return size * EXPANSION if self.compressed else size

    def opening(self, open_cost: int) -> int:
        """Return the cost of opening the file, in bytes. ``open_cost``: that of an object in a store."""
        if not isinstance(self.input, FileInput):
            return open_cost
        return open_cost // (TOGETHER if self.together else NEARNESS)


@dataclass(frozen=True)
class Slice:
    """A part of a file: the rows that begin in bytes ``begin`` … ``end`` (exclusive; ``None``: to the end
    of the file)."""

    input: Input
    begin: int
    end: int | None
    cost: int
    opening: int = 0
    """Cost of opening the file, in bytes."""

    @property
    def byte_range(self) -> tuple[int, int] | None:
        """Return the range for the scanner; ``None`` for a whole file."""
        return None if self.end is None else (self.begin, self.end)


def plan(
    candidates: Iterable[Candidate],
    *,
    max_partition_bytes: int,
    open_cost: int,
    min_partitions: int,
    confirm: Callable[[Sequence[Input]], Iterable[bool]] | None = None,
) -> list[tuple[Slice, ...]]:
    """Return the partitions: every byte of every file is in exactly one slice, and every slice in exactly one
    partition.

    As for Spark's own files, a partition has about ``max_partition_bytes``, or less if that results in
    ``min_partitions``, but never less than ``open_cost``, the cost in bytes of opening one more object of a store;
    files of a mounted disk cost less. A file that cannot be split is one slice whatever its size. ``confirm`` returns
    which of the files that would be split can be; it may have to open them.
    """
    files = list(candidates)
    total = sum(each.cost + each.opening(open_cost) for each in files)
    target = max(1, min(max_partition_bytes, max(open_cost, total // max(1, min_partitions))))
    large = [index for index, each in enumerate(files) if each.splittable and (each.input.size or 0) > target]
    answers = [True] * len(large) if confirm is None else confirm([files[index].input for index in large])
    split = {index for index, answer in zip(large, answers, strict=True) if answer}
    slices = [
        piece
        for index, each in enumerate(files)
        for piece in _slices(each, target, each.opening(open_cost), index in split)
    ]
    # Spark's order: the largest first, followed by the next ones as long as they fit.
    slices.sort(key=lambda piece: -piece.cost)
    partitions: list[tuple[Slice, ...]] = []
    current: list[Slice] = []
    filled = 0
    for piece in slices:
        if current and filled + piece.cost > target:
            partitions.append(tuple(current))
            current, filled = [], 0
        current.append(piece)
        filled += piece.cost + piece.opening
    if current:
        partitions.append(tuple(current))
    return partitions


def _slices(candidate: Candidate, target: int, opening: int, split: bool) -> Sequence[Slice]:
    size = candidate.input.size
    if not split or size is None:
        return (Slice(candidate.input, 0, None, candidate.cost, opening),)
    starts = range(0, size, target)
    # The last slice is open-ended, so that a file that has grown since is read to its end exactly once.
    ends = [*starts[1:], None]
    return tuple(
        Slice(candidate.input, start, LAST if end is None else end, (size if end is None else end) - start, opening)
        for start, end in zip(starts, ends, strict=True)
    )


LAST = (1 << 63) - 1
"""End of the last slice of a file that was split."""
