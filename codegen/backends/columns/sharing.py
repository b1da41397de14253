"""Value instances that several columns use: their values are computed once, before the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wireloom.base.dataclass import dataclass, field, replace

from ...expression.nodes import MemberAccess, Name
from ...expression.types import Path
from ...expression.walk import walk
from ...tree import Instance, Struct
from .instructions import InsertionPoint, Instruction, Label
from .lowering_context import LoweringContext
from .name_resolver import NameResolver
from .refusal import NotForEngineError
from .symbols import ObjectScope, Scalar


@dataclass
class Sharing:
    """The values that the columns of one row type share. ``insertion_point``: the position at which they are computed,
    before the columns."""

    context: LoweringContext
    insertion_point: InsertionPoint
    _tried: set[tuple[ObjectScope, str]] = field(default_factory=set)
    _uses: dict[Path, Counter[str]] = field(default_factory=dict)
    _names: set[str] | None = None

    def value_of(self, resolver: NameResolver, scope: ObjectScope, instance: Instance) -> Scalar | None:
        """Return the register with the value of an instance of ``scope`` that several others use; ``None`` if there is
        none. ``resolver``: the resolver of the columns."""
        key = (scope, instance.id)
        if instance.value is None or instance.checks or key in self._tried or self._count(scope.struct, instance) < 2:
            return None
        self._tried.add(key)
        assembler = self.context.assembler
        made: list[Instruction | Label | InsertionPoint] = []
        outer, assembler.instructions = assembler.instructions, made
        needed, self.context.needed = self.context.needed, []
        try:
            compiled = replace(
                resolver, scope=scope, path_conditions=self.context.path_conditions, assumed=(), guards=(), it=None
            )._compile(instance.value)
            if compiled.constant is not None or compiled.scalar is not None:
                return None
            if self.context.needed and compiled.nullable:
                return None
            shared = Scalar(instance.id, compiled.interval, speculative=True, nullable=compiled.nullable)
            assembler.compute(shared, compiled, instance.id)
        except NotForEngineError:
            return None
        finally:
            assembler.instructions = outer
            self.insertion_point.instructions += made
            needs, self.context.needed = self.context.needed, needed
        scope.members[instance.id] = shared
        scope.failures[instance.id] = tuple(needs)
        return shared

    def is_used(self, instance: Instance) -> bool:
        """Return whether another instance, of any type, may use an instance."""
        if self._names is None:
            types = (each for each in self.context.spec.family if each.instances)
            self._names = {name for type in types for each in type.instances for name in _names_used(each)}
        return instance.id in self._names

    def _count(self, struct: Struct, instance: Instance) -> int:
        """Return how many expressions of the type use an instance."""
        if struct.path not in self._uses:
            nodes = (node for each in struct.instances for node in (each.value, each.condition) if node is not None)
            self._uses[struct.path] = Counter(
                each.id for node in nodes for each in walk(node) if isinstance(each, Name)
            )
        return self._uses[struct.path][instance.id]


def _names_used(instance: Instance) -> Iterator[str]:
    """Yield the names of what an instance is computed from, in its own object and in others."""
    for node in (instance.value, instance.condition):
        for each in walk(node) if node is not None else ():
            if isinstance(each, Name):
                yield each.id
            elif isinstance(each, MemberAccess):
                yield each.name
