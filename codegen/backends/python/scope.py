"""The scope of the lowering of one class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile

from wireloom.base.dataclass import dataclass
from wireloom.base.dataclass import field as declared

from ...expression.nodes import Node
from ...expression.types import UserType
from ...spec.position import Position
from ...tree import Attribute, RowStep, Spec, Struct
from .annotations import Annotations
from .expressions import Translator
from .module import Module
from .names import Api, field_name

SEQUENCE: Mapping[str, str] = {"_io": "io", "_index": "index"}
"""The variables with the stream and the index of the item in methods that read and write."""

INSTANCE: Mapping[str, str] = {"_io": "self._io", "_index": "index"}
"""The same variables in properties, whose local ``io`` may be another stream."""


@dataclass(frozen=True)
class ClassScope:
    """A class under construction."""

    module: Module
    struct: Struct
    places: Mapping[str, str] = declared(default_factory=lambda: SEQUENCE)
    annotations: Annotations = declared(init=False)
    taken: dict[str, str] = declared(default_factory=dict)
    """By field, the variable with its encoded bytes if these have already been read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotations", Annotations(self.module, self.struct))

    @property
    def spec(self) -> Spec:
        """Return the spec to which the type belongs."""
        return self.module.spec

    @property
    def lazy(self) -> bool:
        """Return whether the statements are in a property, which must always have a value."""
        return self.places is INSTANCE

    def use(self, name: str) -> str:
        """Return the local name of a name from the runtime, and import it."""
        return self.module.use(name)

    def call(self, function: str, *arguments: object) -> str:
        """Return the text of a call of a function or class from the runtime; ``arguments``: their texts."""
        return f"{self.use(function)}({', '.join(map(str, arguments))})"

    def refusal(self, error: str, arguments: Iterable[str], reason: str, *, loses: bool) -> str:
        """Return the statement that refuses a value.

        Args:
            error: The name of the error's class.
            arguments: The texts of the error's arguments.
            reason: The reason in reports; if it is empty, that of values.
            loses: Whether nothing after the value can be read.
        """
        made = self.call(error, *arguments)
        if self.module.api is Api.KAITAI:
            return f"raise {made}"
        method = "_lose" if loses else "_refuse"
        return f"self.{method}({made}{f', {reason!r}' if reason else ''})"

    @property
    def own(self) -> bool:
        """Return whether the classes have wireloom's own API."""
        return self.module.api is Api.WIRELOOM

    def row_step(self, field: Attribute) -> int | None:
        """Return the number of the step that the field is on the way to the rows of a table; ``None`` for other fields,
        and in classes with Kaitai's API.
        """
        if not self.own or not isinstance(field.type, UserType):
            return None
        steps, step = self.module.spec.steps, (self.struct.path, field.id, field.type.path)
        return steps.index(step) if step in steps else None

    def row_steps(self, field: Attribute) -> tuple[int, ...]:
        """Return the numbers of the steps to rows that a field makes in any case of its switch."""
        found = (self.row_step(each) for each in (field, *field.forms))
        return tuple(each for each in found if each is not None)

    def steps_before(self, field: Attribute) -> tuple[int, ...]:
        """Return the numbers of the steps to rows that attributes before a field make in units."""
        if self.struct is self.spec.root:
            return ()
        before = takewhile(lambda each: each.id != field.id, self.struct.attributes)
        return tuple(dict.fromkeys(step for each in before for step in self.row_steps(each)))

    def unit_steps(self, field: Attribute) -> tuple[int, ...]:
        """Return the numbers of the steps for which the items of the field are units inside the outermost one."""
        return self._steps(
            field,
            (
                step
                for rows in self.spec.tables
                for path in rows.row_paths
                for number, step in enumerate(path)
                if rows.is_unit(path, number)
            ),
        )

    def last_steps(self, field: Attribute) -> tuple[int, ...]:
        """Return the numbers of the steps of tables read as a whole for which the field, a field of the root, contains
        all rows.
        """
        return self._steps(field, (step for rows in self.spec.tables if not rows.streaming for step in rows.steps[:1]))

    def _steps(self, field: Attribute, steps: Iterable[RowStep]) -> tuple[int, ...]:
        if not self.own:
            return ()
        here = (each for each in steps if each[:2] == (self.struct.path, field.id))
        return tuple(dict.fromkeys(map(self.spec.steps.index, here)))

    @property
    def instance_steps(self) -> dict[str, tuple[int, ...]]:
        """Return the instances at positions that lead to rows, each with the numbers of its steps."""
        return self.spec.instance_steps(self.struct) if self.own else {}

    def translator(self, position: Position | None, **places: str) -> Translator:
        """Return a translator of expressions in this type, with additional names in ``places``."""
        return Translator(self.module, self.struct, self.annotations, {**self.places, **places}, {}, position)

    def text(self, node: Node, field: Attribute, **places: str) -> str:
        """Return the text of an expression of ``field``."""
        return self.translator(field.position, **places).text(node)


def place(name: str) -> str:
    """Return the text of a field of the object itself, or of one inside it (with a dot)."""
    return ".".join(("self", *map(field_name, name.split("."))))


def member(name: str) -> str:
    """Return the text of a field, instance or parameter of the object itself."""
    return f"self.{field_name(name)}"
