"""``contents`` and ``valid`` as statements: in readers behind each value, in writers before it."""

from __future__ import annotations

from typing import Protocol

from ...expression.nodes import Node
from ...expression.types import BooleanType, EnumType, FloatType
from ...model.model import Attribute, Valid
from .api import Api
from .expressions import BIT_OR
from .scope import ClassScope
from .view import Line, Lines, block


def check_lines(
    scope: ClassScope, attribute: Attribute, value: str, source: str, io: str = "io", *, writing: bool = False
) -> Lines:
    """The checks of one value, whose text is ``value``; ``io`` is the stream for the errors.

    A reader may collect what it refuses, where the end of the item is known; a writer always raises.
    """
    lines: list[Line] = []

    def check(condition: str, error: str, *given: str) -> None:
        arguments = ", ".join((*given, io, repr(source)))
        raised = f"{scope.use(error)}({arguments})"
        reason = repr("length" if (scope.struct.path, attribute.id) in scope.module.lengths else "value")
        if scope.module.api is Api.KAITAI:
            statement = f"raise {raised}"
        elif attribute.frames_layout or writing:
            statement = f"raise {scope.use('with_reason')}({raised}, {reason})"
        else:
            statement = f"self._refuse({raised}, {reason})"
        lines.append(block(f"if {condition}:", [Line(statement)]))

    if attribute.contents is not None:
        expected = repr(attribute.contents)
        check(f"{value} != {expected}", "ValidationNotEqualError", expected, value)
    valid = attribute.valid
    if valid is not None:
        _valid(scope, attribute, valid, value, check)
    return tuple(lines)


class _Check(Protocol):
    """Appends a check: the condition that refuses, the error's class, and its first arguments."""

    def __call__(self, condition: str, error: str, *given: str) -> None: ...


def _valid(scope: ClassScope, attribute: Attribute, valid: Valid, value: str, check: _Check) -> None:
    def text(node: Node) -> str:
        return scope.translator(attribute.position, _=value).text(node, BIT_OR)

    if valid.equal is not None:
        expected = text(valid.equal)
        if isinstance(valid.equal.type, BooleanType) and expected in ("True", "False"):
            condition = f"not {value}" if expected == "True" else value
        else:
            condition = f"{value} != {expected}"
        check(condition, "ValidationNotEqualError", expected, value)
    # A float that is no number is neither below nor above a bound, and not between them.
    floats = isinstance(attribute.type, FloatType)
    if valid.minimum is not None:
        bound = text(valid.minimum)
        check(f"not {value} >= {bound}" if floats else f"{value} < {bound}", "ValidationLessThanError", bound, value)
    if valid.maximum is not None:
        bound = text(valid.maximum)
        check(f"not {value} <= {bound}" if floats else f"{value} > {bound}", "ValidationGreaterThanError", bound, value)
    if valid.any_of:
        choices = [text(each) for each in valid.any_of]
        condition = f"{value} != {choices[0]}" if len(choices) == 1 else f"{value} not in ({', '.join(choices)})"
        check(condition, "ValidationNotAnyOfError", value)
    if valid.in_enum and isinstance(attribute.type, EnumType):
        check(f"{value} not in {scope.module.table(attribute.type.path)}", "ValidationNotInEnumError", value)
    if valid.expression is not None:
        condition = scope.translator(attribute.position, _=value).negation(valid.expression)
        check(condition, "ValidationExprError", value)
