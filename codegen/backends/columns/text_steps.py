"""Steps that build text and bytes for expressions."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import dataclass
from wireloom.format.program import Op

from .assembler import Assembler
from .encodings import Encoding
from .stack_code import StackCode
from .symbols import Scalar, Span


@dataclass(frozen=True)
class TextMaker:
    """Appends steps at the position of an expression. ``flush`` appends those of the preceding fields.

    Text that cannot be built is a span without a value: the row remains valid unless something needs that value.
    """

    assembler: Assembler
    flush: Callable[[], None]

    def constant(self, value: bytes) -> Span:
        """Return a constant."""
        made = self._made(repr(value[:20])[1:], nullable=False)
        self.assembler.of_constants(Op.TEXT_CONSTANT, made, 0, value, made.name)
        return made

    def select(self, condition: StackCode, then: Span, otherwise: Span | None) -> Span:
        """Return one of two spans; ``None``: null if the condition does not hold."""
        nullable = otherwise is None or condition.nullable or then.nullable or otherwise.nullable
        made = self._made(then.name, nullable=nullable)
        chosen = self._register(condition, f"which {made.name}?")
        other = -1 if otherwise is None else otherwise
        self.assembler.add(Op.TEXT_SELECT, made, chosen, then, other, comment=made.name)
        return made

    def part(self, text: Span, begin: StackCode, end: StackCode) -> Span:
        """Return the characters from one index up to another."""
        made = self._made(f"part of {text.name}", nullable=text.nullable or begin.nullable or end.nullable)
        ends = (self._register(each, f"place in {text.name}") for each in (begin, end))
        self.assembler.add(Op.TEXT_PART, made, text, *ends, comment=made.name)
        return made

    def item(self, series: int, number: StackCode, name: str) -> Span:
        """Return the item of a list of text or bytes."""
        made = self._made(name, nullable=True)
        self.assembler.add(Op.TEXT_ITEM, made, series, self._register(number, f"number of {name}"), comment=name)
        return made

    def decoded(self, source: Span, encoding: Encoding, *, strict: bool) -> Span:
        """Return bytes decoded as text. ``strict``: bytes invalid in the encoding have no value."""
        made = self._made(f"text of {source.name}", nullable=source.nullable)
        self.assembler.text_decoded(made, source, encoding, made.name, strict=strict)
        return made

    def _made(self, name: str, *, nullable: bool) -> Span:
        self.flush()
        return Span(name, made=True, nullable=nullable)

    def _register(self, compiled: StackCode, comment: str) -> Scalar:
        if compiled.scalar is not None:
            return compiled.scalar
        found = Scalar(comment, compiled.interval, speculative=True)
        self.assembler.compute(found, compiled, comment)
        return found
