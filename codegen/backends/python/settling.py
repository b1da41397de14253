"""What was put into bytes before lengths were filled in, and asks for these: looked at once more after that.

Bytes have to be made before their length is known. Where what they hold depends on that length, such as an attribute
that is there if it is large enough, they may be others now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...expression.nodes import Name, Node
from ...expression.types import Path, UserType
from ...expression.walk import walk
from ...model.expressions import expressions_in
from ...model.model import Attribute, Spec
from ...model.walking import attributes_of, held
from .names import field_name
from .reading import Keep
from .scope import ClassScope, member


def settled_lines(scope: ClassScope, wires: Mapping[str, str], wire_text: Callable[[Attribute], str]) -> Iterator[str]:
    """Statements that refuse bytes which have changed. ``wires``: by attribute, the variable that holds its bytes;
    ``wire_text``: the expression that makes them."""
    derived = {each.attribute for each in scope.struct.derivations}
    for attribute in scope.struct.attributes:
        if attribute.id not in wires:
            continue
        arguments = list(_arguments(scope, attribute, derived))
        yield from arguments
        if arguments or (isinstance(attribute.type, UserType) and _looks_outside(scope.spec, attribute.type)):
            wire = wires[attribute.id]
            yield scope.code("settled", made=wire_text(attribute), wire=wire, id=attribute.id)


def _arguments(scope: ClassScope, attribute: Attribute, derived: set[str]) -> Iterator[str]:
    """Arguments that have been filled in since the object was made are brought up to date."""
    if not isinstance(attribute.type, UserType) or attribute.type.opaque or attribute.condition is not None:
        return
    parameters = scope.spec.struct(attribute.type.path).parameters
    for parameter, argument in zip(parameters, attribute.arguments, strict=True):
        if _names(argument) & derived:
            given = f"{member(attribute.id)}.{field_name(parameter.id)}"
            yield scope.code("kept", keep=Keep(f"{given} = "), value=scope.text(argument, attribute))


def _names(node: Node) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, Name)}


def _looks_outside(spec: Spec, kind: UserType) -> bool:
    """Whether objects of a type, or those in them, ask for something of the objects that they are in."""
    waiting, seen = [kind], set[Path]()
    while waiting:
        current = waiting.pop()
        if current.opaque or current.path in seen:
            continue
        seen.add(current.path)
        struct = spec.struct(current.path)
        if any(_names(each) & {"_parent", "_root"} for each in expressions_in((struct.attributes, struct.instances))):
            return True
        waiting.extend(kind for each in attributes_of(struct) for kind in held(each))
    return False
