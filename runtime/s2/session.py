"""Sessions stored in files: consecutive frames become units of messages, rows become frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from ..base.errors import WireloomError
from ..format.description import Format
from ..rows.messages.decoding import Decoded
from ..rows.reader import RowDamage
from ..units.described import Part, unit_part
from ..units.packing import Packed, Row
from ..units.units import CLEAN, Units
from ..writing.messages.row_packing import RowPacking
from .commands import ValidationError, check_token
from .compression import MAX_CONTENT, BodyError, checked
from .frames import (
    COMPRESSION_SHIFT,
    LENGTH_SIZE,
    RECONNECT_ADVISED,
    TERMINAL,
    Terminal,
    encode_frame,
    problem_of,
    problem_of_length,
)
from .metering import MAX_METERED, MAX_RECORDS, check_record, metered_size
from .observed import Observed
from .runs import BODY, COMPRESSION_BITS, SLOTS, Found, Run, Slots, find_run

RECORDS_OF_APPENDS = "append_input"


class SessionPacking:
    """Packs rows, in order, into batches of 1 to 1000 records and at most 1 MiB metered size; an ack is a message of
    its own.

    Rows to be appended are checked like on the server. A different ``fencing_token`` or ``match_seq_num`` begins
    another batch; if rows with the same number exceed a batch, the next batch gets the number that results.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, format: Format, *, max_record: int) -> None:
        self._rows = RowPacking(format, max_record=max_record)
        kind = format.table
        self._has_records = any(each.name == "body" for each in format.columns)
        self._appends = kind == RECORDS_OF_APPENDS

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Pack rows, like ``Packing.pack``. Raises ``WireloomError`` for a row that does not fit any batch, with its
        number, counted from 0."""
        made = False
        for batch in self._batches(rows) if self._has_records else (self._rows.pack([row]) for row in rows):
            made = True
            yield from batch
        if not made:
            # An input that is a single message is the empty message.
            yield from self._rows.pack(())

    def _batches(self, rows: Iterable[Row]) -> Iterator[Iterator[Packed]]:
        pending: list[dict[str, Any]] = []
        first = metered = before = 0
        condition: tuple[Any, Any] = (None, None)
        for number, row in enumerate(rows):
            size = self._checked(row, number)
            required = (row.get("match_seq_num"), row.get("fencing_token"))
            full = len(pending) == MAX_RECORDS or metered + size > MAX_METERED
            if pending and (full or required != condition):
                yield self._packed(pending, first, before)
                before += len(pending)
                pending, first, metered = [], number, 0
            if required != condition:
                condition, before = required, 0
            pending.append(dict(row))
            metered += size
        if pending:
            yield self._packed(pending, first, before)

    def _checked(self, row: Row, number: int) -> int:
        """Return the metered size of a row. Raises ``ValidationError`` for one that does not fit any batch."""
        try:
            headers = [_Header(each["name"], each["value"]) for each in row.get("headers") or ()]
            record = _Record(headers, row.get("body") or b"")
            if not self._appends:
                # Records that a server has sent, possibly a future one, are written unchanged.
                return metered_size(record)
            if row.get("fencing_token"):
                check_token(row["fencing_token"])
            return check_record(record)[0]
        except ValidationError as error:
            error.message = f"row {number}: {error.message}"
            raise
        except (TypeError, KeyError) as error:
            raise ValidationError(
                f"row {number}: headers are mappings of a name and a value, both bytes, and the body is bytes",
                reason="value",
            ) from error

    def _packed(self, rows: list[dict[str, Any]], first: int, before: int) -> Iterator[Packed]:
        if before and rows[0].get("match_seq_num") is not None:
            rows = [{**each, "match_seq_num": each["match_seq_num"] + before} for each in rows]
        try:
            yield from self._rows.pack(rows)
        except WireloomError as error:
            if first:
                error.message = f"{error.message} (counted from row {first} on)"
            raise


class _Header(NamedTuple):
    name: bytes
    value: bytes


class _Record(NamedTuple):
    headers: list[_Header]
    body: bytes


ENOUGH = 3 * 1024 * 1024
"""Number of bytes of messages from which no further run of compressed frames is added."""


class SessionFraming:
    """The ``wireloom.units.framing.Framing`` of S2S frames.

    A frame that cannot be decompressed is damage, and reading continues after it. A length of 0 or above 2,097,152 ends
    the reading (``invalid_length``), and so does a terminal frame (``clean``); remaining bytes are a ``truncated``
    tail. ``compression``: ``none``, ``zstd`` or ``gzip``, for writing; frames that are read contain theirs.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ("compression",)
    RESUMABLE: ClassVar[bool] = True

    def __init__(self, format: Format, *, max_record: int, compression: str = "none") -> None:
        self._max_record = max_record
        self._compression = checked(compression)
        self._observed = Observed(format)
        self._runs: deque[Run] = deque()
        """The next runs, without gaps between them."""
        self._slots = Slots()
        self._used: list[int] = []
        """Slots to which the last units refer."""

    # Reading ---------------------------------------------------------------------------------------------------------

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Return the next units, see ``Framing.take``. Units of compressed frames refer to memory that is valid until
        the next call, those of others to ``view``."""
        for slot in self._used:
            self._slots.give_back(slot)
        self._used = []
        if self._runs and self._runs[0].offset != base:
            # Threads may still be writing to the slots of runs that are no longer needed.
            self._runs, self._slots = deque(), Slots()
        if not self._runs:
            self._runs.append(find_run(view, base))
        run = self._runs[0]
        if not run.frames:
            self._runs.clear()
            return self._stopped(view, base, at_end)
        if not run.compressed:
            self._runs.popleft()
            return self._plain(run, view)
        self._look_ahead(view, base)
        return self._compressed(view, base)

    def _look_ahead(self, view: memoryview, base: int) -> None:
        """Find the next runs, and start to decompress them in threads while there are free slots; one is left for the
        first run, which may need it."""
        while self._slots.free > 1 and len(self._runs) < SLOTS:
            begin = self._runs[-1].offset + self._runs[-1].size - base
            run = find_run(view[begin:], base + begin)
            if not run.compressed:
                return
            run.begin_ahead(view[begin:], self._slots)
            self._runs.append(run)

    def _plain(self, run: Run, view: memoryview) -> Units:
        units = Units(view, consumed=run.size)
        frames, offset = run.frames, run.offset
        if run.flags & COMPRESSION_BITS or self._max_record < MAX_CONTENT:
            frames = [each for each in frames if not self._refused(units, run, each)]
        else:
            self._observed.flag(run.flags)
        units.begins = [begin + BODY for begin, _, _ in frames]
        units.sizes = [end - begin - BODY for begin, end, _ in frames]
        units.offsets = [offset + begin for begin, _, _ in frames]
        units.spans = [end - begin for begin, end, _ in frames]
        return units

    def _compressed(self, view: memoryview, base: int) -> Units:
        """Return the next run, with further runs as long as their messages are not too large together."""
        units = Units(self._slots.memory)
        content = 0
        while not content or (self._runs and self._room(self._runs[0]) and content < ENOUGH):
            run = self._runs.popleft()
            content += self._contents(run, view[run.offset - base :], units) + 1
            units.consumed = run.offset + run.size - base
            if self._runs and self._runs[0].offset < run.offset + run.size:
                units.consumed = self._runs[0].offset - base
                break
        return units

    def _room(self, run: Run) -> bool:
        return run.slot >= 0 or self._slots.free > 0

    def _contents(self, run: Run, view: memoryview, units: Units) -> int:
        """Add the messages of a run; return their size in bytes. The frames that are not reached are put back."""
        contents = run.contents(view, self._slots)
        self._used.append(run.slot)
        if len(contents) < len(run.frames):
            self._runs.appendleft(run.rest(len(contents)))
        size = 0
        for frame, content in zip(run.frames, contents, strict=False):
            if self._refused(units, run, frame):
                continue
            if isinstance(content, BodyError):
                self._damage(units, run, frame, content.reason or "codec", content.message)
            elif content[1] > self._max_record:
                self._damage(units, run, frame, *self._too_large(content[1]))
            else:
                units.add(*content, run.offset + frame[0], frame[1] - frame[0])
                size += content[1]
        return size

    def _refused(self, units: Units, run: Run, frame: Found) -> bool:
        """Return whether the frame is damaged regardless of its body; otherwise record its flag."""
        begin, end, flag = frame
        problem = problem_of(flag, b"")
        if problem is None and end - begin - BODY > self._max_record:
            problem = self._too_large(end - begin - BODY)
        if problem is None:
            self._observed.flag(flag)
            return False
        self._damage(units, run, frame, *problem)
        return True

    def _too_large(self, size: int) -> tuple[str, str]:
        return "limit", f"a message of {size} bytes; raise max_record above {self._max_record} to read it"

    def _damage(self, units: Units, run: Run, frame: Found, reason: str, sentence: str) -> None:
        offset = run.offset + frame[0]
        units.damages.append(RowDamage(offset, run.offset + frame[1], -1, reason))
        units.details[offset] = sentence

    def _stopped(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Return the units of a view that does not begin with a complete regular frame: it has a terminal or an
        incomplete frame, or is empty."""
        units = Units(view)
        if len(view) >= LENGTH_SIZE:
            length = int.from_bytes(view[:LENGTH_SIZE], "big")
            problem = problem_of_length(length)
            if problem is not None:
                units.ended, units.detail = "invalid_length", problem[1]
                return units
            units.needed = LENGTH_SIZE + length
        else:
            units.needed = LENGTH_SIZE if len(view) or not at_end else 0
        if units.needed and len(view) >= units.needed and view[LENGTH_SIZE] & TERMINAL:
            self._terminal(units, view[: units.needed], base)
        elif at_end:
            units.ended = "truncated" if units.needed else CLEAN
        return units

    def _terminal(self, units: Units, frame: memoryview, base: int) -> None:
        """Process the terminal frame. Nothing after it is read, whether or not it is valid."""
        body = frame[LENGTH_SIZE + 1 :]
        problem = problem_of(frame[LENGTH_SIZE], body)
        if problem is None:
            self._observed.terminal = Terminal(int.from_bytes(body[:2], "big"), str(body[2:], "utf-8"))
        else:
            units.damages.append(RowDamage(base, base + len(frame), -1, problem[0]))
            units.details[base] = problem[1]
        units.consumed, units.needed, units.ended = len(frame), 0, CLEAN

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Record the heartbeats, tails and gaps of decoded batches, see ``Framing.decoded``."""
        self._observed.decoded(units, decoded)

    def facts(self) -> Mapping[str, Any]:
        """Return the facts for the report, see ``Observed.facts``."""
        return self._observed.facts()

    def described(self, stored: memoryview) -> list[Part]:
        """Return the fields of a frame, also of a terminal one; see
        ``wireloom.units.described.Described.described``."""
        return frame_parts(stored)

    # Writing ---------------------------------------------------------------------------------------------------------

    def framed(self, unit: bytes) -> bytes:
        """Return a message in a frame. Raises ``WireloomError`` for one of more than 2,097,151 bytes."""
        return encode_frame(unit, self._compression)

    def finish(self) -> bytes:
        """Return no bytes, since a stored session needs no terminal frame."""
        return b""


class SessionHooks:
    """The hooks that have sequence numbers decoded whichever columns are read, since the report contains
    gaps between them."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()
    RESUMABLE: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("seq_num",)

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        """Return the rows unchanged."""
        return decoded


__all__ = ["SessionFraming", "SessionHooks", "SessionPacking"]


STATUS_SIZE = 2


class FrameCompression(IntEnum):
    """The compression, which is two bits of the flag byte."""

    NONE = 0
    ZSTD = 1
    GZIP = 2


def frame_parts(stored: memoryview) -> list[Part]:
    """Return the parts of a frame, see ``wireloom.units.described.Described.described``."""
    if len(stored) < LENGTH_SIZE:
        return []
    length = int.from_bytes(stored[:LENGTH_SIZE], "big")
    problem = problem_of_length(length)
    found = [Part("length", length, 0, LENGTH_SIZE, None if problem is None else problem[1])]
    if problem is not None or len(stored) == LENGTH_SIZE:
        return found
    flag, begin = stored[LENGTH_SIZE], LENGTH_SIZE + 1
    is_terminal = bool(flag & TERMINAL)
    problem = None if is_terminal else problem_of(flag, b"")
    compression = flag >> COMPRESSION_SHIFT & 3
    shown = FrameCompression(compression) if compression in tuple(FrameCompression) else compression
    found += [
        Part("is_terminal", is_terminal, LENGTH_SIZE, begin),
        Part("compression", shown, LENGTH_SIZE, begin, None if problem is None else problem[1]),
        Part("reconnect_advised", bool(flag & RECONNECT_ADVISED), LENGTH_SIZE, begin),
        Part("reserved", flag & 0x0F, LENGTH_SIZE, begin),
    ]
    if is_terminal:
        found.append(_terminal(flag, stored, LENGTH_SIZE + length))
    else:
        found.append(unit_part(begin, length - 1, len(stored), is_packed=bool(compression)))
    return found


def _terminal(flag: int, stored: memoryview, end: int) -> Part:
    begin = LENGTH_SIZE + 1
    body = stored[begin:end]
    problem = problem_of(flag, body)
    sentence = None if problem is None else problem[1]
    if end > len(stored):
        sentence = f"{len(body):,} of {end - begin:,} bytes are present"
    parts = []
    if len(body) >= STATUS_SIZE:
        text = str(body[STATUS_SIZE:], "utf-8", "replace")
        parts = [
            Part("status", int.from_bytes(body[:STATUS_SIZE], "big"), begin, begin + STATUS_SIZE),
            Part("body", text, begin + STATUS_SIZE, begin + len(body)),
        ]
    return Part("terminal", None, begin, begin + len(body), sentence, tuple(parts))
