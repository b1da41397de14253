"""Arguments of objects: when they are computed, and what an argument without a value loses."""

from __future__ import annotations

from wireloom.format.program import Code, Op

from ...expression.nodes import Node
from ...tree import Attribute
from .compiled import Compiled, constant, joined, required
from .facts import asks_position
from .interval import BOOLEAN
from .items import Item
from .lines import Refusal
from .refusal import NotForEngineError
from .scope import Argument, Scalar, Scope
from .state import State


def give_arguments(state: State, scope: Scope, field: Attribute, inner: Scope) -> None:
    """Give the object ``inner``, which is about to be read, the arguments that ``field`` of ``scope`` has for it. One
    that may fail, or that depends on the position in a stream, is computed here; any other where it is used."""
    for parameter, argument in zip(inner.struct.parameters, field.arguments, strict=False):
        found = _computed(state, scope, argument, f"{parameter.id} of {field.id}")
        inner.members[parameter.id] = found or Argument(argument, scope)


def must_have_value(state: State, compiled: Compiled, comment: str) -> None:
    """Append a check that ends reading (lost) if the expression has no value."""
    exists = joined((compiled, compiled), Code.EQUAL, BOOLEAN)
    is_there = Scalar(f"{comment}?", BOOLEAN, lazy=True)
    state.assembler.compute(is_there, exists, is_there.name)
    state.assembler.add(Op.CHECK_TRUE, is_there, Refusal(True, "value"), comment=comment)


def _computed(state: State, scope: Scope, argument: Node, name: str) -> Scalar | None:
    """Return the register of an argument that is computed here; ``None`` if it is computed where it is used."""
    compiler = state.compiler(scope)
    try:
        compiled = required(compiler.compile(argument))
    except NotForEngineError:
        if asks_position(argument):
            raise
        _must_exist(state, scope, argument, name)
        return None
    if compiled.constant is not None or not (compiled.may_fail or asks_position(argument)):
        return None
    state.run.flush()
    scalar = Scalar(name, compiled.interval, state.facts)
    state.assembler.compute(scalar, compiled, name, lazy=compiled.may_fail)
    if compiled.may_fail:
        must_have_value(state, Compiled((scalar,), scalar.interval), name)
    return scalar


def _must_exist(state: State, scope: Scope, argument: Node, name: str) -> None:
    """Append the check of an argument that is an item of a list, if it is one."""
    try:
        found = state.compiler(scope).resolve(argument)
    except NotForEngineError:
        return
    if isinstance(found, Item):
        state.run.flush()
        exists = joined((found.missing, constant(0)), Code.EQUAL, BOOLEAN)
        register = state.assembler.temporary(exists, f"{name} exists?", lazy=True)
        state.assembler.add(Op.CHECK_TRUE, register, Refusal(True, "value"), comment=name)
