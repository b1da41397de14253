"""Objects that were serialised before the lengths on which they depend were filled in, and are checked afterwards.

Bytes must be created before their length is known. If their content depends on that length, as a field does that exists
only if the length is large enough, they may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...expression.types import Path, UserType
from ...expression.walk import expressions_in, names_in
from ...plan import Field, Plan
from .constructing import Keep
from .names import field_name
from .scope import ClassScope, member


def settled_lines(scope: ClassScope, wires: Mapping[str, str], wire_text: Callable[[Field], str]) -> Iterator[str]:
    """Yield the statements that refuse bytes that have changed.

    ``wires``: by field, the variable with its bytes. ``wire_text``: a function that returns the text that creates them.
    """
    derived = {each.id for each in scope.struct.fills if each.how == "solved"}
    for field in scope.struct.fields:
        if field.id not in wires:
            continue
        arguments = list(_arguments(scope, field, derived))
        yield from arguments
        if field.switch is None and (arguments or any(_looks_outside(scope.plan, each) for each in field.held)):
            wire = wires[field.id]
            yield scope.code("settled", made=wire_text(field), wire=wire, id=field.id)


def _arguments(scope: ClassScope, field: Field, derived: set[str]) -> Iterator[str]:
    """Yield the statements that update arguments filled in after the object was created."""
    if not isinstance(field.type, UserType) or field.type.opaque or field.condition is not None:
        return
    parameters = scope.plan.type(field.type.path).parameters
    for parameter, argument in zip(parameters, field.arguments, strict=True):
        if names_in(argument) & derived:
            given = f"{member(field.id)}.{field_name(parameter.id)}"
            yield scope.code("kept", keep=Keep(f"{given} = "), value=scope.text(argument, field))


def _looks_outside(plan: Plan, kind: UserType) -> bool:
    """Return whether objects of a type, or objects inside them, refer to the objects that contain them."""
    waiting, seen = [kind], set[Path]()
    while waiting:
        current = waiting.pop()
        if current.opaque or current.path in seen:
            continue
        seen.add(current.path)
        struct = plan.type(current.path)
        if any(names_in(each) & {"_parent", "_root"} for each in expressions_in((struct.fields, struct.instances))):
            return True
        waiting.extend(kind for each in struct.read for kind in each.held)
    return False
