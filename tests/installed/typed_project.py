"""A project that uses wireloom as users do, for a type checker in its strictest mode: the declared type of each value
is its actual type."""

from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

import wireloom
from wireloom.formats.edgemq_segment.parser import EdgemqSegment


def payloads(path: Path) -> Iterator[bytes]:
    """Yield the payloads row by row, with the generated classes."""
    with path.open("rb") as file:
        for frame in EdgemqSegment.iter_frames(file):
            assert_type(frame.payload, bytes)
            assert_type(frame.tenant, int)
            yield frame.payload


def is_clean(path: Path) -> bool:
    """Return whether the file is clean, with the engine."""
    _, report = wireloom.read_with_report("edgemq_segment", path, recover=True, columns=["payload"])
    assert_type(report, wireloom.ReadReport)
    return all(each.tail == "clean" for each in report.files)


def rows(path: Path) -> int:
    """Return the number of rows, read in batches."""
    count = 0
    with wireloom.scan("edgemq_segment", path) as scanner:
        assert_type(scanner, wireloom.Scanner)
        for batch in scanner:
            count += batch.num_rows
    return count


def place(log: Path, generation: int) -> int | None:
    """Return the position of the first row of a sorted log."""
    found = wireloom.search("word_stuffed_log", log, generation, key="generation")
    assert_type(found, wireloom.SearchResult)
    return None if found.row is None else found.row.offset


def own(spec: Path) -> wireloom.Format:
    """Return a format of the project."""
    try:
        return wireloom.load_spec(spec)
    except wireloom.WireloomError as error:
        assert_type(error.path, str | None)
        raise
