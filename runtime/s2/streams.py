"""Streams of a basin over the network: lists them, and reads their ends and their records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Unpack

import pyarrow as pa

from ..base.arguments import check_place, checks_keywords, one_of
from ..base.errors import WireloomError
from .client import S2Error, answer_to, client_of
from .endpoint import encryption_key
from .errors import RANGE_NOT_SATISFIABLE
from .json import tail_from_json
from .messages import ReadBatch, StreamPosition
from .reading import LOST, Lost, StreamRange, StreamReading
from .requests import check_tail, list_streams, read_unary

READ_PATIENCE = 30.0
"""Seconds of continuous failures after which a read of existing records raises an error."""
TAIL_PATIENCE = 300.0
"""The same for a read that waits for more records."""
STREAM_NOT_FOUND = "stream_not_found"
"""The error code for a stream that does not exist."""


@checks_keywords(StreamRange.__annotations__)
def read(
    basin: str,
    stream: str,
    seq_num: int | None = None,
    *,
    columns: Sequence[str] | None = None,
    end: int | None = None,
    lost: Lost = "raise",
    endpoint: str | None = None,
    patience: float = READ_PATIENCE,
    **more: Unpack[StreamRange],
) -> pa.Table:
    """Return the records of the stream as a table, which combines the batches of ``scan``."""
    with scan(
        basin, stream, seq_num, columns=columns, end=end, lost=lost, endpoint=endpoint, patience=patience, **more
    ) as reading:
        return pa.Table.from_batches(list(reading), reading.schema)


@checks_keywords(StreamRange.__annotations__)
def scan(
    basin: str,
    stream: str,
    seq_num: int | None = None,
    *,
    columns: Sequence[str] | None = None,
    end: int | None = None,
    lost: Lost = "raise",
    endpoint: str | None = None,
    patience: float = READ_PATIENCE,
    **more: Unpack[StreamRange],
) -> StreamReading:
    """Read the current records of the stream as batches: up to its end at the time of the call, or before the sequence
    number ``end``.

    Reading begins at ``seq_num``, at the first record of ``timestamp`` or later, or ``tail_offset`` records before the
    end; by default at the first existing record. ``columns``: any of ``seq_num``, ``timestamp``, ``headers``, ``body``
    and ``command``. ``count``, ``bytes``, ``until``, ``clamp``, ``encryption_key``: as for ``read_session``.

    ``lost``: ``raise`` a ``LostRecordsError`` for missing records, after those before them were returned; or ``report``
    them in ``gaps``. ``endpoint``: by default that of the environment variable ``S2_BASIN_ENDPOINT``, or S2's own; the
    access token is that of ``S2_ACCESS_TOKEN``. ``patience``: seconds for which continuous failures are retried.

    Raises ``S2Error`` if the server refuses a request, ``TemporaryError`` if it cannot be reached, and
    ``WireloomError`` for invalid arguments.
    """
    check_place("seq_num", seq_num)
    check_place("end", end)
    one_of("lost", lost, LOST)
    begins = seq_num is not None or any(more.get(name) is not None for name in ("timestamp", "tail_offset"))
    last = tail_of(basin, stream, endpoint=endpoint, patience=patience)
    reading = StreamReading(
        basin,
        stream,
        seq_num if begins else 0,
        end=last.seq_num if end is None else min(end, last.seq_num),
        columns=columns,
        lost=lost,
        endpoint=endpoint,
        patience=patience,
        from_earliest=not begins,
        **more,
    )
    reading.tail = last
    return reading


@checks_keywords(StreamRange.__annotations__)
def tail(
    basin: str,
    stream: str,
    seq_num: int | None = None,
    *,
    columns: Sequence[str] | None = None,
    lost: Lost = "raise",
    endpoint: str | None = None,
    patience: float = TAIL_PATIENCE,
    from_earliest: bool = False,
    response: str = "session",
    format: str = "base64",
    **more: Unpack[StreamRange],
) -> StreamReading:
    """Read the records of the stream as they are added, without end: from the stream's end when the first
    batch is requested, unless ``seq_num``, ``timestamp`` or ``tail_offset`` is given; with
    ``from_earliest``, from the first existing record. The other arguments are those of ``scan``;
    ``wait``: end after this number of seconds without records.

    ``response``: how the server sends records: as a ``session``; as server-sent ``events``; or as ``json``, a batch for
    each request, which passes through everything that passes HTTP on. ``format``: that of bytes in events and JSON:
    ``base64``, or ``raw``, in which the server replaces everything that is not UTF-8."""
    return StreamReading(
        basin,
        stream,
        0 if from_earliest else seq_num,
        columns=columns,
        lost=lost,
        endpoint=endpoint,
        patience=patience,
        from_earliest=from_earliest,
        response=response,
        format=format,
        **more,
    )


def tail_of(basin: str, stream: str, *, endpoint: str | None = None, patience: float = READ_PATIENCE) -> StreamPosition:
    """Return the end of the stream: the number for the next record, and the timestamp of the last one."""
    client = client_of(basin, endpoint)
    name = f"s2://{basin}/{stream}"
    body = answer_to(
        client, check_tail(stream, basin=client.endpoint.basin), name, "asking for the end of", patience=patience
    )
    found: StreamPosition = _checked(name, body, tail_from_json)
    return found


def first_of(
    basin: str,
    stream: str,
    *,
    seq_num: int | None = None,
    timestamp: int | None = None,
    endpoint: str | None = None,
    patience: float = READ_PATIENCE,
) -> int:
    """Return the number of the first record from ``seq_num`` on, or of ``timestamp`` or later; if there is none, the
    number for the next record."""
    client = client_of(basin, endpoint)
    name = f"s2://{basin}/{stream}"
    request = read_unary(
        stream,
        seq_num=seq_num,
        timestamp=timestamp,
        count=1,
        clamp=True,
        basin=client.endpoint.basin,
        encryption_key=encryption_key(),
    )
    try:
        body = answer_to(client, request, name, "reading", patience=patience)
    except S2Error as error:
        if error.error.status != RANGE_NOT_SATISFIABLE or error.error.tail is None:
            raise
        return error.error.tail.seq_num
    batch: ReadBatch = _checked(name, body, ReadBatch.from_bytes)
    if batch.records:
        return batch.records[0].seq_num
    return tail_of(basin, stream, endpoint=endpoint, patience=patience).seq_num


def streams_of(
    basin: str, prefix: str = "", *, endpoint: str | None = None, patience: float = READ_PATIENCE
) -> list[str]:
    """Return the names of the basin's streams with a prefix, in order, without those that are being deleted."""
    client = client_of(basin, endpoint)
    found: list[str] = []
    after = ""
    while True:
        request = list_streams(prefix, start_after=after, basin=client.endpoint.basin)
        body = answer_to(client, request, f"s2://{basin}", "listing the streams of", patience=patience)
        page, more = _checked(f"s2://{basin}", body, _page)
        found += [name for name, deleted in page if not deleted and name.startswith(prefix)]
        last = page[-1][0] if page else ""
        if not more or last <= after:
            return found
        after = last


def _page(body: bytes) -> tuple[list[tuple[str, bool]], bool]:
    answer = json.loads(body)
    page = [(str(each["name"]), each.get("deleted_at") is not None) for each in answer["streams"]]
    return page, bool(answer["has_more"])


def _checked(name: str, body: bytes, read: Any) -> Any:
    try:
        return read(body)
    except (WireloomError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise WireloomError(f"{name}: the server's answer is not one of S2 ({error!s:.200})") from error


def end_or_beginning(
    basin: str, stream: str, *, endpoint: str | None = None, patience: float = READ_PATIENCE
) -> StreamPosition:
    """Return the end of the stream; number 0 for a stream that does not exist, which an append may create."""
    try:
        return tail_of(basin, stream, endpoint=endpoint, patience=patience)
    except S2Error as error:
        if error.error.code == STREAM_NOT_FOUND:
            return StreamPosition()
        raise
