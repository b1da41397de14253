"""Detection of inputs of another format, and of those that are too large to be read as a whole.

An input without a valid record may be damaged, or be the beginning of a file that is still being written. It is of
another format only on evidence: its first record or header has another constant than the format prescribes, or a length
that no record can have, or several complete records are damaged. If the input also begins with bytes that the format
distinguishes from others, as a magic number or a valid checksum, it is damaged nevertheless.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..base.advice import Advice
from ..base.errors import DamagedInputError, WrongFormatError
from ..base.report import REASON_OF_TAIL
from ..codecs import OtherCodecError
from ..input.window import HEAD_SIZE
from ..rows.zero_runs import NOT_ZERO
from .request import grows_by_rows, searches_rows

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..format.description import Format
    from ..input.window import Window
    from .opening import Opened
    from .request import ScanRequest

NAMED = 3
"""Number of inputs that an error names besides the first; others are only counted."""
INSPECT_ADVICE = (
    "name the right format, or decrypt the file first if it is encrypted or obfuscated; 'wireloom inspect' shows what "
    "a reader finds in the file"
)
RECOVER_ADVICE = "if only its first record is damaged, {recover=True} searches for the next one"
TAKES_IT = "raise max_record to read it"
TOO_LARGE = f"the input is read as a whole and larger than max_record: {TAKES_IT}"
MANY = 4
"""Number of damaged records, none of which is valid, that are evidence. One damaged length may give two or three."""
NO_RECORDS = ("zeros", "codec", "missing")
"""Reasons of damaged ranges that are not records."""


class FormatCheck:
    """Evidence of whether one input is of the format."""

    def __init__(self, request: ScanRequest, report: FileReport) -> None:
        self._request = request
        self._report = report
        self._has_content = False
        self._zeros_end = 0
        self._head: bytes | memoryview = b""
        self.has_held = False
        """Whether a message without rows has held."""

    def look_at(self, window: Window) -> None:
        """Take the first bytes of the window into account, and search it for bytes other than zero, until a record is
        valid: a file of zeros is preallocated space, and not another format."""
        if self._report.rows or self.has_held:
            return
        self._head = window.head or self._head
        if not self._has_content:
            # A window that grows is searched once.
            unseen = max(0, self._zeros_end - window.base)
            self._has_content = NOT_ZERO.search(window.view, unseen) is not None
            self._zeros_end = window.base + len(window.view)

    def is_wrong(self, opened: Opened, *, may_block: bool) -> bool:
        """Return whether the input, as far as it could be read, contains nothing of the format, and is evidently of
        another one. ``may_block``: more input may never come."""
        self.look_at(opened.window)
        report, error = self._report, opened.window.error
        if report.rows or self.has_held or report.clean or not self._request.judges_format:
            return False
        if opened.misnamed or isinstance(error, OtherCodecError):
            return True
        if error is not None or not (self._has_content or NOT_ZERO.search(self._head)):
            return False
        if is_too_large(self._request.format, report):
            return True
        if not may_block:
            self._complete_head(opened.window)
        report.evidence = self._evidence()
        return report.evidence is not None

    def _complete_head(self, window: Window) -> None:
        """Read the first bytes that are judged, if reading stopped before their end."""
        while self._head and len(self._head) < HEAD_SIZE and window.extend():
            if len(window.head) <= len(self._head):
                # A window that does not begin with the input.
                break
            self._head = window.head

    def _evidence(self) -> str | None:
        # Imported here: only few inputs have no rows.
        from .evidence import evidence_in, is_distinctive, kind_of, message_evidence

        format, report, begin = self._request.format, self._report, bytes(self._head)
        if format.message is not None:
            found = message_evidence(format, report, begin)
        else:
            found = evidence_in(format, begin, self._request.max_record)
        if found is None:
            refused = report.unlisted + sum(each.reason not in NO_RECORDS for each in report.damaged)
            found = f"none of {refused} is valid" if refused >= MANY else None
        if found is None or (format.message is None and is_distinctive(format, begin, self._request.max_record)):
            return None
        kind = kind_of(begin)
        return f"{found}; {kind}" if kind else found


def is_too_large(format: Format, file: FileReport) -> bool:
    """Return whether an input that is read as a whole was not read because it is larger than ``max_record``."""
    return file.tail == "limit" and not file.rows and not grows_by_rows(format)


def wrong_format(request: ScanRequest, files: Sequence[FileReport], advice: str = INSPECT_ADVICE) -> DamagedInputError:
    """Return the error for files, at least one, that are not of the format, or too large to be read as a whole.
    ``advice``: a template of ``Advice``."""
    format = request.format
    large = next((each for each in files if is_too_large(format, each)), None)
    if large is not None:
        return DamagedInputError(large.error or TOO_LARGE, path=large.path, reason="limit")
    first, others = files[0], [each.path or "bytes" for each in files[1:]]
    more = f"; nor in {', '.join(others[:NAMED])}" if others else ""
    if len(others) > NAMED:
        more += f" and {len(others) - NAMED:,} more"
    reasons = "; ".join(dict.fromkeys(filter(None, (first.evidence, first.error))))
    why = f" ({reasons})" if reasons else ""
    advice = f"{advice}; {RECOVER_ADVICE}" if _is_searchable(request, first) else advice
    return WrongFormatError(
        f"not in the format {format.name}? No record in it is valid{why}{more}",
        path=first.path,
        reason=_reason(first),
        advice=Advice(f"{format.advice}; {advice}" if format.advice else advice),
    )


def _is_searchable(request: ScanRequest, file: FileReport) -> bool:
    """Return whether ``recover``, which is not set, would search the file for records."""
    format = request.format.input_format
    has_head = not format.has_prologue or file.tail_offset > 0
    return file.tail in REASON_OF_TAIL and has_head and not request.recovers and searches_rows(format)


def _reason(file: FileReport) -> str | None:
    if file.damaged:
        return file.damaged[0].reason
    return file.tail.removeprefix("invalid_")
