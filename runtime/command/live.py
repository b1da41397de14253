"""``wireloom decode s2://BASIN/STREAM``: reads the records of a remote stream."""

from __future__ import annotations

import logging
import signal
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote

import click

from ..base.text import printable

if TYPE_CHECKING:
    from ..s2.reading import StreamReading

SCHEME = "s2://"
UNDERSTOOD = ("columns", "mode", "endpoint")
"""Options of readers that apply to streams."""


def is_stream(address: str) -> bool:
    """Return whether the argument is the address of a stream rather than a format."""
    return address.startswith(SCHEME)


@contextmanager
def reading(
    address: str, begin: str | None, before: str | None, follow: bool, options: Mapping[str, Any]
) -> Iterator[StreamReading]:
    """Return a reading of the stream at this address. ``options``: those of readers, as given to the command."""
    from .. import s2
    from ..s2.places import place_of

    for name in options:
        if name not in UNDERSTOOD:
            raise click.UsageError(f"{name} does not apply to a stream", click.get_current_context())
    basin, _, stream = address.removeprefix(SCHEME).partition("/")
    if not basin or not stream:
        raise click.UsageError(f"{address} is not of the form s2://BASIN/STREAM", click.get_current_context())
    asked: dict[str, Any] = {name: options[name] for name in ("columns", "endpoint") if name in options}
    asked |= {"lost": "raise" if options.get("mode") == "failfast" else "report"}
    if begin is not None:
        asked |= place_of("--from", begin)
    if before is not None:
        last = place_of("--before", before)
        asked |= {"until": last["timestamp"]} if "timestamp" in last else {"end": last.get("seq_num")}
        if follow or asked.get("end", 0) is None:
            raise click.UsageError(
                "--before must be a sequence number or a time, and cannot be combined with --follow",
                click.get_current_context(),
            )
    if follow and begin is None:
        asked["from_earliest"] = True
    try:
        with _warnings(), (s2.tail if follow else s2.scan)(basin, unquote(stream), **asked) as found:
            yield found
    except s2.LostRecordsError as error:
        error.advice = "--mode permissive continues after them"
        raise


def followed(found: StreamReading, file: IO[bytes]) -> Generator[Any]:
    """Yield the batches, each passed on before the next one is requested; Ctrl-C ends them, and the
    received batches are written."""
    with suppress(KeyboardInterrupt):
        for batch in found:
            with _interrupt_postponed():
                yield batch
                file.flush()


@contextmanager
def _interrupt_postponed() -> Iterator[None]:
    """Handle the first Ctrl-C of the block at its end, so that the writing of a batch is not interrupted. The second
    one interrupts it, since the reader of a pipe may have stalled."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    # SIGALRM repeats a signal that came during an import.
    numbers = [getattr(signal, each) for each in ("SIGINT", "SIGALRM") if hasattr(signal, each)]
    before = [(each, signal.signal(each, note)) for each in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


def report_of(found: StreamReading, rows: int) -> dict[str, Any]:
    """Return the report as JSON values: where to continue, the end of the stream, and missing records."""
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
    """Print log messages about connections and gaps on standard error."""
    logger, handler = logging.getLogger("wireloom.s2"), _Echo(logging.WARNING)
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
