"""The options of a streaming read. Spark passes them as strings, with their names in lower case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from ...base.errors import UnsupportedError
from ...format.description import Format
from ...reading.options import GROWING
from ...reading.request import looks_up
from ..option_values import duration, flag, size
from ..options import STREAM_OPTIONS, tail


@dataclass(frozen=True)
class StreamOptions:
    """The checked options of a streaming read.

    ``tail``: whether files may grow; ``None``: local uncompressed files of a delimited format do. ``max_files``,
    ``max_bytes``: limits of a batch; ``None``: unlimited. ``full_listing_interval``: ``None``: every listing is
    complete.
    """

    max_files: int = 1000
    max_bytes: int | None = None
    tail: bool | None = None
    fail_on_data_loss: bool = True
    latest_first: bool = False
    max_tracked: int = 10_000
    full_listing_interval: timedelta | None = None


def stream_options(format: Format, columns: Iterable[str], given: Mapping[str, str]) -> StreamOptions:
    """Return the checked options of a streaming read. Raises ``UnknownNameError`` and ``WireloomError``."""
    names = {name.lower(): name for name in STREAM_OPTIONS}
    values = {names[key.lower()]: value for key, value in given.items() if key.lower() in names}
    interval = values.get("fullListingInterval")
    largest, word = values.get("maxBytesPerTrigger"), tail(values.get("tail", "auto"))
    found = StreamOptions(
        max_files=size("maxFilesPerTrigger", values.get("maxFilesPerTrigger", "1000")),
        max_bytes=None if largest is None else size("maxBytesPerTrigger", largest),
        tail=None if word is None else word == GROWING,
        fail_on_data_loss=flag("failOnDataLoss", values.get("failOnDataLoss", "true")),
        latest_first=flag("latestFirst", values.get("latestFirst", "false")),
        max_tracked=size("maxTrackedFiles", values.get("maxTrackedFiles", "10000")),
        full_listing_interval=None if interval is None else duration("fullListingInterval", interval),
    )
    if found.tail and not can_grow(format, columns):
        raise UnsupportedError(
            "tail=growing needs rows that can be read one by one, but a file "
            f"of {format.name} is read as a whole: leave it out"
        )
    return found


def can_grow(format: Format, columns: Iterable[str]) -> bool:
    """Return whether these columns of the first rows of a file can be read before the file is complete."""
    if format.message is not None or looks_up(format, columns):
        return False
    one_by_one = format.streaming and not format.in_pieces
    return (one_by_one or format.wire.block > 0) and not format.has_prologue and not format.variables
