"""The metered size of records, the limits of batches, and checks of what the server accepts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from .commands import Command, RecordLike, ValidationError, check_token, command_of

if TYPE_CHECKING:
    from .messages import AppendInput

MAX_RECORDS = 1000
"""Maximum number of records of a batch, which has at least one."""
MAX_METERED = 1024 * 1024
"""Maximum metered size in bytes of a record, and of all records of a batch."""
RECORD_COST = 8
HEADER_COST = 2


def metered_size(record: RecordLike) -> int:
    """Return the metered size of a record in bytes: 8, plus 2 for each header, plus the sizes of its
    names, values and body."""
    headers = record.headers
    named = sum(len(each.name) + len(each.value) for each in headers) if headers else 0
    return RECORD_COST + HEADER_COST * len(headers) + named + len(record.body)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A batch that the server accepts. ``metered``: size of each record; ``commands``: the command of each record,
    ``None`` for ordinary records."""

    metered: tuple[int, ...]
    commands: tuple[Command | None, ...]

    @property
    def size(self) -> int:
        """Return the metered size of the batch."""
        return sum(self.metered)


def check_record(record: RecordLike) -> tuple[int, Command | None]:
    """Return a record's metered size and its command. Raises ``ValidationError`` for a record that does
    not fit any batch."""
    command = command_of(record) if record.headers else None
    if command is None and record.headers and not all(each.name for each in record.headers):
        raise ValidationError(
            "an empty header name, which command records alone have, as their only header",
            reason="value",
            field="headers",
        )
    size = metered_size(record)
    if size > MAX_METERED:
        raise ValidationError(f"a record has at most {MAX_METERED} metered bytes, found {size}", reason="limit")
    return size, command


def check_records(records: Iterable[RecordLike]) -> Accepted:
    """Check records like ``check_append``; return the accepted batch."""
    metered: list[int] = []
    commands: list[Command | None] = []
    for number, record in enumerate(records, 1):
        try:
            size, command = check_record(record)
        except ValidationError as error:
            error.record = number
            raise
        metered.append(size)
        commands.append(command)
    accepted = Accepted(tuple(metered), tuple(commands))
    if not metered:
        raise ValidationError("a batch has at least one record", reason="limit")
    if len(metered) > MAX_RECORDS:
        raise ValidationError(f"a batch has at most {MAX_RECORDS} records, found {len(metered)}", reason="limit")
    if accepted.size > MAX_METERED:
        raise ValidationError(f"a batch has at most {MAX_METERED} metered bytes, found {accepted.size}", reason="limit")
    return accepted


def check_append(batch: AppendInput) -> Accepted:
    """Check an append input as the server does before it appends; return the accepted batch.

    Raises ``ValidationError`` for a batch without records, with more than 1000 records or more than 1 MiB metered size,
    with an invalid record, and for a fencing token of more than 36 bytes.
    """
    accepted = check_records(batch.records)
    if batch.fencing_token is not None:
        check_token(batch.fencing_token)
    return accepted
