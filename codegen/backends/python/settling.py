"""Objects that were serialised before the lengths that they depend on were filled in: checked again afterwards.

Bytes have to be made before their length is known. Where what they hold depends on that length, such as a field
that is there if it is large enough, they may be others now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...expression.types import Path, UserType
from ...expression.walk import expressions_in, names_in
from ...plan import Field, Plan
from .names import field_name
from .reading import Keep
from .scope import ClassScope, member


def settled_lines(scope: ClassScope, wires: Mapping[str, str], wire_text: Callable[[Field], str]) -> Iterator[str]:
    """Statements that refuse bytes which have changed. ``wires``: by field, the variable that holds its bytes;
    ``wire_text``: the expression that makes them."""
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
    """Arguments that have been filled in since the object was made are brought up to date."""
    if not isinstance(field.type, UserType) or field.type.opaque or field.condition is not None:
        return
    parameters = scope.plan.type(field.type.path).parameters
    for parameter, argument in zip(parameters, field.arguments, strict=True):
        if names_in(argument) & derived:
            given = f"{member(field.id)}.{field_name(parameter.id)}"
            yield scope.code("kept", keep=Keep(f"{given} = "), value=scope.text(argument, field))


def _looks_outside(plan: Plan, kind: UserType) -> bool:
    """Return whether objects of a type, or those in them, ask for something of the objects that they are in."""
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
