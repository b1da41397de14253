"""Lowers the comparison of the sizes that a type states with the bytes that its fields have."""

from __future__ import annotations

from wireloom.format.program import Code, Op

from ...tree import Attribute
from .instructions import Refusal
from .interval import BOOLEAN, Interval
from .lowering_context import LoweringContext
from .refusal import NotForEngineError
from .stack_code import StackCode, joined
from .symbols import ObjectScope, Scalar

_DISTANCE = Interval(-(1 << 62), 1 << 62)
"""Differences of two positions."""


class StatedSizes:
    """The positions between which sizes are compared, while the fields of a type are lowered."""

    def __init__(self, context: LoweringContext, scope: ObjectScope) -> None:
        self._context = context
        self._scope = scope
        self._begins: dict[str, StackCode] = {}
        self._ends: dict[str, StackCode] = {}
        sizes = [each.size_of for each in scope.struct.attributes if each.size_of is not None]
        self._first, self._last = ({each[end] for each in sizes} for end in (0, 1))
        self.fields = self._first | self._last
        """The fields that a range with a size begins or ends with."""

    def before(self, name: str) -> None:
        """Append the step that determines where a field begins, if a size needs that."""
        if name in self._first:
            self._begins[name] = self._of_stream("pos")

    def after(self, name: str) -> None:
        """Append the step that determines where a field ends, if a size needs that."""
        if name in self._last:
            self._ends[name] = self._of_stream("pos")

    def compare(self) -> None:
        """Append the checks after all fields. If a size field differs from the measured bytes, the row is lost: it is
        unknown which of the two ends is right. If bytes remain in the stream, the row is refused: its end is known."""
        for field in self._scope.struct.attributes:
            if field.size_of is not None:
                self._compare(field, *field.size_of)
        if self._scope.struct.fills_stream:
            self._must(
                self._of_stream("eof"), Refusal(False, "length"), f"nothing after {self._scope.struct.path[-1]}?"
            )

    def _compare(self, field: Attribute, first: str, last: str) -> None:
        stated = self._scope.members[field.id]
        if not isinstance(stated, Scalar):
            raise NotForEngineError(f'the engine does not support the size "{field.id}"')
        begin, end = self._begins[first], self._ends[last]
        size = joined((end, begin), Code.SUBTRACT, _DISTANCE)
        same = joined((size, StackCode((stated,), stated.interval)), Code.EQUAL, BOOLEAN)
        self._must(same, Refusal(True, "length"), f"size in {field.id}")

    def _of_stream(self, name: str) -> StackCode:
        return self._context.of_stream(self._scope, name, False)

    def _must(self, condition: StackCode, refusal: Refusal, comment: str) -> None:
        register = self._context.assembler.temporary(condition, comment, speculative=True)
        self._context.assembler.add(Op.CHECK_TRUE, register, refusal, comment=comment)
