"""Requests to S2's API as plain data, for any HTTP client. The caller adds the token, the host and timeouts.

All functions accept ``basin``, for endpoints whose host does not name it. Those that read or append records also accept
``encryption_key``, that of an encrypted stream: 32 bytes, also as base64; and ``stream_config``: the configuration with
which the stream is created if it does not exist and the basin allows that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack
from urllib.parse import quote, urlencode

from ..base.arguments import one_of
from ..base.dataclass import dataclass, field
from ..base.errors import WireloomError
from .compression import checked
from .config import ENCRYPTION_KEY, RecordOptions, basin_headers, record_headers
from .json import FORMAT_HEADER, append_input_to_json, format_of_header
from .metering import check_append
from .progress import ReadArguments
from .sse import CONTENT_TYPE as EVENT_STREAM
from .sse import LAST_EVENT_ID, LastEventId

if TYPE_CHECKING:
    from .messages import AppendInput

SESSION = "s2s/proto"
"""The content type of sessions; requests to read have it as well, although they have no body."""
CONTENTS = {"protobuf": "application/protobuf", "json": "application/json"}
"""Content types of the bodies of single requests and responses."""


@dataclass(frozen=True, slots=True, repr=False)
class Request:
    """A request. ``target`` is the path with the query, relative to the basin's address. ``repr`` does
    not show keys."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def target(self) -> str:
        """Return the path with the query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    def __repr__(self) -> str:
        shown = {name: "…" if name == ENCRYPTION_KEY else value for name, value in self.headers.items()}
        return f"Request({self.method} {self.target}, headers={shown}, {len(self.body)} bytes)"


def read_session(
    stream: str,
    *,
    seq_num: int | None = None,
    compression: str = "zstd",
    **more: Unpack[ReadArguments],
) -> Request:
    """Read records as a session of S2S frames.

    >>> read_session("events/eu", seq_num=7).target
    '/v1/streams/events%2Feu/records?seq_num=7'

    The session begins at ``seq_num``, at the first record of ``timestamp`` or later, or ``tail_offset`` records before
    the end; ``clamp``: begin at the end if that place is after it, instead of status 416. It ends after ``count``
    records, ``bytes`` of metered size, before ``until`` (a timestamp), or after ``wait`` seconds without records; by
    default it does not end. ``compression``: one that the server may use. Raises ``WireloomError`` for more than one
    beginning.
    """
    headers = {"Content-Type": SESSION, **_accepting(compression)}
    return _read(stream, headers, {"seq_num": seq_num, **more})


def read_events(
    stream: str,
    *,
    seq_num: int | None = None,
    last_event_id: LastEventId | None = None,
    format: str = "base64",
    **more: Unpack[ReadArguments],
) -> Request:
    """Read records as server-sent events; the range is as for ``read_session``. ``last_event_id`` resumes after that
    event, and limits include the events before it."""
    headers = {"Accept": EVENT_STREAM, FORMAT_HEADER: format_of_header(format)}
    if last_event_id is not None:
        headers[LAST_EVENT_ID] = str(last_event_id)
    return _read(stream, headers, {"seq_num": seq_num, **more})


def read_unary(
    stream: str,
    *,
    seq_num: int | None = None,
    content: str = "protobuf",
    format: str = "base64",
    **more: Unpack[ReadArguments],
) -> Request:
    """Read one batch of at most 1000 records and 1 MiB metered size; the range is as for ``read_session``. ``wait``:
    seconds to wait for the first record, at most 60.

    ``content`` of the response: ``protobuf``, for ``ReadBatch.from_bytes``, or ``json``, for ``read_batch_from_json``
    with the same ``format``.
    """
    headers = {"Accept": _content_type(content), **_formatted(content, format)}
    return _read(stream, headers, {"seq_num": seq_num, **more})


def append_session(
    stream: str,
    *,
    compression: str = "zstd",
    **more: Unpack[RecordOptions],
) -> Request:
    """Append batches, one per frame of the body; the response is a session of acks in the same order."""
    headers = {"Content-Type": SESSION, **_accepting(compression)}
    return Request("POST", _records(stream), (), headers | record_headers(**more))


def append_unary(
    stream: str,
    batch: AppendInput,
    *,
    content: str = "protobuf",
    format: str = "base64",
    **more: Unpack[RecordOptions],
) -> Request:
    """Append one batch. The response is its ack, with the same ``content`` as the body: ``protobuf``, for
    ``AppendAck.from_bytes``, or ``json``, for ``append_ack_from_json``. Raises ``ValidationError`` for a batch that the
    server would refuse."""
    check_append(batch)
    kind = _content_type(content)
    body = batch.to_bytes() if content == "protobuf" else append_input_to_json(batch, format).encode()
    headers = {"Content-Type": kind, "Accept": kind, **_formatted(content, format)}
    return Request("POST", _records(stream), (), headers | record_headers(**more), body)


def check_tail(stream: str, *, basin: str | None = None) -> Request:
    """Request the end of the stream; the response is ``{"tail": {"seq_num", "timestamp"}}``."""
    return Request("GET", f"{_records(stream)}/tail", (), {"Accept": "application/json", **basin_headers(basin)})


def list_streams(prefix: str = "", *, start_after: str = "", basin: str | None = None) -> Request:
    """Request up to 1000 names of streams with a prefix, in order, beginning after ``start_after``; the response is
    ``{"streams": [{"name", "deleted_at", …}], "has_more"}``."""
    query = tuple((name, value) for name, value in (("prefix", prefix), ("start_after", start_after)) if value)
    return Request("GET", "/v1/streams", query, {"Accept": "application/json", **basin_headers(basin)})


def _records(stream: str) -> str:
    try:
        size = len(stream.encode())
    except UnicodeEncodeError:
        size = 0
    if not 1 <= size <= 512 or "\0" in stream:
        raise WireloomError("the name of a stream has 1 to 512 bytes of UTF-8, none of them 0")
    return f"/v1/streams/{quote(stream, safe='')}/records"


def _accepting(compression: str) -> dict[str, str]:
    word = checked(compression)
    return {} if word == "none" else {"Accept-Encoding": word}


def _content_type(content: str) -> str:
    return CONTENTS[one_of("content", content, CONTENTS)]


def _formatted(content: str, format: str) -> dict[str, str]:
    return {FORMAT_HEADER: format_of_header(format)} if content == "json" else {}


def _read(stream: str, headers: dict[str, str], parameters: dict[str, Any]) -> Request:
    start = {name: parameters.get(name) for name in ("seq_num", "timestamp", "tail_offset")}
    starts = [name for name, value in start.items() if value is not None]
    if len(starts) > 1:
        raise WireloomError(f"a read has one starting point: give {' or '.join(starts)}")
    numbers = {**start, **{name: parameters.get(name) for name in ("count", "bytes", "until", "wait")}}
    for name, value in numbers.items():
        bits = 32 if name == "wait" else 64
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << bits):
            raise WireloomError(f"{name} must be an unsigned {bits}-bit integer, not {value!r:.60}")
    query = [(name, str(value)) for name, value in numbers.items() if value is not None]
    if parameters.get("clamp") is not None:
        query.append(("clamp", str(parameters["clamp"]).lower()))
    others = {name: value for name, value in parameters.items() if name not in ("clamp", *numbers)}
    return Request("GET", _records(stream), tuple(query), headers | record_headers(**others))
