"""Instances without a position: objects without attributes, which take no bytes, may be read at any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..expression.nodes import IntegerLiteral
from ..expression.types import ComputedIntegerType, Path, UserType
from ..expression.walk import updated
from ..tree import Instance, Struct
from ..wire import OwnSize


def with_positions(struct: Struct, structs: Mapping[Path, Struct]) -> Struct:
    """Return a type, with those inside it, whose instances of such objects are read at the beginning of their
    stream."""
    instances = tuple(_placed(each, structs) for each in struct.instances)
    return updated(struct, instances=instances, structs=tuple(with_positions(each, structs) for each in struct.structs))


def _placed(instance: Instance, structs: Mapping[Path, Struct]) -> Instance:
    read = instance.attribute
    if read is None or instance.pos is not None or read.switch is not None or not isinstance(read.size, OwnSize):
        return instance
    kind = structs.get(read.type.path) if isinstance(read.type, UserType) else None
    if kind is None or kind.attributes or kind.message is not None:
        return instance
    return replace(instance, pos=IntegerLiteral(0, type=ComputedIntegerType()))
