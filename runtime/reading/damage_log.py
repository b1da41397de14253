"""The log of the damaged ranges of one input, which become part of its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..base.advice import Advice
from ..base.errors import DamagedInputError, WireloomError
from ..base.report import Damage, FileReport
from ..format.description import Format
from ..rows.reader import RowDamage
from ..rows.selected_columns import EXPLANATIONS
from .request import grows_by_rows

MOST_LISTED = 100_000
"""Maximum number of damaged ranges that a report lists; others are only counted, so that garbage of any size does not
exhaust the memory."""


class Detail(NamedTuple):
    """Details of damage, as far as they are known: the number of the record, the invalid field, and a sentence beyond
    the reason."""

    record: int | None = None
    field: str | None = None
    sentence: str | None = None


Details = Callable[[RowDamage], Detail]
"""Returns what is known about damage; called only for errors, and for the first damage that is ``unsupported``."""

Place = Callable[[RowDamage], RowDamage]
"""Returns damage with its place in the input."""
HoleIn = Callable[[int, int], tuple[int, int] | None]

ADVICE = {
    "checksum": "{mode='permissive'} leaves it out, {verify=False} keeps it",
    "limit": (
        "{mode='permissive'} leaves it out, raise {max_record} to read it unless its length is "
        "damaged, or {max_computed} if its text is computed"
    ),
}
"""By reason: the options with which reading continues, as a template of ``Advice``."""
ANY_ADVICE = "{mode='permissive'} leaves it out"
FAILED_ADVICE = "{mode='permissive'} keeps the records before it"
LOST_ADVICE = f"{FAILED_ADVICE}, {{recover=True}} also looks for the next one"
HEADER_ADVICE = "no record can be read without the header: name the right format, or repair the header"


def lost_advice(*, searchable: bool) -> str:
    """Return the options with which reading continues after a record without an end. ``searchable``: whether
    ``recover``, which is not set, searches for the next record."""
    return LOST_ADVICE if searchable else FAILED_ADVICE


def truncated_advice(format: Format) -> str:
    """Return the options with which reading continues if an input ends inside a record."""
    return f"{FAILED_ADVICE}, {{tail='growing'}} waits for the rest of it" if grows_by_rows(format) else FAILED_ADVICE


def in_order(damaged: Iterable[Damage]) -> list[Damage]:
    """Return damaged ranges by offset, with one range for each run of zeros."""
    found: list[Damage] = []
    for each in sorted(damaged, key=lambda each: each.offset):
        last = found[-1] if found else None
        if last is not None and last.reason == each.reason == "zeros" and last.offset + last.length == each.offset:
            found[-1] = Damage(last.offset, last.length + each.length, "zeros")
        else:
            found.append(each)
    return found


class DamageLog:
    """Records damage in the order of the input. ``place``: where damage is in the input, if what is read is a stream
    in containers."""

    def __init__(
        self,
        report: FileReport,
        mode: str,
        byte_range: tuple[int, int] | None,
        format: Format,
        place: Place | None = None,
    ) -> None:
        self._place = place
        self._report = report
        self._fails = mode == "failfast"
        self._joins = format.fragments is not None
        """Whether damage is confirmed after that of the records before it, which fragments are joined to."""
        self._first: DamagedInputError | None = None
        self._is_supported = True
        """Whether there was no damage with the reason ``unsupported`` so far."""
        self._range_begin, self._range_stop = byte_range or (0, -1)
        self._format_name = format.name
        self._delimiter = format.delimiter
        self._hole_in: HoleIn | None = None

    def narrow(self, begin: int, stop: int) -> None:
        """Record only damage that begins in this byte range from now on."""
        self._range_begin, self._range_stop = begin, stop

    def look_for_holes(self, hole_in: HoleIn) -> None:
        """Skip the holes of a sparse file, where rows are between delimiters. ``hole_in``: as ``Stored.hole``."""
        self._hole_in = hole_in if self._delimiter else None

    def hole_in(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the part of a range without a row that is a hole; ``None`` if there is none. A delimiter before it
        belongs to it."""
        hole = self._hole_in(begin, end) if self._hole_in is not None else None
        if hole is None:
            return None
        return hole[0] if hole[0] - begin > len(self._delimiter) else begin, hole[1]

    def note(self, damage: RowDamage, details: Details, said: str | None = None) -> bool:
        """Add a range to the report. Return whether a row of nulls may replace it: not if it belongs to another byte
        range, is in a hole, or continues a run of zeros. Raises ``DamagedInputError`` in mode ``failfast``; ``said``: a
        sentence with details beyond the reason."""
        if damage.begin < self._range_begin or 0 <= self._range_stop <= damage.begin:
            return False
        hole = self.hole_in(damage.begin, damage.end)
        if hole is not None:
            begin, end = hole
            # The head of a log is freed up to a block, in a record of which the rest remains.
            end = end if begin else damage.end
            # It belongs to the byte range in which the row begins, as the row does.
            if begin == damage.begin or end == damage.end:
                self.skip(begin, end, "hole", step=end - begin)
                damage = damage._replace(begin=end) if begin == damage.begin else damage._replace(end=begin)
            if damage.begin == damage.end:
                return False
        fails = self._fails and (self._first is None or damage.begin < (self._first.offset or 0))
        names = damage.reason == "unsupported" and self._is_supported
        detail = details(damage) if fails or names else Detail()
        damage = self._in_input(damage)
        if names:
            self._is_supported, self._report.unsupported = False, detail.sentence
        if fails:
            self._first = self._error(damage, detail, said=said)
            if not self._joins:
                self.confirm()
        if self._goes_on(damage):
            last = self._report.damaged[-1]
            self._report.damaged[-1] = Damage(last.offset, damage.end - last.offset, last.reason)
            return False
        if len(self._report.damaged) < MOST_LISTED:
            self._report.damaged.append(Damage(damage.begin, damage.end - damage.begin, damage.reason))
        else:
            self._report.unlisted += 1
            counts = self._report.unlisted_reasons
            counts[damage.reason] = counts.get(damage.reason, 0) + 1
        return True

    def confirm(self) -> None:
        """Raise the error of the first damage so far: in mode ``failfast``, for records that are joined from fragments,
        ``note`` only keeps it."""
        if self._first is not None:
            raise self._first

    def refuse(self, error: WireloomError | None) -> None:
        """Raise, in mode ``failfast``, the error of a damaged container."""
        if self._fails and isinstance(error, DamagedInputError):
            raise error

    def skip(self, begin: int, end: int, reason: str, *, step: int = 1) -> None:
        """Add a range that has no rows and is not damage to the report, as far as it is in the byte range. It continues
        one with the same reason that ends where it begins. ``step``: the size of its parts, each of which belongs to
        the byte range in which it begins."""
        if begin < self._range_begin:
            begin += -(-(self._range_begin - begin) // step) * step
        if 0 <= self._range_stop < end:
            end = begin - -(self._range_stop - begin) // step * step
        if begin >= end:
            return
        begin, end = self._in_input(RowDamage(begin, end, -1, reason))[:2]
        skipped, size = self._report.skipped, end - begin
        self._report.skipped_bytes += size
        last = skipped[-1] if skipped else None
        if last is not None and last.reason == reason and last.offset + last.length == begin:
            skipped[-1] = Damage(last.offset, last.length + size, reason)
        elif len(skipped) < MOST_LISTED:
            skipped.append(Damage(begin, size, reason))

    def lose(self, damage: RowDamage, details: Details, said: str | None, advice: str) -> None:
        """Record the offset at which the layout is lost and the tail begins. Raises ``DamagedInputError`` in mode
        ``failfast``, for every byte range, since nothing after it can be read."""
        if self._fails:
            raise self._error(self._in_input(damage), details(damage), advice, said)

    def fail(self, error: WireloomError, offset: int, advice: str) -> RowDamage:
        """Record that the codec or the storage failed at ``offset``, and return the damage there. Raises
        ``DamagedInputError`` in mode ``failfast``."""
        report, reason = self._report, error.reason or "missing"
        offset = self._in_input(RowDamage(offset, offset, -1, reason)).begin
        report.error = error.message
        if report.tail == "clean" and reason != "digest":
            # All of an object with another digest was read.
            report.tail = "truncated"
        if self._fails:
            raise DamagedInputError(
                error.message, path=report.path, offset=offset, reason=reason, advice=Advice(advice)
            ) from error
        # It concerns every byte range read so far.
        report.damaged.append(Damage(offset, 0, reason))
        return RowDamage(offset, offset, -1, reason)

    def _in_input(self, damage: RowDamage) -> RowDamage:
        return damage if self._place is None else self._place(damage)

    def _error(
        self,
        damage: RowDamage,
        detail: Detail,
        advice: str | None = None,
        said: str | None = None,
    ) -> DamagedInputError:
        reason = damage.reason
        other = "" if damage.begin else f", or it is not in the format {self._format_name}"
        return DamagedInputError(
            f"{said or detail.sentence or EXPLANATIONS.get(reason, 'it is damaged')} ({reason}){other}",
            path=self._report.path,
            offset=damage.begin,
            reason=reason,
            record=detail.record,
            field=detail.field,
            advice=Advice(advice or ADVICE.get(reason, ANY_ADVICE)),
        )

    def _goes_on(self, damage: RowDamage) -> bool:
        """Return whether the range continues a run of zeros, which is reported as one range."""
        if damage.reason != "zeros" or self._report.unlisted or not self._report.damaged:
            return False
        last = self._report.damaged[-1]
        return last.reason == "zeros" and last.offset + last.length == damage.begin
