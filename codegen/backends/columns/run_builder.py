"""Builds the steps of runs of fixed-size fields: one bounds check for all of them, then the steps of each."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from wireloom.format.program import Code, Kind, Op

from ...expression.types import BitsType
from .assembler import Assembler
from .engine_limits import WIDEST_NEED
from .instructions import Operation, RemovableOperation
from .interval import Interval
from .refusal import NotForEngineError
from .stack_code import Part, StackCode, constant
from .symbols import Scalar, Span


class RunBuilder:
    """Collects the fixed-size fields since the last flush. ``size``: the number of bytes of those that are complete."""

    def __init__(self, assembler: Assembler) -> None:
        self.assembler = assembler
        self.size = 0
        self._actions: list[Callable[[], None]] = []
        self._names: list[str] = []
        self._bits = 0
        self._bit_endian = ""
        self._bit_bytes: dict[int, Scalar] = {}

    @property
    def aligned(self) -> bool:
        """Return whether the next field begins at a byte boundary."""
        return self._bits % 8 == 0

    def must_be_aligned(self, what: str) -> None:
        """Raise ``NotForEngineError`` unless the next field begins at a byte boundary."""
        if not self.aligned:
            raise NotForEngineError(f"{what} inside a byte")

    @property
    def bits_left(self) -> int:
        """Return the number of bits left in the last byte."""
        return -self._bits % 8

    def add(self, name: str, size: int) -> int:
        """Add a field of ``size`` bytes; return its offset from the start of the run."""
        self.align()
        if self.size + size > WIDEST_NEED:
            self.flush()
        offset = self.size
        self.size += size
        self._names.append(name)
        return offset

    def skip(self, name: str, size: int) -> int:
        """Skip ``size`` bytes that are not used; return their offset, -1 if they are not in the run."""
        if size <= WIDEST_NEED:
            return self.add(name, size)
        self.flush()
        self.assembler.add(Op.BYTES_FIXED, Span(name), 0, size, comment=name)
        return -1

    def then(self, action: Callable[[], None]) -> None:
        """Register an action that appends steps of a field of the run; it is called after the ``NEED`` of the run."""
        self._actions.append(action)

    def flush(self) -> None:
        """End the run by appending its steps. The cursor is then after its last field."""
        self.align()
        if self.size:
            names = textwrap.shorten(", ".join(self._names), 100, placeholder=" …")
            self.assembler.add(Op.NEED, self.size, comment=names)
        actions, self._actions, self._names, self.size = self._actions, [], [], 0
        for action in actions:
            action()

    def flush_aligned(self, what: str) -> None:
        """End the run at a byte boundary. Raises ``NotForEngineError`` if it does not end there."""
        self.must_be_aligned(what)
        self.flush()

    def mark(self, number: int, comment: str, target: Scalar | Span | None = None) -> None:
        """Set the mark ``number`` to the position at which the next field begins. ``target``: what is computed from it;
        the step is dropped unless that is needed in the end."""
        if not self.aligned:
            raise NotForEngineError("a checksum covers part of a byte")
        self.align()
        in_run = bool(self.size or self._actions)
        operation = Operation(Op.MARK, number, 0 if in_run else 1, self.size, comment=comment)
        item = operation if target is None else RemovableOperation(operation, target)
        if in_run:
            self.then(lambda: self.assembler.instructions.append(item))
        else:
            self.assembler.instructions.append(item)

    # Bit fields ------------------------------------------------------------------------------------------------------

    def add_bits(self, name: str, kind: BitsType) -> StackCode:
        """Add a bit field; return the expression of its value, to be computed after the ``NEED`` of the run."""
        if self.aligned and kind.endian != self._bit_endian:
            self.align()
        if self._bits and kind.endian != self._bit_endian:
            raise NotForEngineError("bit fields of both bit orders share a byte")
        if not self._bits and self.size + kind.width // 8 + 2 > WIDEST_NEED:
            self.flush()
        if not self._bits:
            self._bit_bytes = {}
        self._bit_endian = kind.endian
        first, last = self._bits // 8, (self._bits + kind.width - 1) // 8
        before = self._bits % 8
        read = [self._byte(position) for position in range(first, last + 1)]
        self._bits += kind.width
        self._names.append(name)
        if kind.endian == "le":
            return _bit_value(tuple(reversed(read)), before, kind.width)
        return _bit_value(tuple(read), 8 * len(read) - before - kind.width, kind.width)

    def _byte(self, position: int) -> Scalar:
        if position not in self._bit_bytes:
            byte = Scalar(f"bits, byte {position}", Interval(0, 255))
            offset = self.size + position
            self._bit_bytes[position] = byte
            self.then(lambda: self.assembler.register_fixed(byte, Kind.U1, offset))
        return self._bit_bytes[position]

    def align(self) -> None:
        """Skip the rest of a byte that bit fields began, as Kaitai's language requires."""
        self.size += -(-self._bits // 8)
        self._bits = 0


def _bit_value(read: tuple[Scalar, ...], shift: int, width: int) -> StackCode:
    """Return the bytes as one big-endian number, shifted right and masked to ``width`` bits."""
    parts: list[Part] = [read[0]]
    for byte in read[1:]:
        parts += [*constant(8).parts, bytes([Code.SHIFT_LEFT]), byte, bytes([Code.OR])]
    if shift:
        parts += [*constant(shift).parts, bytes([Code.SHIFT_RIGHT])]
    parts += [*constant((1 << width) - 1).parts, bytes([Code.AND])]
    return StackCode(tuple(parts), Interval(0, (1 << width) - 1), 2)
