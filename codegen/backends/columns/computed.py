"""Value instances of message types as functions of whole columns: source code that calls Arrow's compute kernels."""

from __future__ import annotations

import keyword
from collections.abc import Mapping

from wireloom.format.message_program import FieldSource

from ...dataclass import dataclass, field
from ...expression.fold import fold
from ...expression.nodes import (
    Binary,
    BooleanLiteral,
    Call,
    Cast,
    Comparison,
    Conditional,
    EnumMember,
    FloatLiteral,
    IntegerLiteral,
    ListLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    StringLiteral,
    Subscript,
    Unary,
)
from ...expression.types import BytesType, ComputedIntegerType, EnumType, UserType
from ...tree import Instance
from . import vector_operations as operations
from .arrow import ArrowType, computed_integer
from .message_arrow import field_of
from .message_paths import MAX_NESTING, FieldFound, InstanceFound, Paths, Place
from .refusal import NotForEngineError
from .vectors import Vector, field_vector, number, refuse_kind


@dataclass(frozen=True)
class Function:
    """The function of one computed column: its parameters, which are the columns ``inputs``, its result and the type of
    that."""

    name: str
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    result: str
    type: ArrowType


@dataclass(frozen=True)
class Whole:
    """A column that also contains units that are a row of their own because they are invalid (``whole``), and ``mark``,
    the column that is false for these units; empty if there is none."""

    whole: str = ""
    mark: str = ""


def compute(
    paths: Paths,
    place: Place,
    instance: Instance,
    columns: Mapping[FieldSource, str],
    type: ArrowType,
    otherwise: Whole,
) -> Function:
    """Return the function of a value instance of the message at ``place``.

    ``columns``: those to compute from. ``type``: that of the column, unless the values need another one. Raises
    ``NotForEngineError`` if the value cannot be computed from whole columns.
    """
    if instance.value is None or instance.checks or instance.logical is not None:
        raise NotForEngineError(f'the column "{instance.id}" is computed and has "valid" or a logical type')
    computer = _Computer(paths, columns)
    condition = None if instance.condition is None else computer.compile(instance.condition, place)
    value = computer.compile(instance.value, place)
    if value.constant or not computer.inputs or (condition is not None and condition.constant):
        raise NotForEngineError(f'the value or condition of the column "{instance.id}" is the same in every row')
    held = None if condition is None else condition.settled
    if otherwise.whole in computer.inputs:
        if not otherwise.mark:
            raise NotForEngineError(f'it requires "{otherwise.whole}" and a "mark" of the rows without a message')
        computer.inputs.append(otherwise.mark)
        mark = _parameter(otherwise.mark)
        held = mark if held is None else f"computing.both({mark}, lambda: {held})"
    if isinstance(instance.type, ComputedIntegerType):
        type = computed_integer(value.integers())
    result = value.cast(type.name) if value.is_integer else value.settled
    parameters = tuple(_parameter(each) for each in computer.inputs)
    if held is not None:
        names = ", ".join(parameters)
        result = f"computing.where({held}, lambda {names}: {result}, {type.constructor}, {names})"
    return Function(f"_{instance.id}", tuple(computer.inputs), parameters, result, type)


def _parameter(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in ("pa", "pc", "computing", "constant") else name


@dataclass
class _Computer:
    """Compiles one instance; ``inputs`` are the columns that it requires, in order."""

    paths: Paths
    columns: Mapping[FieldSource, str]
    inputs: list[str] = field(default_factory=list)
    nesting: int = 0

    def compile(self, node: Node, place: Place) -> Vector:
        """Return the vector of an expression that is written in the type at ``place``."""
        return self._compile(fold(node), place)

    def _compile(self, node: Node, place: Place) -> Vector:
        self.paths.effort.count()
        match node:
            case IntegerLiteral(value):
                return number(value)
            case BooleanLiteral(value):
                return Vector(f"constant({value}, pa.bool_())", "bool_", constant=True)
            case FloatLiteral(value):
                return Vector(f"constant({value!r}, pa.float64())", "float64", constant=True)
            case StringLiteral(value):
                return Vector(f"constant({value!r}, pa.utf8())", "utf8", constant=True)
            case ListLiteral(items) if isinstance(node.type, BytesType):
                data = bytes(each.value for each in items if isinstance(each, IntegerLiteral))
                if len(data) == len(items):
                    return Vector(f"constant({data!r}, pa.binary())", "binary", constant=True)
            case EnumMember():
                return number(self._enum_value(node))
            case Cast(value):
                return self._compile(value, place)
            case Name() | MemberAccess():
                found = self._named(node, place)
                if isinstance(found, Vector):
                    return found
            case Subscript(value, IntegerLiteral(index)):
                return operations.item(self.paths.spec, self._compile(value, place), index)
            case Call(value, "to_s", (StringLiteral(encoding),)) if encoding.upper() == "UTF-8":
                inner = self._compile(value, place)
                if inner.type == "binary" and not inner.constant:
                    return Vector(f"computing.text({inner.text})", "utf8")
            case Unary(operator, operand):
                return operations.unary(operator, self._compile(operand, place))
            case Binary(operator, left, right):
                return operations.binary(operator, self._compile(left, place), self._compile(right, place))
            case Comparison(operator, left, right):
                return operations.comparison(operator, self._compile(left, place), self._compile(right, place))
            case Logical(operator, left, right):
                return operations.logical(operator, self._compile(left, place), self._compile(right, place))
            case Conditional(condition, then, otherwise):
                parts = [self._compile(each, place) for each in (condition, then, otherwise)]
                return operations.conditional(parts[0], parts[1], parts[2])
        return refuse_kind()

    # Names -----------------------------------------------------------------------------------------------------------

    def _named(self, node: Node, place: Place) -> Vector | Place:
        if isinstance(node, Cast):
            return self._named(node.value, place)
        if isinstance(node, MemberAccess):
            owner = self._named(node.value, place)
            if isinstance(owner, Place):
                return self._in_place(owner, node.name)
            return operations.member(self.paths.spec, owner, node.name)
        return self._in_place(place, node.id) if isinstance(node, Name) else self._compile(node, place)

    def _in_place(self, place: Place, name: str) -> Vector | Place:
        found = self.paths.find(Name(name), place)
        if isinstance(found, Place):
            return found
        if isinstance(found, InstanceFound):
            return self._instance(found)
        return self._field(found)

    def _field(self, found: FieldFound) -> Vector | Place:
        """Return a field: as the column that it is or is part of."""
        numbers = tuple(field_of(each).number for each in found.steps)
        for taken in range(len(found.steps), 0, -1):
            column = self.columns.get(FieldSource(numbers[:taken], found.up))
            if column is not None and not any(field_of(each).json for each in found.steps[taken:]):
                if column not in self.inputs:
                    self.inputs.append(column)
                text = _parameter(column)
                for step in found.steps[taken:]:
                    text = f"computing.member({text}, {step.id!r})"
                return field_vector(self.paths.spec, text, found.attribute, found.owner)
        attribute = found.attribute
        if isinstance(attribute.type, UserType) and field_of(attribute).label != "repeated":
            # Not a column itself, but its fields may be columns.
            return Place(found.up, found.steps, self.paths.spec.struct(attribute.type.path))
        raise NotForEngineError(self.paths.why_no_input(found))

    def _instance(self, found: InstanceFound) -> Vector:
        instance = found.instance
        if instance.value is None or instance.condition is not None or instance.checks:
            raise NotForEngineError(f'an expression uses "{instance.id}", which has a condition')
        if self.nesting >= MAX_NESTING:
            raise NotForEngineError("an expression is nested too deeply")
        self.nesting += 1
        vector = self.compile(instance.value, found.place)
        self.nesting -= 1
        return vector

    def _enum_value(self, node: EnumMember) -> int:
        if not isinstance(node.type, EnumType):
            raise NotForEngineError(f"the enum member {node.label} has no known value")
        return next(each.value for each in self.paths.spec.enum(node.type.path).labels if each.label == node.label)
