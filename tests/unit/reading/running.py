"""Reads with a given row reader and a given window size, which users cannot choose."""

import dataclasses
from typing import Any

import pyarrow as pa
import pytest
from wireloom import Scanner, engine
from wireloom.base.report import SOURCE_FAILURES
from wireloom.input.expansion import expand
from wireloom.input.inputs import ObjectInput
from wireloom.reading.request import scan_request

ROW_READERS = [
    pytest.param("columns", marks=pytest.mark.skipif(not engine.available, reason="the engine is not there")),
    "objects",
]


def read(
    row_reader: str | None,
    format: Any,
    source: Any,
    *,
    chunk: int | None = None,
    streamed: bool = False,
    **options: Any,
) -> tuple[pa.Table, dict[str, Any]]:
    """Return the table and the report of the one file. ``row_reader``: by default that of the format. ``streamed``:
    bytes are read through a file object, chunk by chunk. An input without any row is not an error, unless
    ``check_format`` says so. Damage has bytes, except where the codec or the storage of the input failed."""
    options.setdefault("check_format", False)
    made = scan_request(format, **options)
    made = dataclasses.replace(made, engine=row_reader or made.engine, chunk=chunk)
    [each] = expand(source)
    if streamed:
        each = ObjectInput(None, each.size, file=_Stream(each.open()))
    with Scanner(made, [each]) as scanner:
        table = scanner.read_all()
    table.validate(full=True)
    [file] = scanner.report.to_dict()["files"]
    failures = (*SOURCE_FAILURES, "digest") if "error" in file else ("codec",) if options.get("recover") else ()
    assert all(length > 0 or reason in failures for _, length, reason in file["damaged"]), file
    return table, file


class _Stream:
    def __init__(self, stream: Any) -> None:
        self.readinto = stream.readinto
