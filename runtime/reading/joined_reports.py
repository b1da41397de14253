"""The reports of inputs that several threads read, as one thread would have written them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..base.report import Damage, FileReport
from .damage_log import MOST_LISTED
from .parts import ScanPart


class JoinedReports:
    """Updates ``files`` while the rows of parts are returned in their order. An input that is read in byte ranges has
    one report."""

    def __init__(self, files: list[FileReport]) -> None:
        self._files = files
        self._done = 0
        """Number of reports of inputs that have been read to their end."""
        self._before: FileReport | None = None
        """The report of the byte ranges before the current one."""

    def update(self, files: Sequence[FileReport]) -> bool:
        """Set the reports of the current part so far. Return whether they are those of one thread: byte ranges with a
        report that cannot be joined have to be read again, as a whole."""
        before = self._before
        found = joined(before, files[0]) if before is not None and files else None
        self._files[self._done :] = [found] if found is not None else files
        return found is not None or before is None

    def finish(self, part: ScanPart, files: Sequence[FileReport]) -> bool:
        """Set the reports of the current part, which ends. Return the same as ``update``."""
        if not self.update(files):
            return False
        if part.byte_range is not None and not _is_known(self._files[-1], files[0], part):
            return False
        self._before = None if part.is_last else self._files[-1]
        if part.is_last:
            self._done = len(self._files)
        return True

    def forget(self) -> None:
        """Remove the report of the current input, which is read again."""
        del self._files[self._done :]
        self._before = None

    def skip(self) -> None:
        """Count the reports so far as those of inputs that have been read to their end."""
        self._done = len(self._files)


def _is_known(report: FileReport, own: FileReport, part: ScanPart) -> bool:
    """Return whether reading the whole input would have continued after a byte range as after its beginning or, after
    the last one, would have ended like this. ``report``: that up to its end; ``own``: that of the range."""
    if report.error is not None or report.facts:
        return False
    if not part.is_last:
        return report.tail == "clean"
    # The end of an input is that of the last record, which may be in an earlier range.
    return own.rows > 0 and report.tail in ("clean", "truncated") and report.tail_size is not None


def joined(before: FileReport, after: FileReport) -> FileReport | None:
    """Return the report of two byte ranges of an input of which one follows the other; ``None`` if it is not known what
    one thread reports."""
    damaged = _runs(before.damaged, after.damaged, "zeros")
    if before.options != after.options or before.unlisted or after.unlisted or len(damaged) > MOST_LISTED:
        return None
    return replace(
        after,
        rows=before.rows + after.rows,
        bytes=after.tail_offset + (0 if after.tail == "unread" else after.tail_size or 0),
        damaged=damaged,
        skipped=_runs(before.skipped, after.skipped, "empty")[:MOST_LISTED],
        skipped_bytes=before.skipped_bytes + after.skipped_bytes,
        unsupported=before.unsupported or after.unsupported,
    )


def _runs(before: list[Damage], after: list[Damage], reason: str) -> list[Damage]:
    """Return all ranges. Where two that are adjacent meet, those of this reason are one."""
    if before and after:
        last, first = before[-1], after[0]
        if last.reason == first.reason == reason and last.offset + last.length == first.offset:
            return [*before[:-1], Damage(last.offset, last.length + first.length, reason), *after[1:]]
    return [*before, *after]
