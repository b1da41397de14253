"""``wireloom decode s2://BASIN/STREAM``: the records of a stream that is somewhere else."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote

import click

from ..base.errors import WireloomError
from ..base.printable import printable

if TYPE_CHECKING:
    from ..s2.reading import StreamReading

SCHEME = "s2://"
UNDERSTOOD = ("columns", "mode", "endpoint")
"""Options of readers that say something about a stream."""
_TAIL = re.compile(r"tail(?:-(\d{1,18}))?")


def is_stream(address: str) -> bool:
    """Return whether the argument is the address of a stream rather than a format."""
    return address.startswith(SCHEME)


@contextmanager
def reading(
    address: str, begin: str | None, before: str | None, follow: bool, options: Mapping[str, Any]
) -> Iterator[StreamReading]:
    """A reading of the stream at this address. ``options``: of readers, as the command got them."""
    from .. import s2

    for name in options:
        if name not in UNDERSTOOD:
            raise click.UsageError(f"{name} says nothing about a stream", click.get_current_context())
    basin, _, stream = address.removeprefix(SCHEME).partition("/")
    if not basin or not stream:
        raise click.UsageError(f"{address} is not of the form s2://BASIN/STREAM", click.get_current_context())
    asked: dict[str, Any] = {name: options[name] for name in ("columns", "endpoint") if name in options}
    asked |= {"lost": "raise" if options.get("mode") == "failfast" else "report", **place_of("--from", begin)}
    if before is not None:
        last = place_of("--before", before)
        asked |= {"until": last["timestamp"]} if "timestamp" in last else {"end": last.get("seq_num")}
        if follow or asked.get("end", 0) is None:
            raise click.UsageError(
                "--before is a number or a time, and is not for --follow", click.get_current_context()
            )
    if follow and begin is None:
        asked["from_earliest"] = True
    try:
        with _warnings(), (s2.tail if follow else s2.scan)(basin, unquote(stream), **asked) as found:
            yield found
    except s2.LostRecordsError as error:
        error.advice = "--mode permissive goes on after them"
        raise


def place_of(option: str, text: str | None) -> dict[str, int]:
    """A place in a stream as ``wireloom.s2.scan`` takes it.

    >>> place_of("--from", "tail-10"), place_of("--from", "17"), place_of("--from", "2026-09-21T14:13:20Z")
    ({'tail_offset': 10}, {'seq_num': 17}, {'timestamp': 1790000000000})
    """
    if text is None:
        return {}
    if text.isascii() and text.isdecimal():
        return {"seq_num": int(text)}
    if found := _TAIL.fullmatch(text):
        return {"tail_offset": int(found[1] or 0)}
    with suppress(ValueError):
        time = datetime.fromisoformat(text)
        stamp = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
        if stamp >= 0:
            return {"timestamp": round(stamp * 1000)}
    raise WireloomError(
        f"{option} is {printable(text)[:80]!r}: expected a sequence number, a time such as 2026-03-01T00:00:00Z, tail, "
        "or tail-100"
    )


def followed(found: StreamReading, file: IO[bytes]) -> Iterator[Any]:
    """The batches, of which each is passed on before the next one is waited for; Ctrl-C ends them, and what has come is
    written."""
    with suppress(KeyboardInterrupt):
        for batch in found:
            yield batch
            file.flush()


def report_of(found: StreamReading, rows: int) -> dict[str, Any]:
    """The report, as JSON values: where to go on, where the stream ends, and what was gone."""
    tail = found.tail
    return {
        "rows": rows,
        "next_seq_num": found.next_seq_num,
        "tail": None if tail is None else {"seq_num": tail.seq_num, "timestamp": tail.timestamp},
        "gaps": [{"expected": each.expected, "found": each.found} for each in found.gaps],
        "reconnections": max(0, found.reconnections),
    }


class _Echo(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"wireloom: warning: {printable(record.getMessage())}", err=True)


@contextmanager
def _warnings() -> Iterator[None]:
    """Print what is logged about connections and gaps on standard error."""
    logger, handler = logging.getLogger("wireloom.s2"), _Echo(logging.WARNING)
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
