"""Tables of the fields of messages during the assembly of a program, when registers and spans have no numbers yet."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import dataclass, field
from wireloom.format.program import NOWHERE, MessageField, MessageTable

from .symbols import Scalar, Span


@dataclass(eq=False)
class TagField:
    """The description of a field as a ``MessageField``, the ``value`` in a register or span, and the register that says
    whether it is ``present``."""

    rule: MessageField
    value: Scalar | Span
    present: Scalar | None = None


@dataclass(eq=False)
class TagTable:
    """A ``MessageTable`` without numbers. ``left`` and ``broken`` always have registers."""

    left: Scalar
    broken: Scalar
    strict: bool
    depth: int
    fields: list[TagField] = field(default_factory=list)

    def numbered(self, register: Callable[[Scalar], int], spans: dict[Span, int]) -> MessageTable:
        """Return the table with the numbers of the registers and spans that some step reads."""
        return MessageTable(
            tuple(self._field(each, register, spans) for each in self.fields),
            register(self.left),
            register(self.broken),
            self.strict,
            self.depth,
        )

    @staticmethod
    def _field(each: TagField, register: Callable[[Scalar], int], spans: dict[Span, int]) -> MessageField:
        value = NOWHERE
        if isinstance(each.value, Span):
            value = spans.get(each.value, NOWHERE)
        elif each.value.needed:
            value = register(each.value)
        present = NOWHERE if each.present is None or not each.present.needed else register(each.present)
        rule = each.rule
        return MessageField(
            rule.number, rule.kind, rule.arm, value, present, rule.group, rule.several, rule.text, rule.closed
        )
