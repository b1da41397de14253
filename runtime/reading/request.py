"""A scan request: the options of a reader, checked together with the format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.dataclass import dataclass, field, replace
from ..base.errors import UnknownNameError, UnsupportedError, WireloomError
from ..base.text import unknown
from ..format import registry
from ..format.choices import with_values
from ..format.columns import OFFSET
from ..format.decoded import DecodedFormat
from ..format.description import Format
from ..rows.select import ENGINE, name_of
from ..rows.selected_columns import Projection, deciding_columns
from .options import BATCH_ROWS, GROWING, NAMES_OF_OPTIONS, ScanOptions
from .pushed_filter import NOTHING, Pushed, pushed
from .row_filter import filter_columns


@dataclass(frozen=True)
class UnitStart:
    """The beginning of a unit at ``offset``. ``state``: what the extractor of the format needs to know of the units
    before it."""

    offset: int
    state: Any = None


@dataclass(frozen=True, kw_only=True)
class ScanRequest(ScanOptions):
    """How inputs are read: the options, and the settings derived from them for a format. ``choices``: the values of the
    format's options, which may be ``auto``. ``message_options``: the options of the framing and the hooks of a format
    of messages."""

    format: Format
    projection: Projection
    """The columns that are read: the selected ones, then those that only the filter needs."""
    engine: str = ""
    """What reads the rows, by the name that it has in reports: ``columns`` (the engine) or ``objects`` (the object
    parser); by default what can read these columns of the format."""
    max_record: int = 0
    selected_count: int | None = None
    """The number of selected columns, if a filter needs more: rows are returned without the others."""
    pushed: Pushed = NOTHING
    """The predicates of the filter that the engine tests."""
    indexed_filter: Any = None
    """The filter of the rows, for indexes in inputs."""
    end_rows: bool = False
    """Whether the end of an input without rows becomes a row of nulls, as damaged records do."""
    chunk: int | None = None
    """Number of bytes that are read at once, if it differs from the default."""
    resume: UnitStart | None = None
    """``InputScan.resume_point`` of an earlier scan of the input: units are read from there on, after the bytes before
    all units. Inputs that can only be read in order are read from their beginning."""
    exact_range: bool = False
    """Whether the byte range is one of those of a whole input, which together must return what the whole returns. Where
    that is in doubt, ``UnsupportedError`` is raised."""
    dictionaries: bool = False
    """As in ``Settings``."""
    in_memory: bool = False
    """Whether an input that is one unit is loaded into memory even if it could be read in extents."""
    fragments: bool = False
    """Whether there are events of the fragments of records, too."""
    choices: Mapping[str, str] = field(default_factory=dict)
    message_options: Mapping[str, Any] = field(default_factory=dict)

    # Derived from these:
    grows: bool = field(init=False, compare=False)
    """Whether an input may still grow, so that its last row may be incomplete."""
    null_rows: bool = field(init=False, compare=False)
    """Whether a damaged record becomes a row of nulls."""
    null_fill_rows: bool = field(init=False, compare=False)
    """Whether a fill has a row of nulls for each damaged one. If rows are assembled from fragments, rows of nulls are
    added later."""
    read_columns: tuple[int, ...] = field(init=False, compare=False)
    """The numbers of the columns that are read, ascending: the selected ones and, if rows are assembled from fragments,
    those that describe the fragments."""
    reads_offsets: bool = field(init=False, compare=False)
    """Whether the offsets of rows are needed."""
    searches_ranges: bool = field(init=False, compare=False)
    """Whether the start of a byte range is found by searching for a unit."""
    judges_format: bool = field(init=False, compare=False)
    """Whether an input without a valid record counts as one of another format; false if it may be part of a file."""
    recovers: bool = field(init=False, compare=False)
    """Whether rows are searched for after one without an end; a marker determines where the next one begins."""
    trusts_end: bool = field(init=False, compare=False)
    """Whether the end of an input ends its last row, as a delimiter does."""

    def __post_init__(self) -> None:
        """Derive settings from the options, which have been checked."""
        format, projection, ranged = self.format, self.projection, self.byte_range is not None
        grows = self.tail == GROWING
        null_rows = self.mode == "permissive" and projection.selects_errors
        wire, read_columns = format, projection.projected
        if isinstance(format, DecodedFormat):
            wire = format.wire
            read_columns = tuple(
                sorted({wire.column_numbers[each] for each in format.encoded_columns(projection.names)})
            )
        if format.fragments is not None:
            needed = map(format.column_numbers.__getitem__, format.fragments.columns)
            read_columns = tuple(sorted({*read_columns, *needed}))
        vars(self).update(
            engine=self.engine or name_of(wire, read_columns),
            grows=grows,
            null_rows=null_rows,
            null_fill_rows=null_rows and format.fragments is None,
            read_columns=read_columns,
            reads_offsets=projection.has_offsets or format.fragments is not None,
            searches_ranges=ranged and not format.splittable and format.searched and (self.recover or self.exact_range),
            judges_format=not ranged and not grows,
            recovers=self.recover or format.has_marker,
            trusts_end=not grows and not (self.mode == "failfast" and format.delimiter),
        )

    @property
    def ignores_prologue(self) -> bool:
        """Return whether rows are searched for if what is before them is lost, since it has no effect on them."""
        if not self.recover or not (self.byte_range is None or self.searches_ranges or self.format.has_marker):
            return False
        program = self.format.program if self.format.message is None else None
        depends = program is None or program.input_registers or program.known or self.format.variables
        return not (depends or self.format.marker or self.format.looks_up)

    @property
    def by_engine(self) -> bool:
        """Return whether the engine reads the rows, and not the object parser."""
        return self.engine == ENGINE

    def physical(self) -> ScanRequest:
        """Return the request for the table whose rows are read from the input, or from the stream that the input's
        containers form: if rows are nested in records of another table, the request that reads those records, otherwise
        this one."""
        if not self.format.inside or self.format.in_stream:
            return self
        format = self.format.input_format
        projection = Projection.of(format, [OFFSET])
        return replace(self, format=format, projection=projection, engine="", indexed_filter=None)

    def containers(self) -> ScanRequest:
        """Return the request for the containers of the stream that contains the rows. Damage is in order and never a
        row."""
        format = self.format.input_format
        projection = Projection.of(format, [OFFSET, *format.stream])
        choices, _ = _own_options(format, {}, False, ())
        mode = "failfast" if self.mode == "failfast" else "dropmalformed"
        return replace(
            self,
            format=format,
            projection=projection,
            columns=projection.names,
            selected_count=None,
            filter=None,
            pushed=NOTHING,
            indexed_filter=None,
            limit=None,
            engine="",
            mode=mode,
            batch_rows=BATCH_ROWS,
            choices=choices,
            message_options={},
        )

    @property
    def encoded(self) -> ScanRequest:
        """Return the request for the rows with the bytes, if a column of them is decoded, otherwise this one."""
        format = self.format
        if not isinstance(format, DecodedFormat):
            return self
        projection = Projection.of(format.wire, [*format.encoded_columns(self.projection.names), OFFSET])
        return replace(
            self,
            format=format.wire,
            projection=projection,
            columns=projection.names,
            selected_count=None,
            filter=None,
            pushed=NOTHING,
            indexed_filter=None if format.is_flat else self.indexed_filter,
            limit=None,
            engine="",
            dictionaries=True,
        )

    @property
    def resumes(self) -> bool:
        """Return whether rows are searched for after a gap in the input."""
        return self.recover or self.format.in_stream


def scan_request(
    format: str | Path | Format,
    *,
    in_table: bool = False,
    option_names: Sequence[str] = NAMES_OF_OPTIONS,
    **options: Any,
) -> ScanRequest:
    """Return the same as ``request_of`` for the options of all readers and of the format, by name."""
    general, own = ScanOptions.split(options)
    return request_of(format, general, own, in_table=in_table, option_names=option_names)


def request_of(
    format: str | Path | Format,
    options: ScanOptions,
    own: Mapping[str, Any],
    *,
    columns: Sequence[str] | None = None,
    in_table: bool = False,
    option_names: Sequence[str] = NAMES_OF_OPTIONS,
) -> ScanRequest:
    """Return the scan request of these options; ``own``: the options of the format itself; ``columns``: those to read,
    in place of the option.

    ``in_table``: whether blobs in a table are read, of which options may name columns. ``option_names``: the caller's
    options that are not the format's, for suggesting the nearest name. Raises ``UnknownNameError`` with the nearest
    name, ``UnsupportedError`` for what files of the format do not support, or ``WireloomError``.
    """
    found, given = of_table(registry.get(format, options.allow_modules), own)
    if options.tail == GROWING and not grows_by_rows(found):
        raise UnsupportedError(f"files of {found.name} are read as a whole and cannot grow: leave tail=growing out")
    choices, others = _own_options(found, given, in_table, option_names)
    found = with_values(found, choices)
    max_record = found.max_record if options.max_record is None else options.max_record
    columns = options.columns if columns is None else columns
    projection, selected_count = _projection(found, columns, options.filter)
    if options.byte_range is not None and (why := range_refusal(found, projection.names)):
        raise UnsupportedError(why)
    below = NOTHING if options.filter is None else pushed(found, options.filter)
    made = ScanRequest(
        **vars(options) | {"columns": columns, "max_record": max_record, "filter": below.full},
        format=found,
        projection=projection,
        selected_count=selected_count,
        pushed=below,
        indexed_filter=below.full,
        choices=choices,
        message_options=others,
    )
    if found.message is not None:
        from ..units.decoded_units import beside, hooks_for
        from ..units.framing import framing_for

        # Checked here, so that invalid values of their options are reported before anything is opened.
        framing_for(found, max_record, others)
        for name, column in beside(hooks_for(found, others)).items():
            if not in_table:
                raise WireloomError(
                    f"{name}={column!r} refers to a column, which only explode and explode_wire support"
                )
    return made


def range_refusal(format: Format, columns: Iterable[str]) -> str | None:
    """Return why these columns cannot be read from byte ranges of files; ``None`` if they can."""
    files, input_format = f"files of {format.name}", format.input_format
    if input_format.stateful:
        return f"{files} cannot be read in byte ranges: rows depend on the bytes before them"
    if not input_format.streaming and not input_format.block:
        return f"{files} are read as a whole, not in byte ranges"
    if format.message is not None:
        return f"{files} cannot be read in byte ranges: message boundaries are only known from the first byte on"
    if format.in_stream:
        return f"{files} cannot be read in byte ranges: rows are in a stream that is cut into containers"
    if format.in_pieces and not input_format.block:
        return f"{files} cannot be read in byte ranges: records are joined from fragments"
    if looks_up(format, columns):
        earlier = "columns are looked up in earlier rows of other tables; choose other columns"
        why = "its rows are compared with earlier ones" if format.distinct else earlier
        return f"the table {format.table} of {format.name} cannot be read in byte ranges: {why}"
    return None


def is_split(format: Format, recover: bool, columns: Iterable[str]) -> bool:
    """Return whether byte ranges of an uncompressed file are read without the bytes before them, apart from those
    before all rows. ``recover``: the option of the reader."""
    needs_start = format.has_prologue and not (format.has_marker or format.searched)
    begins_anywhere = format.splittable or (format.searched and recover)
    return begins_anywhere and not needs_start and range_refusal(format, columns) is None


def looks_up(format: Format, columns: Iterable[str]) -> bool:
    """Return whether the rows, or some of these columns, depend on earlier rows: inputs are read from their first byte
    on."""
    if isinstance(format, DecodedFormat):
        columns, format = format.encoded_columns(columns), format.wire
    names = set(columns)
    return format.distinct or any(each.looked_up and each.name in names for each in format.columns)


def narrowed(request: ScanRequest, columns: Sequence[str], limit: int | None, filter: Any = None) -> ScanRequest:
    """Return the request with fewer columns, at most ``limit`` rows if that is less, and an additional filter.

    The rows do not depend on the columns: those of the request that decide about rows are read in any case."""
    deciding = [each for each in deciding_columns(request.format) if each in request.projection.names]
    if filter is not None:
        filter = filter if request.filter is None else request.filter & filter
        _projection(request.format, columns, filter, deciding)
        below = pushed(request.format, filter)
        request = replace(request, filter=below.full, pushed=below, indexed_filter=below.full)
    projection, selected_count = _projection(request.format, columns, request.filter, deciding)
    limits = [each for each in (request.limit, limit) if each is not None]
    least = min(limits, default=None)
    return replace(request, projection=projection, selected_count=selected_count, engine="", limit=least)


def _projection(
    format: Format, columns: Sequence[str] | None, filter: Any, deciding: Sequence[str] = ()
) -> tuple[Projection, int | None]:
    """Return the columns to read, and the number of selected ones if the filter, or rows that columns decide about,
    need more."""
    projection = Projection.of(format, columns)
    needed = [*(() if filter is None else filter_columns(format, filter)), *deciding]
    more = [each for each in dict.fromkeys(needed) if each not in projection.names]
    if filter is None and not more:
        return projection, None
    return Projection.of(format, [*projection.names, *more]), len(projection.names)


def of_table(format: Format, options: Mapping[str, Any]) -> tuple[Format, dict[str, Any]]:
    """Return the table that the options choose, for a format with several, and the other options. Raises
    ``UnknownNameError`` with the names of the tables."""
    given = dict(options)
    if format.option in given:
        format = format.of_table(str(given.pop(format.option)))
    return format, given


def message_options(format: Format, *, in_table: bool = False) -> tuple[str, ...]:
    """Return the names of the options of the reader of a format of messages, except the one that chooses the table.
    ``in_table``: including those for blobs in a table."""
    if format.message is None:
        return ()
    from ..units.decoded_units import hooks_class, table_options
    from ..units.framing import framing_class, options_of

    more = table_options(format) if in_table else ()
    return (*options_of(framing_class(format)), *options_of(hooks_class(format)), *more)


def grows_by_rows(format: Format) -> bool:
    """Return whether rows or messages can be appended to a file of the format."""
    if format.message is None:
        return format.input_format.streaming or format.input_format.block > 0
    return format.message.framing != "whole"


def searches_rows(format: Format) -> bool:
    """Return whether rows of the format are searched for, with the option ``recover``, after a row without an end; not
    if the format consists of messages, whose framing determines that."""
    input_format = format.input_format
    return (
        input_format.streaming
        and input_format.message is None
        and not input_format.block
        and not input_format.delimiter
    )


def check_names(format: Format, options: Iterable[str], *, in_table: bool, more: Sequence[str]) -> None:
    """Raise ``UnknownNameError`` for an option that the reader of the format does not have; ``more``: further options
    to suggest."""
    choices = [choice.name for choice in format.choices]
    others = message_options(format, in_table=in_table)
    table = [format.option] if format.option else []
    for name in options:
        if name not in (*choices, *others):
            if name == "table" and not table:
                raise UnknownNameError(f"{format.name} has one table: leave the option 'table' out")
            known = (*choices, *table, *others, *more)
            error = unknown(f"option of {format.name}", name, known)
            error.option = (format.name, name, known)
            raise error


def _own_options(
    format: Format, given: Mapping[str, Any], in_table: bool, more: Sequence[str]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return every choice of the format with its value, and the options of its messages. Raises
    ``UnknownNameError``."""
    if given:
        check_names(format, given, in_table=in_table, more=more)
    choices, others = dict[str, str](), dict(given)
    for choice in format.choices:
        if choice.name in given:
            others[choice.name] = choice.checked(f"value of {choice.name}", given[choice.name])
        choices[choice.name] = str(others.pop(choice.name, choice.default))
    return choices, others
