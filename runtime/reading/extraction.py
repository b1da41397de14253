"""Extractors: they read rows from the window of one input and say how the scan continues.

There is one extractor for rows that are in the input themselves, one for blocks of a fixed size, one for formats that
are read as a whole and one for messages. The loop that runs them is that of ``wireloom.reading.input_scan``.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..input.inputs import Input
    from ..input.window import Window
    from ..rows.reader import RowDamage
    from .damage_log import DamageLog
    from .events import Event
    from .fragments import FragmentJoiner
    from .opening import Opened
    from .readers import Readers
    from .request import ScanRequest
    from .wrong_format import FormatCheck


@dataclass(slots=True)
class ScannedInput:
    """The state of an input that is being read. ``readers``: those of the scan; ``start``: offset at which
    the reading began; ``joiner``: puts rows together, where they are fragments."""

    request: ScanRequest
    source: Input
    report: FileReport
    log: DamageLog
    check: FormatCheck
    readers: Readers
    start: int = 0
    joiner: FragmentJoiner | None = None

    def count(self, window: Window) -> None:
        """Update the number of bytes read in the report."""
        self.report.bytes = max(self.report.bytes, window.base + window.begin - self.start)


class Next(Enum):
    """The condition under which an extractor continues."""

    CALL = "call"
    """Nothing: it is to be called again."""
    INPUT = "input"
    """More input in the window."""


@dataclass(slots=True)
class Ended:
    """The rows end at ``offset``, and reading stops. ``is_read``: all of the input has been read."""

    offset: int
    is_read: bool


@dataclass(slots=True)
class Lost:
    """The row or unit at ``offset`` does not say where the next one begins.

    ``reason``: why, as in ``RowDamage``. ``tail``: how the input ends if no other row is found, a word of
    ``FileReport.tail``. ``skipped``: the reason of the range up to the next row, by default ``reason``. ``resumes``:
    the offset at which the next valid row begins, if known. ``content``: the first bytes of the
    range, if it has already been searched without finding a row. ``sentence``: details of the reason;
    ``cause``: the exception that it comes from. ``is_read``: all of the input counts as read.
    """

    offset: int
    reason: str
    tail: str
    skipped: str | None = None
    resumes: int | None = None
    content: bytes | None = None
    sentence: str | None = None
    cause: Exception | None = None
    is_read: bool = False


Extraction = Generator["Event", None, Next | Ended | Lost]
"""The events of one call. They use the window, so it is changed only when the next one is asked for."""


class Extractor(Protocol):
    """Reads the rows of one input, and notes the damage of its events."""

    reads_on: ClassVar[bool] = True
    """Whether the input is read on after a lost row, to know how large it is, and whether it is nothing but zeros."""

    def begin(self, opened: Opened) -> Extraction:
        """Read what is before the rows."""
        ...

    def take(self, window: Window) -> Extraction:
        """Return the next rows: at most a batch, or those in the window."""
        ...

    def resync(self, window: Window) -> tuple[bool, bytes] | None:
        """Move ``window.begin``, where a lost row begins, to the next valid row: whether there is one, and the
        first bytes before it. Where there is none the window is at the end of the input, and the bytes go up to there.
        ``None``: rows of this format, or of this request, are not looked for."""
        return None

    def note(self, damage: RowDamage, content: bytes) -> bool:
        """Note a damaged range between rows, as ``DamageLog.note``; ``content``: its first bytes."""
        ...

    def lose(self, lost: Lost, window: Window) -> None:
        """Note a row after which nothing is read, as ``DamageLog.lose``."""
        ...

    def facts(self) -> Mapping[str, Any]:
        """Return the facts about the input that are specific to the format, as JSON values for the report."""
        return {}
