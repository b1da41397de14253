"""Positions in a shard, as they are stored in offsets and passed as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..base.arguments import shown
from ..base.dataclass import dataclass
from ..base.errors import WireloomError

TRIM_HORIZON, LATEST, END = "TRIM_HORIZON", "LATEST", "SHARD_END"


@dataclass(frozen=True, slots=True)
class Position:
    """The position up to which a shard has been read: after a user record, given by the number of its Kinesis record
    and its index in that (``sub_sequence_number``, ``None`` for all of it). If nothing has been read yet, the
    beginning: at ``timestamp``, or at the first record. ``ended``: all of the shard has been read, and no records can
    be added to it.

    >>> Position("7", 2).to_json()
    {'sequence_number': '7', 'sub_sequence_number': 2}
    """

    sequence_number: str | None = None
    sub_sequence_number: int | None = None
    timestamp: datetime | None = None
    ended: bool = False

    def to_json(self) -> str | dict[str, Any]:
        """Return the position as values that JSON supports."""
        if self.ended:
            return END
        if self.timestamp is not None:
            return {"timestamp": self.timestamp.isoformat()}
        if self.sequence_number is None:
            return TRIM_HORIZON
        found: dict[str, Any] = {"sequence_number": self.sequence_number}
        if self.sub_sequence_number is not None:
            found["sub_sequence_number"] = self.sub_sequence_number
        return found

    @classmethod
    def from_json(cls, value: Any) -> Position:
        """Return the position from the result of ``to_json``. Raises ``WireloomError`` for anything else."""
        if value in (END, TRIM_HORIZON):
            return SHARD_END if value == END else cls()
        if isinstance(value, Mapping) and set(value) == {"timestamp"}:
            return cls(timestamp=time_of("timestamp", value["timestamp"]))
        if isinstance(value, Mapping):
            number, sub = value.get("sequence_number"), value.get("sub_sequence_number")
            known = {"sequence_number", "sub_sequence_number"}
            if (
                set(value) <= known
                and isinstance(number, str)
                and number.isascii()
                and number.isdecimal()
                and len(number) <= 129
                and (sub is None or (type(sub) is int and sub >= 0))
            ):
                return cls(number, sub)
        raise WireloomError(f"{shown(value)} is not a position in a shard")


SHARD_END = Position(ended=True)


def time_of(name: str, value: Any) -> datetime:
    """Return a time from text such as ``2026-03-01T00:00:00Z``, or from a ``datetime``; without a time zone it is in
    UTC. Raises ``WireloomError``."""
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise WireloomError(f"{name} is {shown(value)}: expected a time such as 2026-03-01T00:00:00Z") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def start_of(value: Any) -> str | datetime:
    """Return ``TRIM_HORIZON``, ``LATEST``, or a time. Raises ``WireloomError``."""
    if isinstance(value, str) and value.strip().upper() in (TRIM_HORIZON, LATEST):
        return value.strip().upper()
    try:
        return time_of("start", value)
    except WireloomError:
        raise WireloomError(
            f"start is {shown(value)}: expected TRIM_HORIZON, LATEST, or a time such as 2026-03-01T00:00:00Z"
        ) from None
