"""Whole inputs in plain Python: consecutive rows, and rows between delimiters."""

from __future__ import annotations

from collections.abc import Sequence

from wireloom.format.program import ColumnProgram, Reason, Stuffing
from wireloom.format.stuffings import StuffingKind

from .reference import LostError, MissingError, Result, Row


def back_to_back(
    program: ColumnProgram,
    data: bytes,
    *,
    padding: int = 0,
    max_record: int = 1 << 20,
    stop: int = -1,
    verify: bool = True,
    null_rows: bool = False,
    input_registers: Sequence[int] = (),
) -> Result:
    result = Result()
    at = 0
    while at < len(data) and not 0 <= stop <= at:
        row = Row(program, data[at : at + max_record], input_registers, verify)
        result.position = at
        try:
            row.run()
            if row.cursor == 0:
                raise LostError(Reason.LENGTH)
        except LostError as lost:
            result.tail, result.reason = "lost", lost.reason
            return result
        except MissingError:
            too_long = len(data) - at >= max_record
            result.tail, result.reason = ("lost", Reason.LIMIT) if too_long else ("truncated", 0)
            return result
        note(result, row, at, at + row.cursor, null_rows)
        at = min(at + row.cursor + padding, len(data))
    result.position = 0
    return result


def note(result: Result, row: Row, begin: int, end: int, null_rows: bool, reason: int = 0) -> None:
    reason = reason or row.refused
    if reason:
        result.damages.append((begin, end, reason))
    if not reason:
        result.rows.append((begin, tuple(row.columns)))
    elif null_rows:
        result.rows.append((begin, (None,) * len(row.columns)))


def word_unstuff(data: bytes) -> bytes | None:
    if not data or data[0] > 252:
        return None
    out, at, run, most = b"", 1, data[0], 252
    while True:
        if run > len(data) - at:
            return None
        out += data[at : at + run]
        at += run
        if run < most:
            if at == len(data):
                return out
            out += b"\xfe\xfd"
        if len(data) - at < 2:
            return None
        run, most = data[at] + 253 * data[at + 1], 64008
        at += 2
        if run > most:
            return None


def escapes_unstuff(data: bytes, stuffing: Stuffing) -> bytes | None:
    out, given = b"", iter(data)
    for byte in given:
        if byte == stuffing.value:
            code = next(given, -1)
            if code < 0 or not (stuffing.xor or code in stuffing.codes[::2]):
                return None
            byte = code ^ stuffing.xor if stuffing.xor else stuffing.codes[2 * stuffing.codes[::2].index(code) + 1]
        out += bytes((byte,))
    return out


def cobs_unstuff(data: bytes, stuffing: Stuffing) -> bytes | None:
    out, at = b"", 0
    data = bytes(each ^ stuffing.value for each in data)
    while at < len(data):
        code = data[at]
        block = data[at + 1 : at + code]
        if code == 0 or 0 in block:
            return None
        if len(block) != code - 1:
            return out + block + bytes((code,)) if stuffing.kind is StuffingKind.COBS_REDUCED else None
        out += block
        at += code
        if code < 255 and at < len(data):
            out += b"\0"
    return out


def frames(
    program: ColumnProgram,
    data: bytes,
    *,
    at_start: bool = True,
    begin: int = 0,
    max_record: int = 1 << 20,
    stop: int = -1,
    verify: bool = True,
    null_rows: bool = False,
    input_registers: Sequence[int] = (),
) -> Result:
    result = Result()
    delimiter = program.delimiter
    position = content = begin
    if data.startswith(delimiter, begin):
        content += len(delimiter)
    elif not at_start:
        position = data.find(delimiter, begin)
        if position < 0:
            return result
        content = position + len(delimiter)
    while content < len(data) and not 0 <= stop <= position:
        end = data.find(delimiter, content)
        last = end < 0
        end = len(data) if last else end
        if end == content:
            # A frame without bytes is no record.
            position, content = end, end + len(delimiter)
            continue
        row, reason = frame(program, data[content:end], max_record, verify, input_registers)
        if last and reason and end - content <= max_record:
            result.tail, result.position = "truncated", position
            return result
        note(result, row, position, end, null_rows, reason)
        position, content = end, end + len(delimiter)
    return result


def frame(
    program: ColumnProgram, data: bytes, max_record: int, verify: bool, input_registers: Sequence[int]
) -> tuple[Row, int]:
    """Return the row of one frame, and why it is invalid."""
    unstuffed: bytes | None = data
    if program.stuffing == Stuffing.WORD:
        unstuffed = word_unstuff(data)
    elif program.stuffing.kind is StuffingKind.ESCAPE:
        unstuffed = escapes_unstuff(data, program.stuffing)
    elif program.stuffing != Stuffing.NONE:
        unstuffed = cobs_unstuff(data, program.stuffing)
    row = Row(program, unstuffed or b"", input_registers, verify)
    if len(data) > max_record:
        return row, Reason.LIMIT
    if unstuffed is None:
        return row, Reason.STUFFING
    try:
        row.run()
    except LostError as lost:
        return row, lost.reason
    except MissingError:
        return row, Reason.LENGTH
    return row, row.refused
