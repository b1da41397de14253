"""Packs rows into S2 messages: batches that the server accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

from ..base.errors import WireloomError
from ..format.description import Format
from ..units.packing import Packed, Row
from ..writing.messages.row_packing import RowPacking
from .commands import ValidationError, check_token
from .metering import MAX_METERED, MAX_RECORDS, check_record, metered_size

RECORDS_OF_APPENDS = "append_input"


class SessionPacking:
    """Packs rows, in order, into batches of 1 to 1000 records and at most 1 MiB metered size; an ack is a message of
    its own.

    Rows to be appended are checked like on the server. A different ``fencing_token`` or ``match_seq_num`` begins
    another batch; if rows with the same number exceed a batch, the next batch gets the number that results.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, format: Format, *, max_record: int) -> None:
        self._rows = RowPacking(format, max_record=max_record)
        kind = format.table
        self._has_records = any(each.name == "body" for each in format.columns)
        self._appends = kind == RECORDS_OF_APPENDS

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Pack rows, like ``Packing.pack``. Raises ``WireloomError`` for a row that does not fit any batch, with its
        number, counted from 0."""
        made = False
        for batch in self._batches(rows) if self._has_records else (self._rows.pack([row]) for row in rows):
            made = True
            yield from batch
        if not made:
            # An input that is a single message is the empty message.
            yield from self._rows.pack(())

    def _batches(self, rows: Iterable[Row]) -> Iterator[Iterator[Packed]]:
        pending: list[dict[str, Any]] = []
        first = metered = before = 0
        condition: tuple[Any, Any] = (None, None)
        for number, row in enumerate(rows):
            size = self._checked(row, number)
            required = (row.get("match_seq_num"), row.get("fencing_token"))
            full = len(pending) == MAX_RECORDS or metered + size > MAX_METERED
            if pending and (full or required != condition):
                yield self._packed(pending, first, before)
                before += len(pending)
                pending, first, metered = [], number, 0
            if required != condition:
                condition, before = required, 0
            pending.append(dict(row))
            metered += size
        if pending:
            yield self._packed(pending, first, before)

    def _checked(self, row: Row, number: int) -> int:
        """Return the metered size of a row. Raises ``ValidationError`` for one that does not fit any batch."""
        try:
            headers = [_Header(each["name"], each["value"]) for each in row.get("headers") or ()]
            record = _Record(headers, row.get("body") or b"")
            if not self._appends:
                # Records that a server has sent, possibly a future one, are written unchanged.
                return metered_size(record)
            if row.get("fencing_token"):
                check_token(row["fencing_token"])
            return check_record(record)[0]
        except ValidationError as error:
            error.message = f"row {number}: {error.message}"
            raise
        except (TypeError, KeyError) as error:
            raise ValidationError(
                f"row {number}: headers are mappings of a name and a value, both bytes, and the body is bytes",
                reason="value",
            ) from error

    def _packed(self, rows: list[dict[str, Any]], first: int, before: int) -> Iterator[Packed]:
        if before and rows[0].get("match_seq_num") is not None:
            rows = [{**each, "match_seq_num": each["match_seq_num"] + before} for each in rows]
        try:
            yield from self._rows.pack(rows)
        except WireloomError as error:
            if first:
                error.message = f"{error.message} (counted from row {first} on)"
            raise


class _Header(NamedTuple):
    name: bytes
    value: bytes


class _Record(NamedTuple):
    headers: list[_Header]
    body: bytes
