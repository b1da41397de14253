"""Types of a spec."""

from __future__ import annotations

from dataclasses import dataclass, field

from wireloom.base.cached import cached_property

from ..expression.nodes import Node
from ..expression.types import Path, VarintType
from ..spec.position import Position
from ..wire import ComputedEndian, Enum, InheritedEndian, Message, Parameter
from .members import Attribute, Checksum, Instance


@dataclass(frozen=True)
class Derivation:
    """An attribute that a writer fills in: ``attribute`` becomes the value of ``expression``, in which ``NAME.size`` of
    a bytes or string attribute is its size on the wire, ``NAME.content`` its decompressed size, and ``NAME.length`` the
    count of a repeated one."""

    attribute: str
    expression: Node


@dataclass(frozen=True)
class InnerSum:
    """A checksum of attributes of a type that is stored in an ``attribute`` of an object inside it. ``way``: the path
    of attributes to that object."""

    way: tuple[str, ...]
    attribute: Attribute
    checksum: Checksum


@dataclass(frozen=True)
class Struct:
    """A type of the spec; the spec's root is one too."""

    path: Path
    parameters: tuple[Parameter, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    instances: tuple[Instance, ...] = ()
    structs: tuple[Struct, ...] = ()
    enums: tuple[Enum, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    message: Message | None = None
    columns: tuple[str, ...] = ()
    """The attributes that are fields of its structs in tables; empty: all."""
    fills_stream: bool = False
    """``-wireloom: {trailing-bytes: refuse}``: its attributes extend to the end of its stream."""
    to_string: Node | None = None
    inner_sums: tuple[InnerSum, ...] = ()
    varint: VarintType | None = None
    """The integer that it is by its key ``varint``."""
    parents: tuple[Path, ...] = ()
    """The types of the same spec that directly contain this one, in order."""
    conditions: tuple[tuple[str, str, Node], ...] = ()
    """Conditions of the rows of tables whose rows are of this type: the name of the table, the key, the condition."""
    endian: ComputedEndian | InheritedEndian | None = None
    """Set if the byte order is computed; integers and floats with this byte order have the endian ``computed``."""
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False, repr=False)

    def attribute(self, name: str) -> Attribute | None:
        """Return the attribute with that id; ``None`` if there is none."""
        return self._attributes.get(name)

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with that id; ``None`` if there is none."""
        return self._parameters.get(name)

    def instance(self, name: str) -> Instance | None:
        """Return the instance with that id; ``None`` if there is none."""
        return self._instances.get(name)

    @cached_property
    def _attributes(self) -> dict[str, Attribute]:
        return {each.id: each for each in reversed(self.attributes)}

    @cached_property
    def _parameters(self) -> dict[str, Parameter]:
        return {each.id: each for each in reversed(self.parameters)}

    @cached_property
    def _instances(self) -> dict[str, Instance]:
        return {each.id: each for each in reversed(self.instances)}
