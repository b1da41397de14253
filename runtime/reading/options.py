"""The options of all readers, with their defaults, documentation and checks in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from .. import codecs
from ..base.arguments import shown
from ..base.dataclass import dataclass, fields
from ..base.errors import UnsupportedError, WireloomError
from ..base.limits import LARGEST_RECORD, MAX_COMPUTED, MAX_ROWS
from ..base.options import (
    CHOICE,
    FLAG,
    FUNCTION,
    NAMES,
    NUMBER,
    OTHER,
    TEXT,
    WORD,
    documented,
    option,
    options_of,
)
from ..input.inputs import Location

BATCH_ROWS = 32768
RECOVER_WITHIN = 64 * 1024 * 1024
MAX_THREADS = 1024
MAX_AHEAD = 256 * 1024 * 1024
COMPLETE, GROWING = "complete", "growing"
AS_A_WHOLE = "leave byte_range out, or have one task read the file: minPartitions=1, and maxPartitionBytes its size"
"""What to do if a file cannot be read in byte ranges. Without ``minPartitions`` Spark's processors divide it."""
LAST_OFFSET = 2**63 - 1
"""The largest possible offset in an input."""

Progress = Callable[[int, int | None], None]
"""Called with the number of stored bytes that were read and their total number, ``None`` if unknown."""

MODES = {
    "permissive": "a damaged record is left out, or is a row of nulls if _error or _corrupt_record is selected",
    "dropmalformed": "a damaged record is left out",
    "failfast": "the first damage, including a truncated row, is an error",
}
TAILS = {
    COMPLETE: "the input is complete, so a truncated row is damaged",
    GROWING: "the input is being written, and an incomplete row is not read yet",
}
NANOSECONDS = {
    "nanos": "as they are",
    "micros": "as times in microseconds, rounded down",
    "long": "as integers, the nanoseconds since 1970",
}
"""What times in nanoseconds become for readers of the rows that have no such times, as Spark."""


def _byte_range(value: Any) -> tuple[int, int]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise WireloomError(f"byte_range must be a pair of offsets (begin, end), not {shown(value)}")
    begin, end = value
    if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin <= end):
        raise WireloomError(f"byte_range must be (begin, end) with 0 ≤ begin ≤ end, not {shown(value)}")
    return min(begin, LAST_OFFSET), min(end, LAST_OFFSET)


_location_of = attrgetter(*(each.name for each in fields(Location)))


def checked_filter(value: Any) -> Any:
    """Return a filter. Raises ``WireloomError`` for anything but an expression of pyarrow."""
    # Imported here: "wireloom --help" lists the options of all commands.
    import pyarrow.compute as pc

    if not isinstance(value, pc.Expression):
        raise WireloomError(f"filter must be an expression such as pyarrow.compute.field('x') > 1, not {shown(value)}")
    return value


def checked_limit(value: Any) -> int:
    """Return a limit. Raises ``WireloomError`` for anything but a number of rows."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise WireloomError(f"limit must be a number of rows of at least 0, not {shown(value)}")
    return value


@dataclass(frozen=True, kw_only=True)
class ScanOptions(Location):
    """The options of a reader of any format. Raises ``WireloomError`` for an invalid value."""

    columns: Sequence[str] | None = option(
        None,
        "Names of the columns to return, in this order: the format's, the parts of its path pattern, and _path,"
        " _offset, _error and _corrupt_record; by default the format's own.",
        NAMES,
    )
    mode: str = option("permissive", "How damage is treated.", CHOICE, values=MODES, what="mode")
    recover: bool = option(False, "After a row whose length cannot be trusted, search for the next valid row.", FLAG)
    recover_within: int = option(
        RECOVER_WITHIN,
        "With recover: number of bytes of an incomplete record, as its length claims, after which the next record is"
        " searched for inside it. A larger record in which records of the format are found counts as damaged.",
        NUMBER,
    )
    verify: bool = option(True, "Compute checksums.", FLAG, off="Do not check checksums.")
    keep_unverified: bool = option(
        False,
        "Keep the rows of an input whose checksum over all of them is wrong, or missing since the input ends early. If"
        " it is wrong, the report has the range of the input with the reason checksum. Checksums of parts count as"
        " usual.",
        FLAG,
    )
    byte_range: tuple[int, int] | None = option(
        None,
        "``(begin, end)``: the rows that begin at these offsets of the decompressed input.",
        OTHER,
        check=_byte_range,
        python=True,
    )
    filter: Any = option(
        None,
        "Return only rows for which this is true: an expression of pyarrow, such as ``pc.field('tenant') == 17``, over"
        " any columns. The report counts all rows that were read.",
        OTHER,
        check=checked_filter,
        python=True,
    )
    limit: int | None = option(
        None,
        "Return at most this many rows. The rest is not read, and damage in it is not detected.",
        OTHER,
        check=checked_limit,
        python=True,
    )
    batch_rows: int = option(
        BATCH_ROWS,
        "Maximum number of rows per batch. A batch also ends after about 4 MiB of data.",
        NUMBER,
        most=MAX_ROWS,
    )
    max_record: int | None = option(
        None, "Largest record in bytes; by default the format's.", NUMBER, most=LARGEST_RECORD
    )
    max_window: int = option(
        codecs.MAX_WINDOW,
        "Largest window of a zstd frame in bytes: memory that a decompressor takes. Frames with a larger one, as of"
        " --ultra or --long, are not decompressed.",
        NUMBER,
    )
    max_computed: int = option(
        MAX_COMPUTED,
        "Maximum number of characters computed by the expressions of a record, plus items of its decompressed lists.",
        NUMBER,
    )
    codec: str = option(
        codecs.AUTO, f"How inputs are compressed: {codecs.listed('auto (by content)')}.", WORD, check=codecs.checked
    )
    prefetch: bool | None = option(
        None,
        "Read and decompress ahead in threads. By default for large files, larger compressed inputs, zstd blocks,"
        " and logs of blocks.",
        FLAG,
        python=True,
    )
    threads: int | None = option(
        None,
        "Maximum number of threads that read several inputs; by default the processors that the process may use. If it"
        " is given, threads also read byte ranges of a large input. With a limit, or where Python classes read the"
        " rows, one.",
        NUMBER,
        most=MAX_THREADS,
        python=True,
    )
    max_ahead: int = option(
        MAX_AHEAD,
        "Bytes of rows that threads read ahead, about: also one batch of each thread, however large it is. A table of"
        " all rows has no such limit.",
        NUMBER,
        python=True,
    )
    decode: str | None = option(
        None,
        "``COLUMN:HOW``: a column of bytes that is decoded. HOW is avro, confluent (values with the number of a schema"
        " in a registry), protobuf:MESSAGE, channel (messages of MCAP; channel:TOPIC: those on a topic), a codec, a"
        " format, or the path of a spec.",
        TEXT,
    )
    schemas: str | None = option(
        None,
        "File with the schema by which a column is decoded, or the file or the address of a registry; by default the"
        " schema in the first input that has one.",
        TEXT,
    )
    tail: str = option(
        COMPLETE, "How the end of an input is treated: complete, or still growing.", CHOICE, values=TAILS
    )
    check_format: bool = option(
        True,
        "Refuse inputs that are not of the format: after the rows of all inputs, an error names those that have bytes"
        " but no valid row. Byte ranges, growing inputs and inputs of zeros are not checked.",
        FLAG,
        off="Read such inputs as empty.",
    )
    progress: Callable[[int, int | None], None] | None = option(
        None,
        "Called with the number of stored bytes read so far and the total (``None``: unknown).",
        FUNCTION,
        what="a function that takes the number of bytes read so far and the total",
        python=True,
    )
    allow_modules: Sequence[str] = option(
        (), "Modules whose classes a spec may reference. See ``wireloom.load_spec``.", OTHER, python=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.verify_sha256 and self.byte_range is not None:
            raise UnsupportedError("verify_sha256 needs all bytes of an object: leave byte_range or verify_sha256 out")

    @property
    def location(self) -> Location:
        """Like ``Location.location``."""
        return Location(*_location_of(self))

    @classmethod
    def split(cls, given: Mapping[str, Any]) -> tuple[ScanOptions, dict[str, Any]]:
        """Return the common options among the given ones, and the remaining ones, which belong to the format."""
        if not given:
            return DEFAULTS, {}
        own = {name: value for name, value in given.items() if name not in NAMES_OF_OPTIONS}
        return cls(**{name: value for name, value in given.items() if name in NAMES_OF_OPTIONS}), own


DEFAULTS = ScanOptions()
NAMES_OF_OPTIONS = tuple(options_of(ScanOptions))
LIMITS = tuple(
    name
    for name, each in options_of(ScanOptions).items()
    if name in ScanOptions.__annotations__ and each.kind in (NUMBER, WORD, TEXT) and not each.python
)
"""The limits, the codec and the schema: options that the command line accepts as ``--option NAME=VALUE``."""

P = ParamSpec("P")
Result_co = TypeVar("Result_co", covariant=True)


class Reader(Protocol[P, Result_co]):
    """A function with the parameters format, source, the options ``P``, and the options of the format by name."""

    @overload
    def __call__(self, format: Any, source: Any, *arguments: P.args, **options: P.kwargs) -> Result_co: ...
    @overload
    def __call__(self, format: Any, source: Any, **options: Any) -> Result_co: ...


def takes(options: Callable[P, ScanOptions]) -> Callable[[Callable[..., Result_co]], Reader[P, Result_co]]:
    """Return a decorator for a function of a format, a source and ``**options``: its signature and its documentation
    receive the options of that class, for readers and for type checkers."""

    def decorate(function: Callable[..., Result_co]) -> Reader[P, Result_co]:
        documented(function, options)
        return function

    return decorate
