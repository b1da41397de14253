"""Extractors: they read rows from the window of one input and determine how the scan continues.

There is one extractor for rows that are stored directly in the input, one for blocks of a fixed size, one for formats
that are read as a whole and one for messages. The loop that runs them is in ``wireloom.reading.input_scan``.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..base.dataclass import dataclass
from ..base.report import tail_of

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..input.inputs import Input
    from ..input.window import Window
    from ..rows.reader import RowDamage
    from .containers import ContainerStream
    from .damage_log import DamageLog
    from .events import Event
    from .fragments import FragmentJoiner
    from .opening import Opened
    from .request import ScanRequest, UnitStart
    from .scan_readers import ScanReaders
    from .wrong_format import FormatCheck


@dataclass(slots=True)
class ScannedInput:
    """The state of an input that is being read. ``readers``: those of the scan; ``start``: the offset at which reading
    began; ``joiner``: assembles rows from fragments, if they are fragmented."""

    request: ScanRequest
    source: Input
    report: FileReport
    log: DamageLog
    check: FormatCheck
    readers: ScanReaders
    start: int = 0
    joiner: FragmentJoiner | None = None
    stream: ContainerStream | None = None
    """What is read, if it is a stream in containers."""

    def offset(self, window: Window) -> int:
        """Return the offset in the input at which the unread part of a window begins."""
        offset = window.base + window.begin
        return offset if self.stream is None else self.stream.offset_in_input(offset)

    def count(self, window: Window) -> None:
        """Update the number of bytes read in the report."""
        self.report.bytes = max(self.report.bytes, self.offset(window) - self.start)


class Next(Enum):
    """The condition under which an extractor continues."""

    CALL = "call"
    """It can be called at once."""
    INPUT = "input"
    """There is more input in the window."""


@dataclass(slots=True)
class Ended:
    """The rows end at ``offset``, and reading stops. ``is_read``: whether the whole input has been read."""

    offset: int
    is_read: bool


@dataclass(slots=True)
class Lost:
    """There is no known end of what begins at ``offset``: a row, a unit, or the bytes before the rows.

    - ``reason``: as in ``RowDamage``.
    - ``tail``: how the input ends if no other row is found, a value of ``FileReport.tail``.
    - ``skipped``: the reason of the range up to the next row, by default ``reason``.
    - ``resumes``: the offset at which the next valid row begins, if known.
    - ``content``: the first bytes of the range, if it has already been searched without finding a row.
    - ``sentence``: details of the reason.
    - ``is_read``: whether the whole input counts as read.
    - ``in_head``: whether it lies before the rows; ``field``: the name of the invalid value there, if known.
    """

    offset: int
    reason: str
    tail: str
    skipped: str | None = None
    resumes: int | None = None
    content: bytes | None = None
    sentence: str | None = None
    is_read: bool = False
    in_head: bool = False
    field: str | None = None


Extraction = Generator["Event", None, Next | Ended | Lost]
"""The events of one call. They use the window, so it is changed only when the next one is requested."""


def lost_row(window: Window, offset: int, reason: str, *, of_unit: bool = False, **more: Any) -> Lost | Ended:
    """Return how to continue at a row whose end is unknown: ``Lost``, or ``Ended`` if the input ends at ``offset``.
    ``of_unit``: the row must be there, since a unit contains it."""
    is_truncated = reason == "truncated"
    if is_truncated and not of_unit and window.base + len(window.view) <= offset:
        return Ended(offset, is_read=True)
    return Lost(offset, reason, tail_of(reason), is_read=is_truncated, **more)


class Extractor(Protocol):
    """Reads the rows of one input, and records the damage of its events."""

    reads_on: ClassVar[bool] = True
    """Whether the input is read to its end after a lost row, to determine its size and whether the rest consists of
    zeros."""

    def begin(self, opened: Opened) -> Extraction:
        """Prepare for the rows of an input, after reading the bytes before them if the format has any."""
        ...

    def take(self, window: Window) -> Extraction:
        """Read the next rows: at most a batch, or those in the window."""
        ...

    def resync(self, window: Window) -> tuple[bool, bytes] | None:
        """Move ``window.begin``, where a lost row begins, to the next valid row. Return whether there is one, and the
        first bytes before it; if there is none, the window is at the end of the input, and the bytes extend to it.
        ``None``: rows of this format, or of this request, are not searched for."""
        return None

    def after_gap(self) -> bool:
        """Prepare for a window whose first bytes do not continue the bytes before them, and may be anywhere in a row.
        Return whether rows of this format, or of this request, are searched for there."""
        return False

    def resume_point(self, window: Window) -> UnitStart | None:
        """Return the point at which another scan finds all rows after the events so far; ``None`` if there is none."""
        return None

    def note(self, damage: RowDamage, content: bytes, *, sentence: str | None = None) -> bool:
        """Record a damaged range between rows, like ``DamageLog.note``; ``content``: its first bytes; ``sentence``:
        details beyond the reason."""
        ...

    def lose(self, lost: Lost, window: Window) -> None:
        """Record a row after which nothing is read, like ``DamageLog.lose``."""
        ...

    def close(self) -> None:
        """Wait for the threads that use the bytes of the window, and end them."""
        return

    def facts(self) -> Mapping[str, Any]:
        """Return the facts about the input that are specific to the format, as JSON values for the report."""
        return {}
