"""A project that uses wireloom as users do, for a type checker that is as strict as it can be: what it is told of each
value is what the value is."""

from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

import wireloom
from wireloom.formats.edgemq_segment.parser import EdgemqSegment


def payloads(path: Path) -> Iterator[bytes]:
    """Row by row, by the generated classes."""
    with path.open("rb") as file:
        for frame in EdgemqSegment.iter_frames(file):
            assert_type(frame.payload, bytes)
            assert_type(frame.tenant, int)
            yield frame.payload


def is_clean(path: Path) -> bool:
    """By the engine."""
    _, report = wireloom.read_with_report("edgemq_segment", path, recover=True, columns=["payload"])
    assert_type(report, wireloom.ReadReport)
    return all(each.tail == "clean" for each in report.files)


def rows(path: Path) -> int:
    """In batches."""
    count = 0
    with wireloom.scan("edgemq_segment", path) as scanner:
        assert_type(scanner, wireloom.Scanner)
        for batch in scanner:
            count += batch.num_rows
    return count


def place(log: Path, generation: int) -> int | None:
    """Of the first row of a sorted log."""
    found = wireloom.search("word_stuffed_log", log, generation, key="generation")
    assert_type(found, wireloom.SearchResult)
    return None if found.row is None else found.row.offset


def own(spec: Path) -> wireloom.Format:
    """A format of the project."""
    try:
        return wireloom.load_spec(spec)
    except wireloom.WireloomError as error:
        assert_type(error.path, str | None)
        raise
