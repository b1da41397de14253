"""Requests to S2's API as plain data: what to ask for, whoever asks. A key, a host and time limits are the caller's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from ..errors import WireloomError
from .compression import checked
from .json import FORMAT_HEADER, format_of_header
from .sse import CONTENT_TYPE as EVENT_STREAM
from .sse import LAST_EVENT_ID, LastEventId

SESSION = "s2s/proto"
"""The content type of sessions; a request to read has it as well, though it has no body."""


@dataclass(frozen=True, slots=True)
class Request:
    """``target`` is the path with its query, to be put behind the basin's address."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """Path and query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path


def read_session(
    stream: str,
    *,
    seq_num: int | None = None,
    timestamp: int | None = None,
    tail_offset: int | None = None,
    clamp: bool | None = None,
    count: int | None = None,
    bytes: int | None = None,
    until: int | None = None,
    wait: int | None = None,
    compression: str = "zstd",
) -> Request:
    """Reads records as a session of S2S frames.

    >>> read_session("events/eu", seq_num=7).target
    '/v1/streams/events%2Feu/records?seq_num=7'

    It begins at ``seq_num``, at the first record of ``timestamp`` or later, or ``tail_offset`` records before the end;
    ``clamp``: at the end where that lies behind it, instead of status 416. It ends after ``count`` records, ``bytes``
    metered, before ``until`` (a timestamp), or ``wait`` seconds without records; without any of them never.
    ``compression``: what the server may use. Raises ``WireloomError`` for more than one beginning.
    """
    query = _range(seq_num, timestamp, tail_offset, clamp, count, bytes, until, wait)
    return Request("GET", _records(stream), query, {"Content-Type": SESSION, **_accepting(compression)})


def read_events(
    stream: str,
    *,
    seq_num: int | None = None,
    last_event_id: LastEventId | None = None,
    count: int | None = None,
    bytes: int | None = None,
    until: int | None = None,
    wait: int | None = None,
    format: str = "base64",
) -> Request:
    """Reads records as server-sent events; ``last_event_id`` resumes behind that event, with the limits counted on."""
    query = _range(seq_num, None, None, None, count, bytes, until, wait)
    headers = {"Accept": EVENT_STREAM, FORMAT_HEADER: format_of_header(format)}
    if last_event_id is not None:
        headers[LAST_EVENT_ID] = str(last_event_id)
    return Request("GET", _records(stream), query, headers)


def append_session(stream: str, *, compression: str = "zstd") -> Request:
    """Appends batches, one per frame of the body; the answer is a session of acks, in the same order."""
    return Request("POST", _records(stream), (), {"Content-Type": SESSION, **_accepting(compression)})


def check_tail(stream: str) -> Request:
    """Asks where the stream ends; the answer is ``{"tail": {"seq_num", "timestamp"}}``."""
    return Request("GET", f"{_records(stream)}/tail", (), {"Accept": "application/json"})


def _records(stream: str) -> str:
    if not 1 <= len(stream.encode()) <= 512:
        raise WireloomError("the name of a stream has 1 to 512 bytes")
    return f"/v1/streams/{quote(stream, safe='')}/records"


def _accepting(compression: str) -> dict[str, str]:
    word = checked(compression)
    return {} if word == "none" else {"Accept-Encoding": word}


def _range(
    seq_num: int | None,
    timestamp: int | None,
    tail_offset: int | None,
    clamp: bool | None,
    count: int | None,
    bytes: int | None,
    until: int | None,
    wait: int | None,
) -> tuple[tuple[str, str], ...]:
    beginnings = {"seq_num": seq_num, "timestamp": timestamp, "tail_offset": tail_offset}
    given = [name for name, value in beginnings.items() if value is not None]
    if len(given) > 1:
        raise WireloomError(f"a read begins at one place: give {' or '.join(given)}")
    numbers = {**beginnings, "count": count, "bytes": bytes, "until": until, "wait": wait}
    for name, value in numbers.items():
        if value is not None and not 0 <= value < 1 << 64:
            raise WireloomError(f"{name} must be a number of 64 bits without a sign, not {value}")
    query = [(name, str(value)) for name, value in numbers.items() if value is not None]
    return (*query, *([] if clamp is None else [("clamp", str(clamp).lower())]))
