"""The scope of the lowering of one class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as declared

from ...expression.nodes import Node
from ...expression.types import UserType
from ...plan import Field, Plan, RowStep, TypePlan
from ...spec.position import Position
from .annotations import Annotations
from .api import Api
from .expressions import Translator
from .module import Module
from .names import field_name
from .render import Use, rendered

SEQUENCE: Mapping[str, str] = {"_io": "io", "_index": "index"}
"""Where the methods that read and write have the stream and the number of the item."""

INSTANCE: Mapping[str, str] = {"_io": "self._io", "_index": "index"}
"""Where properties have them; their local ``io`` may be another stream."""


@dataclass(frozen=True)
class ClassScope:
    """One class in the making."""

    module: Module
    struct: TypePlan
    places: Mapping[str, str] = declared(default_factory=lambda: SEQUENCE)
    annotations: Annotations = declared(init=False)
    taken: dict[str, str] = declared(default_factory=dict)
    """By field, the variable that has its bytes on the wire, where these have been read already."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotations", Annotations(self.module, self.struct))

    @property
    def plan(self) -> Plan:
        """Return the plan of the spec that the type is of."""
        return self.module.plan

    @property
    def lazy(self) -> bool:
        """Return whether statements are in a property, which has a value in any case."""
        return self.places is INSTANCE

    def use(self, name: str) -> str:
        """Return the local name of something of the runtime."""
        return self.module.use(name)

    def code(self, template: str, **values: object) -> str:
        """Return the text of a template of ``nodes/``."""
        return rendered(template, Use(self.module.use), values)

    @property
    def own(self) -> bool:
        """Return whether the classes are those of wireloom's own API."""
        return self.module.api is Api.WIRELOOM

    def row_step(self, field: Field) -> int | None:
        """Return the number of the step to the rows of a table that a field is; ``None`` for other fields, and in
        classes with Kaitai's API."""
        if not self.own or not isinstance(field.type, UserType):
            return None
        steps, step = self.module.plan.steps, (self.struct.path, field.id, field.type.path)
        return steps.index(step) if step in steps else None

    def row_steps(self, field: Field) -> tuple[int, ...]:
        """Return the numbers of the steps to rows that a field makes, whatever a switch chooses."""
        found = (self.row_step(each) for each in (field, *field.forms))
        return tuple(each for each in found if each is not None)

    def unit_steps(self, field: Field) -> tuple[int, ...]:
        """Return the numbers of the steps for which the field's items are units inside of the outermost one."""
        return self._steps(
            field,
            (
                step
                for rows in self.plan.tables
                for way in rows.ways
                for number, step in enumerate(way)
                if rows.is_unit(way, number)
            ),
        )

    def last_steps(self, field: Field) -> tuple[int, ...]:
        """Return the numbers of the steps of tables that are read as a whole for which the field, one of the root, has
        all rows."""
        return self._steps(field, (step for rows in self.plan.tables if not rows.streaming for step in rows.steps[:1]))

    def _steps(self, field: Field, steps: Iterable[RowStep]) -> tuple[int, ...]:
        if not self.own:
            return ()
        here = (each for each in steps if each[:2] == (self.struct.path, field.id))
        return tuple(dict.fromkeys(map(self.plan.steps.index, here)))

    @property
    def instance_steps(self) -> dict[str, tuple[int, ...]]:
        """Return the instances at positions that lead to rows, each with the numbers of its steps."""
        return self.plan.instance_steps(self.struct) if self.own else {}

    def translator(self, position: Position | None, **places: str) -> Translator:
        """Return a translator of expressions that are in this type, with more names in place."""
        return Translator(self.module, self.struct, self.annotations, {**self.places, **places}, {}, position)

    def text(self, node: Node, field: Field, **places: str) -> str:
        """Return an expression of ``field`` as text."""
        return self.translator(field.position, **places).text(node)


def member(name: str) -> str:
    """Return the text of a field, instance or parameter of the object itself."""
    return f"self.{field_name(name)}"
