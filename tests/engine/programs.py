"""Programs and inputs made up by Hypothesis: all of them load, and between them they use every step."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from hypothesis import strategies as st
from wireloom.format import (
    ChecksumRule,
    Code,
    ColumnProgram,
    Kind,
    Op,
    Outcome,
    Place,
    Reason,
    Step,
    Storage,
    Stuffing,
)

SIZES = {kind: int(kind.name[1]) for kind in Kind}
STORAGES = [Storage.FIXED8, Storage.FIXED16, Storage.FIXED32, Storage.FIXED64, Storage.VARIABLE]
REGISTERS, SPANS, MARKS, MOST_GROUPS = 6, 3, 3, 10
IN_SPANS = (3, 4)
"""The checksums whose fields are bytes."""
STORED = bytes([Code.REGISTER, REGISTERS, 0, Code.CONSTANT, 3, *bytes(7), Code.SHIFT_RIGHT])
"""What is stored for a checksum: its upper bits. No step uses the register."""
SIMPLE_CODES = [
    code
    for code in Code
    if code < Code.SERIES_ITEM and code not in (Code.CONSTANT, Code.CONSTANT_UNSIGNED, Code.REGISTER)
]


@dataclass
class Author:
    """A program in the making. ``safe``: bytes that the last NEED covers. Jumps end before a sub-stream begins."""

    draw: st.DrawFn
    columns: tuple[Storage, ...]
    delimited: bool
    presets: int
    steps: list[Step] = field(default_factory=list)
    constants: bytes = b"\x00\x01ab"
    safe: int = 0
    depth: int = 0
    jumps: list[int] = field(default_factory=list)

    def pick(self, count: int) -> int:
        return self.draw(st.integers(0, count - 1))

    def add(self, op: Op, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
        self.steps.append(Step(op, a, b, c, d))

    def any_step(self) -> None:
        choices = [
            self.need,
            self.need,
            self.register,
            self.register,
            self.varints,
            self.span,
            self.span,
            self.column,
            self.column,
            self.check,
            self.expression,
            self.jump,
            self.limit,
            self.mark,
        ]
        choices[self.pick(len(choices))]()

    def need(self) -> None:
        self.safe = self.pick(13)
        self.add(Op.NEED, self.safe)

    def covered(self, kinds: list[Kind]) -> tuple[Kind, int] | None:
        fitting = [kind for kind in kinds if SIZES[kind] <= self.safe]
        if not fitting:
            return None
        kind = fitting[self.pick(len(fitting))]
        return kind, self.pick(self.safe - SIZES[kind] + 1)

    def register(self) -> None:
        found = self.covered([kind for kind in Kind if kind < Kind.F4LE])
        if found:
            self.add(Op.REGISTER_FIXED, self.presets + self.pick(REGISTERS - self.presets), *found)

    def varints(self) -> None:
        """Some side by side, most of which have columns."""
        wide = [number for number, storage in enumerate(self.columns) if storage == Storage.FIXED64]
        for _ in range(1 + self.pick(5)):
            register, groups = self.presets + self.pick(REGISTERS - self.presets), 1 + self.pick(MOST_GROUPS)
            most = groups + self.pick(MOST_GROUPS + 1 - groups) if self.pick(3) else 0
            shape = groups | most << 8 | self.pick(128) << 16 | self.pick(4) << 24
            reasons = [1 + self.pick(Reason.ENCODING) << 8 for _ in range(2)]
            self.add(Op.VARINT, register, reasons[0] | Outcome.LOST, shape, reasons[1] | self.pick(2))
            if wide and self.pick(4):
                self.add(Op.COLUMN_REGISTER, wide[self.pick(len(wide))], register, Kind.U8LE)

    def span(self) -> None:
        ends = self.delimited or self.depth > 0
        span, more = self.pick(SPANS), self.pick(7) - 3
        match self.pick(8):
            case 7:
                self.add(Op.SLICE, span, self.pick(SPANS), self.pick(REGISTERS), self.pick(REGISTERS))
            case 0:
                self.add(Op.BYTES_FIXED, span, 0, self.pick(6))
            case 1 if ends:
                self.add(Op.BYTES_REST, span)
            case 2:
                self.add(Op.BYTES_TERMINATED, span, self.pick(3), self.pick(8) | (0 if ends else 4))
            case 3:
                self.add(Op.TRIM_RIGHT, span, 0, self.pick(2))
            case 4:
                self.add(Op.CUT_TERMINATOR, span, self.pick(2), self.pick(3))
            case 5:
                self.add(Op.SKIP_REGISTER, self.pick(REGISTERS), 0, more)
            case _:
                self.add(Op.BYTES_REGISTER, span, self.pick(REGISTERS), more)

    def column(self) -> None:
        number = self.pick(len(self.columns))
        storage = self.columns[number]
        kinds = [kind for kind in Kind if SIZES[kind] == storage]
        found = self.covered(kinds)
        if self.pick(6) == 0:
            self.add(Op.COLUMN_NULL, number)
        elif self.pick(8) == 0:
            self.add(Op.NULL_UNLESS, number, self.pick(REGISTERS))
        elif storage == Storage.VARIABLE:
            self.add(Op.COLUMN_BYTES, number, self.pick(SPANS))
        elif storage == Storage.FIXED64 and self.pick(3) == 0:
            self.add(Op.COLUMN_TIMESTAMP, number, self.pick(REGISTERS), -1000, 1000)
        elif found and self.pick(3):
            self.add(Op.COLUMN_FIXED, number, *found)
        else:
            self.add(Op.COLUMN_REGISTER, number, self.pick(REGISTERS), kinds[0])

    def check(self) -> None:
        register, outcome = self.pick(REGISTERS), self.pick(2) | (1 + self.pick(Reason.DIGEST)) << 8
        match self.pick(5):
            case 0:
                unsigned = 0x80 * self.pick(2)
                self.add(Op.CHECK_RANGE, register, outcome | unsigned, -3, (1 << 64) - 1 if unsigned else 200)
            case 1:
                self.add(Op.CHECK_TRUE, register, outcome)
            case 2:
                self.add(Op.CHECK_UTF8, self.pick(SPANS), 0, self.pick(2))
            case 3 if self.safe:
                self.add(Op.CHECK_CONSTANT, self.pick(4), outcome, self.pick(self.safe), 1)
            case _:
                number = self.pick(6)
                field = self.pick(SPANS) if number in IN_SPANS else register
                self.add(Op.CHECKSUM, number, field, self.pick(MARKS), self.pick(MARKS))

    def mark(self) -> None:
        if self.pick(2):
            self.add(Op.MARK, self.pick(MARKS), 1)
        else:
            self.add(Op.MARK, self.pick(MARKS), 0, self.pick(self.safe + 1))

    def expression(self) -> None:
        code, depth = b"", 0
        for _ in range(self.pick(8) + 1):
            match self.pick(3):
                case 0:
                    code += bytes([Code.REGISTER, self.pick(REGISTERS), 0])
                    depth += 1
                case 1:
                    value = self.draw(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 70))
                    code += bytes([Code.CONSTANT]) + struct.pack("<q", value)
                    depth += 1
                case _:
                    added, taken = self.operation(depth)
                    code += added
                    depth -= taken
        while depth != 1:
            code += bytes([Code.SPAN_SIZE, self.pick(SPANS), 0] if depth == 0 else [Code.ADD])
            depth += 1 if depth == 0 else -1
        lazy = int(self.pick(4) == 0)
        self.add(
            Op.EXPRESSION, self.presets + self.pick(REGISTERS - self.presets), lazy, len(self.constants), len(code)
        )
        self.constants += code

    def operation(self, depth: int) -> tuple[bytes, int]:
        """A code and by how much the stack shrinks."""
        code = SIMPLE_CODES[self.pick(len(SIMPLE_CODES))]
        taken = {Code.SELECT: 3, Code.NEGATE: 1, Code.INVERT: 1, Code.BOOLEAN_NOT: 1}.get(code, 2)
        if code == Code.SPAN_SIZE:
            return bytes([code, self.pick(SPANS), 0]), -1
        if code == Code.SPAN_ORDER:
            other = self.draw(st.binary(max_size=3))
            return bytes([code, self.pick(SPANS), 0, len(other)]) + other, -1
        if code == Code.NARROW:
            return (bytes([code, self.pick(Kind.S8BE + 1)]), 0) if depth else (b"", 0)
        return (bytes([code]), taken - 1) if depth >= taken else (b"", 0)

    def jump(self) -> None:
        if self.depth == 0:
            self.jumps.append(len(self.steps))
            self.add(Op.SKIP_IF_ZERO if self.pick(6) else Op.JUMP, self.pick(REGISTERS), int(self.pick(4) == 0))

    def close_jumps(self) -> None:
        """Lets open jumps go on here. What a NEED before it covers is then uncertain."""
        for at in self.jumps:
            step = self.steps[at]
            self.steps[at] = Step(step.op, step.a, step.b, len(self.steps))
        if self.jumps:
            self.safe = 0
        self.jumps.clear()

    def limit(self) -> None:
        if self.depth:
            self.depth -= 1
            self.add(Op.LIMIT_END)
            self.safe = 0
            return
        self.close_jumps()
        self.depth += 1
        if self.pick(2):
            self.add(Op.LIMIT_FIXED, 0, 0, self.pick(12))
        else:
            self.add(Op.LIMIT_REGISTER, self.pick(REGISTERS), 0, self.pick(7) - 3)


@st.composite
def programs(draw: st.DrawFn, *, delimited: bool | None = None) -> ColumnProgram:
    """A column program."""
    delimited = draw(st.booleans()) if delimited is None else delimited
    columns = tuple(draw(st.lists(st.sampled_from(STORAGES), min_size=1, max_size=4)))
    author = Author(draw, columns, delimited, presets=draw(st.integers(0, 2)))
    for _ in range(draw(st.integers(1, 14))):
        author.any_step()
        if author.depth == 0 and author.pick(3) == 0:
            author.close_jumps()
    if author.depth:
        author.add(Op.LIMIT_END)
    author.close_jumps()
    author.add(Op.END)
    stuffing = draw(st.sampled_from(Stuffing)) if delimited else Stuffing.NONE
    free = st.lists(st.integers(0, 2), min_size=1, max_size=4).map(bytes)
    delimiters = {Stuffing.NONE: free, Stuffing.WORD: st.just(b"\xfe\xfd"), Stuffing.COBS: st.just(b"\0")}
    return ColumnProgram(
        steps=tuple(author.steps),
        columns=columns,
        registers=REGISTERS + 1,
        spans=SPANS,
        marks=MARKS,
        constants=author.constants + STORED,
        checksums=(
            ChecksumRule("crc32c", 0xFFFFFFFF, 0xFFFFFFFF),
            ChecksumRule("crc32", 0, 0, 0xFF, draw(st.integers(0, MARKS - 1)), draw(st.integers(0, 16))),
            ChecksumRule("crc32c", 0x12345678, 1, 0, 0, 4),
            ChecksumRule("md5", place=Place.SPAN_LE),
            ChecksumRule("crc-24/openpgp", 0xB704CE, place=draw(st.sampled_from([Place.SPAN_LE, Place.SPAN_BE]))),
            ChecksumRule(
                "crc-12/umts",
                continues=draw(st.integers(-1, REGISTERS - 1)),
                sum=REGISTERS,
                stored=len(author.constants),
                stored_size=draw(st.sampled_from([0, len(STORED)])),
            ),
        ),
        preset=tuple(f"field{i}" for i in range(author.presets)),
        delimiter=draw(delimiters[stuffing]) if delimited else b"",
        stuffing=stuffing,
    )


def inputs() -> st.SearchStrategy[bytes]:
    """Bytes of which many are small, so that lengths are plausible and delimiters occur."""
    byte = st.integers(0, 4) | st.sampled_from([0xFE, 0xFD, 0x61, 0xC3, 0xA9]) | st.integers(0, 255)
    return st.lists(byte, max_size=120).map(bytes)
