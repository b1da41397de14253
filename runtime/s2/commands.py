"""Command records: exactly one header, with an empty name; its value is the operation.

Readers keep every record with this property, so that future operations are preserved. Writers build and accept only the
known ones: ``fence`` sets the token that appends must then include, ``trim`` allows earlier records to be deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from ..base.dataclass import dataclass
from ..base.errors import WireloomError

if TYPE_CHECKING:
    from .messages import AppendRecord

MAX_TOKEN = 36
"""Maximum length of a fencing token in bytes of UTF-8."""
TRIM_SIZE = 8
"""Size in bytes of a trim record's body: a big-endian sequence number."""


class HeaderLike(Protocol):
    """An object with a name and a value: a ``Header`` message."""

    @property
    def name(self) -> bytes:
        """Return the name of the header."""
        ...

    @property
    def value(self) -> bytes:
        """Return the value of the header."""
        ...


class RecordLike(Protocol):
    """An object with headers and a body: an ``AppendRecord`` or a ``SequencedRecord`` message."""

    @property
    def headers(self) -> Sequence[HeaderLike]:
        """Return the headers, in order."""
        ...

    @property
    def body(self) -> bytes:
        """Return the content."""
        ...


class ValidationError(WireloomError):
    """A record or batch that the server would refuse. ``record``: its number, counted from 1; ``field``: the invalid
    field; ``reason``: ``value``, ``encoding`` or ``limit``."""


@dataclass(frozen=True, slots=True)
class Fence:
    """Sets the stream's fencing token; an empty one clears it."""

    operation: ClassVar[str] = "fence"
    token: str

    def body(self) -> bytes:
        """Return the record's body. Raises ``ValidationError`` for a token that is too long or not valid Unicode."""
        check_token(self.token)
        return self.token.encode()


@dataclass(frozen=True, slots=True)
class Trim:
    """Allows all records before ``seq_num`` to be deleted."""

    operation: ClassVar[str] = "trim"
    seq_num: int

    def body(self) -> bytes:
        """Return the record's body. Raises ``ValidationError`` for a number beyond 64 bits."""
        if not 0 <= self.seq_num < 1 << 64:
            raise ValidationError(f"a sequence number has 64 bits, and {self.seq_num} does not fit", reason="value")
        return self.seq_num.to_bytes(TRIM_SIZE, "big")


Command = Fence | Trim


def check_token(token: str) -> None:
    """Raise ``ValidationError`` for more than 36 bytes of UTF-8."""
    try:
        size = len(token.encode())
    except UnicodeEncodeError as error:
        raise ValidationError("a fencing token is UTF-8, which has no lone surrogates", reason="encoding") from error
    if size > MAX_TOKEN:
        raise ValidationError(f"a fencing token has at most {MAX_TOKEN} bytes, found {size}", reason="limit")


def operation_of(record: RecordLike) -> bytes | None:
    """Return a command record's operation, whether known or not; ``None`` for all other records. Never raises."""
    headers = record.headers
    return headers[0].value if len(headers) == 1 and not headers[0].name else None


def command_of(record: RecordLike) -> Command | None:
    """Return the command of a record; ``None`` for records that are not commands.

    Raises ``ValidationError`` if a writer would refuse it: for an unknown operation, a token of more than 36 bytes or
    that is not UTF-8, or a trim point that does not have 8 bytes.
    """
    operation = operation_of(record)
    if operation is None:
        return None
    body = record.body
    if operation == b"fence":
        try:
            token = str(body, "utf-8")
        except UnicodeDecodeError as error:
            raise ValidationError(
                "the token of a fence command is not UTF-8", reason="encoding", field="body"
            ) from error
        check_token(token)
        return Fence(token)
    if operation == b"trim":
        if len(body) != TRIM_SIZE:
            raise ValidationError(
                f"a trim command has a body of {TRIM_SIZE} bytes, a big-endian sequence number, found {len(body)}",
                reason="value",
                field="body",
            )
        return Trim(int.from_bytes(body, "big"))
    raise ValidationError(f"no known command: {operation!r}; there are fence and trim", reason="value", field="headers")


def command_record(command: Command, timestamp: int | None = None) -> AppendRecord:
    """Return the record that appends a command.

    >>> command_record(Trim(42)).body.hex()
    '000000000000002a'

    Raises ``ValidationError`` for a token that is too long, or a number that is too large.
    """
    from .messages import AppendRecord, Header

    header = Header(value=command.operation.encode())
    return AppendRecord(timestamp=timestamp, headers=[header], body=command.body())
