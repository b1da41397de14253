"""The ranges of computed integers, as far as they are known without the lowering of a row."""

from __future__ import annotations

from ...tree import Attribute, Instance, Spec, Struct
from .arrow import number_interval
from .expression import Compiler
from .interval import Interval
from .refusal import NotForEngineError
from .symbols import ObjectScope, Scalar, checksum_target


def declared(spec: Spec, struct: Struct, parent: ObjectScope | None) -> ObjectScope:
    """Return a scope in which every number of ``struct`` has the range of its type."""
    scope = ObjectScope(spec, struct, parent)
    single = [(each.id, each.type) for each in struct.attributes if each.repeat is None]
    for name, kind in [*single, *((each.id, each.type) for each in struct.parameters)]:
        interval = number_interval(kind)
        if interval is not None:
            scope.members[name] = Scalar(name, interval)
    scope.checksums.update((each.id, checksum_target(each)) for each in struct.computed_checksums)
    return scope


def computed_interval(scope: ObjectScope, field: Attribute | Instance) -> Interval | None:
    """Return the range of a value instance if the engine could compute it, else ``None``; ``scope`` is updated with
    it."""
    if not isinstance(field, Instance) or field.value is None:
        return None
    try:
        interval = Compiler(scope).compile(field.value).interval
    except NotForEngineError:
        return None
    if field.condition is None:
        scope.members.setdefault(field.id, Scalar(field.id, interval))
    return interval
