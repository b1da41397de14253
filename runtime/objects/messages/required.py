"""Required fields: looked at when a message is complete, since what is merged into it may bring them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .errors import MessageError
from .plans import Plan

Lacking = dict[int, tuple[Any, int]]
"""By identity, the messages that lacked a required field at their end, and the offset of that. The messages are held,
so that no other object can have their identity."""


def check_required(message: Any, plan: Plan, lacking: Lacking) -> None:
    """Raise ``MessageError`` for the first message, outermost first, that lacks a required field. Those that are no
    longer part of ``message`` do not count: another member of their oneof, or another value of their key, won."""
    waiting = [(message, plan, "")]
    while waiting:
        each, its_plan, path = waiting.pop()
        name = missing_field(each, its_plan)
        if name is not None:
            known = lacking.get(id(each))
            raise MessageError(
                "the required field is missing", field=path + name, offset=None if known is None else known[1]
            )
        waiting.extend(reversed(list(_children(each, its_plan, path))))


def missing_field(message: Any, plan: Plan) -> str | None:
    """The first required field that a message lacks."""
    return next((name for name in plan.required if getattr(message, name) is None), None)


def _children(message: Any, plan: Plan, path: str) -> Iterator[tuple[Any, Plan, str]]:
    for rule, inner in plan.children:
        held = getattr(message, rule.name)
        if isinstance(held, dict):
            for _, value_plan in inner.children:
                for key, value in held.items():
                    yield value, value_plan, f"{path}{rule.name}[{key!r}]."
        elif isinstance(held, list):
            for index, value in enumerate(held):
                yield value, inner, f"{path}{rule.name}[{index}]."
        elif held is not None:
            yield held, inner, f"{path}{rule.name}."
