"""``-wireloom: {codec: …}`` of an attribute: the codec of its bytes, as an expression."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.codecs import BLOCK_CODECS, MAX_EXPANDED

from ..expression.nodes import Comparison, Conditional, IntegerLiteral, Name, Node
from ..expression.typer import type_of
from ..expression.types import BooleanType, BytesType, ComputedIntegerType, UserType, comparable
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Expression, Section, Text
from ..tree import Attribute
from ..tree.leaves import EndOfStreamSize, ExpressionSize, Process
from ..words import shown
from .scope import Bindings, Typing
from .symbols import Symbol

INTEGER = ComputedIntegerType()
UNKNOWN_CODEC = IntegerLiteral(-1, type=INTEGER)

Amount = Callable[[Symbol, Expression, str, Bindings], Node | None]
"""A function that types an expression that must be a size."""


class BlockCodecs:
    """Reads the key of one member. ``section``: its extensions; ``amount``: types an expression that must be a size."""

    def __init__(
        self, symbol: Symbol, section: Section, typing: Typing, diagnostics: Diagnostics, amount: Amount
    ) -> None:
        self._symbol = symbol
        self._section = section
        self._typing = typing
        self._diagnostics = diagnostics
        self._amount = amount

    def process(self, attribute: Attribute, bindings: Bindings) -> Process | None:
        """Return the process that undoes the codec of an attribute, or its own ``process``. Reports errors."""
        value = self._section.get("codec")
        if not isinstance(value, Text | Section):
            return attribute.process
        problem = _unfit(attribute)
        if problem:
            self._diagnostics.error(value.position, problem)
            return None
        if isinstance(value, Text):
            return self._of(value, (value.value,), IntegerLiteral(0, type=INTEGER), None, attribute)
        if ("name" in value) == ("switch-on" in value):
            message = "'codec' takes either 'name', or 'switch-on' and 'cases'"
            self._diagnostics.error(value.position, message)
            return None
        fixed = ((value.word("name"),), IntegerLiteral(0, type=INTEGER))
        found = fixed if "name" in value else self._switch(value, bindings)
        expression = value.expression("size-decompressed")
        size = None
        if expression is not None:
            size = self._amount(self._symbol, expression, "'size-decompressed'", bindings)
        return None if found is None else self._of(value, *found, size, attribute)

    def _of(
        self,
        value: Text | Section,
        names: tuple[str, ...],
        chosen: Node,
        size: Node | None,
        attribute: Attribute,
    ) -> Process | None:
        # The least size of an object follows from its type.
        known = attribute.switch is not None or isinstance(attribute.type, UserType)
        codecs = (BLOCK_CODECS[each] for each in names)
        needing = next((each.name for each in codecs if each.needs_size and not (known and each.least_size)), None)
        if needing is not None and (isinstance(value, Text) or "size-decompressed" not in value):
            message = f"{shown(needing)} blocks do not store the size of their content"
            hint = f"add it: codec: {{name: {needing}, size-decompressed: EXPRESSION}}"
            self._diagnostics.error(value.position, message, hint=hint)
            return None
        most = value.integer("max-expanded") if isinstance(value, Section) else None
        return Process(
            " or ".join(names),
            (chosen,) if size is None else (chosen, size),
            value.position,
            codecs=names,
            most=MAX_EXPANDED if most is None else most,
        )

    def _switch(self, value: Section, bindings: Bindings) -> tuple[tuple[str, ...], Node] | None:
        """Return the codecs of the cases, each once, and the expression of the number of the chosen one."""
        on_expression = value.expression("switch-on")
        on = None if on_expression is None else self._typing.expression(self._symbol, on_expression, bindings)
        if on is None:
            return None
        names: list[str] = []
        cases: list[tuple[Node, IntegerLiteral]] = []
        otherwise: Node = UNKNOWN_CODEC
        for entry in value.entries("cases"):
            name = getattr(entry.value, "value", "")
            if not isinstance(entry.key, Expression) or name not in BLOCK_CODECS:
                return None
            if name not in names:
                names.append(name)
            number = IntegerLiteral(names.index(name), type=INTEGER)
            if isinstance(entry.key.node, Name) and entry.key.node.id == "_":
                otherwise = number
                continue
            match = self._typing.expression(self._symbol, entry.key, bindings)
            if match is None:
                return None
            reason = comparable(type_of(on), type_of(match), "==")
            if reason:
                self._diagnostics.error(entry.key.position, f"this case can never match: {reason}")
                return None
            cases.append((Comparison("==", on, match, type=BooleanType()), number))
        if not names:
            self._diagnostics.error(value.position_of("cases"), "'codec' requires at least one case")
            return None
        chosen: Node = otherwise
        for test, number in reversed(cases):
            chosen = Conditional(test, number, chosen, type=INTEGER)
        return tuple(names), chosen


def _unfit(attribute: Attribute) -> str | None:
    """Return why an attribute cannot have a codec."""
    forms = [(attribute.type, attribute.size)]
    if attribute.switch is not None:
        forms = [(each.type, each.size) for each in attribute.switch.cases]
    sized = all(
        isinstance(kind, BytesType | UserType) and isinstance(size, ExpressionSize | EndOfStreamSize)
        for kind, size in forms
    )
    if not sized:
        return "'codec' requires bytes or a user-defined type, with 'size' or 'size-eos'"
    for key, there in (
        ("process", attribute.process),
        ("contents", attribute.contents),
        ("terminator", attribute.terminator),
        ("pad-right", attribute.pad_right),
    ):
        if there is not None:
            return f"'codec' and '{key}' cannot be used together"
    return None
