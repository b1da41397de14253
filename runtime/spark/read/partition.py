"""The input of a task, in the form in which it is sent to the task."""

from __future__ import annotations

from typing import Any

from pyspark.sql.datasource import InputPartition

from ...input.inputs import FileInput, Location
from .file_listing import input_of, microseconds
from .split_planning import Slice


class Partition(InputPartition):
    """The input of one task. ``index`` counts the partitions of a read."""

    def __init__(self, index: int, slices: tuple[Slice, ...]) -> None:
        super().__init__(index)
        self.index = index
        self.slices = slices

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle plain values only: a read may have hundreds of thousands of partitions, and resolving the classes of
        their contents would take longer than everything else.
        """
        places = [getattr(each.input, "location", None) for each in self.slices]
        location = next((each for each in places if each is not None and each != Location()), None)
        return _sent, (self.index, location, [_packed(each) for each in self.slices])


def _packed(piece: Slice) -> tuple[Any, ...]:
    source = piece.input
    file_id = source.file_id if isinstance(source, FileInput) else 0
    return (
        *(source.address, source.size, microseconds(source.modified), source.sparse, file_id),
        *(piece.begin, piece.end, piece.cost, piece.opening),
    )


def _sent(index: int, location: Location | None, slices: list[tuple[Any, ...]]) -> Partition:
    place = Location() if location is None else location
    return Partition(
        index,
        tuple(
            Slice(input_of(path, size, modified, place, sparse=sparse, file_id=file_id), *rest)
            for path, size, modified, sparse, file_id, *rest in slices
        ),
    )
