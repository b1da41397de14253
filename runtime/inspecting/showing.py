"""The wanted records of an input, for all kinds of formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..format.description import Format
from ..input.inputs import Input
from ..reading.request import UnitStart
from .locating import RecordScan, Wanted, record_scan
from .messages import MessageScan
from .records import Record, records


def shown_records(
    format: Format, source: Input, wanted: Wanted, options: Mapping[str, Any], resume: UnitStart | None = None
) -> tuple[Format, RecordScan | MessageScan, Iterator[Record]]:
    """Return the format that is shown, the scan of the input, and an iterator over its records, in order.

    ``resume``: as in ``ScanRequest``.
    """
    format = format.wire
    if format.rows_path:
        # The rows are shown in place: as fields of the objects that contain them.
        format = format.of_units()
    if format.message is not None:
        messages = MessageScan(format, source, wanted, dict(options), resume)
        return format, messages, messages.shown()
    scan = record_scan(format, source, wanted, options, resume)
    return format, scan, records(scan, format, wanted)
