"""Objects that a writer creates because everything in them is filled in."""

from __future__ import annotations

from dataclasses import replace

from ..expression.types import UserType
from ..tree import Attribute, Fill, Spec, Struct
from ..wire import ExpressionSize, OwnSize


def with_made(spec: Spec) -> Spec:
    """Return a copy of a spec in which objects that need no value from the caller are filled in, innermost ones
    first."""
    while True:
        root = _filled(spec, spec.root)
        if root == spec.root:
            return spec
        spec = replace(spec, root=root)


def _filled(spec: Spec, struct: Struct) -> Struct:
    filled = {each.id for each in struct.fills}
    made = tuple(Fill(each.id, "made") for each in struct.attributes if each.id not in filled and _is_made(spec, each))
    structs = tuple(_filled(spec, each) for each in struct.structs)
    # Before lengths that are solved for, since they need the size of the object.
    return replace(struct, fills=(*made, *struct.fills), structs=structs)


def _is_made(spec: Spec, field: Attribute) -> bool:
    """Return whether the field is a single object of a type of this spec of which each field is filled in."""
    kind = field.type
    if (
        not isinstance(kind, UserType)
        or kind.opaque
        or not spec.owns(kind)
        or not isinstance(field.size, OwnSize | ExpressionSize)
    ):
        return False
    if field.repeat is not None or field.condition is not None or field.switch is not None or field.process is not None:
        return False
    if field.arguments or field.terminator is not None or field.pad_right is not None:
        return False
    struct = spec.struct(kind.path)
    filled = {each.id for each in struct.fills}
    plain = struct.message is None and struct.read_only is None and not struct.parameters
    return plain and bool(struct.attributes) and all(each.id in filled for each in struct.attributes)
