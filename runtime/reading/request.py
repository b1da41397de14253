"""What a reader was asked to do, checked once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import codecs
from ..base.arguments import check_booleans, one_of, positive, shown
from ..base.errors import UnsupportedError, WireloomError
from ..base.limits import LARGEST_RECORD, MAX_COMPUTED, MAX_ROWS
from ..base.nearest import unknown
from ..format import registry
from ..format.description import Choice, Format
from ..rows.batches import Layout

MODES = ("permissive", "dropmalformed", "failfast")
COMPLETE, GROWING = "complete", "growing"
TAILS = (COMPLETE, GROWING)
BATCH_ROWS = 16384

Progress = Callable[[int, int | None], None]
"""Called with the stored bytes that were read and the number of all of them, ``None`` where that is not known."""


@dataclass(frozen=True)
class ScanRequest:
    """How inputs are read. ``choices``: option of the format → its value, ``auto`` among them. ``message_options``:
    what the framing and the hooks of a format of messages are given."""

    format: Format
    layout: Layout
    engine: str
    mode: str = "permissive"
    recover: bool = False
    verify: bool = True
    byte_range: tuple[int, int] | None = None
    batch_rows: int = BATCH_ROWS
    max_record: int = 0
    max_window: int = codecs.MAX_WINDOW
    max_computed: int = MAX_COMPUTED
    codec: str = codecs.AUTO
    prefetch: bool | None = None
    tail: str = COMPLETE
    check_format: bool = True
    end_rows: bool = False
    """Whether the end of an input that gives no rows is a row of nulls, where damaged records are."""
    chunk: int | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    message_options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def null_rows(self) -> bool:
        """Whether a damaged record is a row of nulls."""
        return self.mode == "permissive" and self.layout.has_damage

    @property
    def judges_format(self) -> bool:
        """Whether an input without any record that holds is not of the format: not where it may be a part of one."""
        return self.byte_range is None and not self.grows

    @property
    def grows(self) -> bool:
        """Whether more of an input may come, so that its last row may not be all there yet."""
        return self.tail == GROWING

    @property
    def trusts_end(self) -> bool:
        """Whether the end of an input is as good as the delimiter that its last row lacks."""
        return not self.grows and not (self.mode == "failfast" and self.format.delimiter)


def scan_request(
    format: str | Path | Format,
    *,
    columns: Sequence[str] | None = None,
    mode: str = "permissive",
    recover: bool = False,
    verify: bool = True,
    byte_range: tuple[int, int] | None = None,
    batch_rows: int = BATCH_ROWS,
    max_record: int | None = None,
    max_window: int = codecs.MAX_WINDOW,
    max_computed: int = MAX_COMPUTED,
    codec: str = codecs.AUTO,
    prefetch: bool | None = None,
    tail: str = COMPLETE,
    check_format: bool = True,
    options: Mapping[str, Any] | None = None,
    in_table: bool = False,
    option_names: Sequence[str] | None = None,
) -> ScanRequest:
    """Checks everything. ``in_table``: what is read are blobs that stand in a table, of which options may name columns.
    ``option_names``: the caller's options that are not the format's, for the nearest name to a wrong one; by default
    those of a scan. Raises ``UnknownNameError`` with the nearest name, or ``WireloomError`` with what is wrong."""
    check_booleans(recover=recover, verify=verify, check_format=check_format)
    if prefetch is not None:
        check_booleans(prefetch=prefetch)
    found, given = of_kind(registry.get(format), options or {})
    folded = one_of("mode", mode.lower() if isinstance(mode, str) else mode, MODES)
    if byte_range is not None:
        byte_range = _range(byte_range)
        if not found.streaming:
            raise UnsupportedError(f"files of {found.name} are read as a whole: they have no byte ranges")
        if found.message is not None:
            raise UnsupportedError(
                f"files of {found.name} have no byte ranges: where messages begin is only known from the first byte on"
            )
    if one_of("value of tail", tail, TAILS) == GROWING and not grows_by_rows(found):
        raise UnsupportedError(f"files of {found.name} are read as a whole and cannot grow: leave tail=growing out")
    choices, others = _options(found, given, in_table, OPTIONS if option_names is None else option_names)
    made = ScanRequest(
        format=found,
        layout=Layout.of(found, columns),
        engine=engine_of(found),
        mode=folded,
        recover=recover,
        verify=verify,
        byte_range=byte_range,
        batch_rows=positive("batch_rows", batch_rows, MAX_ROWS),
        max_record=positive("max_record", found.max_record if max_record is None else max_record, LARGEST_RECORD),
        max_window=positive("max_window", max_window),
        max_computed=positive("max_computed", max_computed),
        codec=codecs.checked(codec),
        prefetch=prefetch,
        tail=tail,
        check_format=check_format,
        choices=choices,
        message_options=others,
    )
    if found.message is not None:
        from ..units.guarded import framing_for, hooks_for
        from ..units.hooks import beside

        # Whether they take the values of their options is to be known before anything is opened.
        framing_for(found, made.max_record, others)
        for name, column in beside(hooks_for(found, others)).items():
            if not in_table:
                raise WireloomError(
                    f"{name}={column!r} is taken for the name of a column, and only explode and explode_wire have the"
                    " table that it would be in"
                )
    return made


def engine_of(format: Format) -> str:
    """``columns`` where the engine reads this format, ``objects`` where the generated classes do."""
    if format.message is not None:
        from ..rows.messages import decoders

        return decoders.name_of(format)
    from ..rows import select

    return select.name_of(format)


def of_kind(format: Format, options: Mapping[str, Any]) -> tuple[Format, dict[str, Any]]:
    """The table that the options choose where a format has several kinds of message, and the other options. Raises
    ``UnknownNameError`` with the nearest kind."""
    given = dict(options)
    units = format.message
    if units is not None and units.option in given:
        format = format.of_kind(str(given.pop(units.option)))
    return format, given


def message_options(format: Format, *, in_table: bool = False) -> tuple[str, ...]:
    """Names of the options that the reader of a format of messages has, besides the one that chooses the kind.
    ``in_table``: with those for blobs that stand in a table."""
    if format.message is None:
        return ()
    from ..units.framing import framing_class, options_of
    from ..units.hooks import hooks_class, table_options

    more = table_options(format) if in_table else ()
    return (*options_of(framing_class(format)), *options_of(hooks_class(format)), *more)


def grows_by_rows(format: Format) -> bool:
    """Whether rows or messages can be appended to a file of the format."""
    return format.streaming if format.message is None else format.message.framing != "whole"


LAST_OFFSET = 2**63 - 1
"""No input has an offset beyond it."""


def _range(value: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise WireloomError(f"byte_range is a pair of offsets (begin, end), not {shown(value)}")
    begin, end = value
    if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin <= end):
        raise WireloomError(f"byte_range is (begin, end) with 0 ≤ begin ≤ end, not {shown(value)}")
    return min(begin, LAST_OFFSET), min(end, LAST_OFFSET)


def check_names(format: Format, options: Iterable[str], *, in_table: bool, more: Sequence[str]) -> None:
    """Raises ``UnknownNameError`` for an option that the reader of the format does not have; ``more``: options that it
    might have meant."""
    choices = [choice.name for choice in format.choices]
    others = message_options(format, in_table=in_table)
    kind = [format.message.option] if format.message is not None and format.message.option else []
    for name in options:
        if name not in (*choices, *others):
            raise unknown(f"option of {format.name}", name, [*choices, *kind, *others, *more])


def _options(
    format: Format, options: Mapping[str, Any], in_table: bool, more: Sequence[str]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Every choice of the format with its value, and the options of its messages. Raises ``UnknownNameError``."""
    check_names(format, options, in_table=in_table, more=more)
    known = {choice.name: choice for choice in format.choices}
    others = message_options(format, in_table=in_table)
    for name in known.keys() & options.keys():
        one_of(f"value of {name}", options[name], _values(known[name]))
    return (
        {name: str(options.get(name, choice.default)) for name, choice in known.items()},
        {name: options[name] for name in others if name in options},
    )


def _values(choice: Choice) -> list[str]:
    return ["auto", *(value for value, _ in choice.padding)]


OPTIONS = (
    "columns",
    "mode",
    "recover",
    "verify",
    "byte_range",
    "batch_rows",
    "max_record",
    "max_window",
    "max_computed",
    "codec",
    "prefetch",
    "tail",
    "check_format",
    "progress",
    "region",
    "endpoint",
    "anonymous",
    "profile",
    "verify_sha256",
    "allow_modules",
)
"""The options that every format has, for the nearest name to a wrong one."""
