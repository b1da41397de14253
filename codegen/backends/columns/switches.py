"""Lowers values of one of several types: steps for each type, of which the input chooses one."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.format.program import Op

from ...expression.nodes import Comparison, Logical, Name, Node
from ...expression.types import BytesType, StringType, UserType
from ...expression.walk import names_in
from ...tree import Attribute, Instance, Switch
from .arrow import number_interval
from .column_nodes import ColumnNode
from .expression import Compiler
from .field_arrow import variant_name
from .instructions import AbsentInstruction, ExpressionInstruction, InsertionPoint, Label
from .interval import BOOLEAN, Interval
from .lowering_context import LoweringContext
from .path_conditions import path_conditions_of
from .refusal import NotForEngineError
from .stack_code import StackCode, constant, required
from .symbols import CallResult, Chosen, Created, ObjectScope, RepeatedField, Scalar, Span, Unavailable
from .uses import uses_position


def lower_switch(
    context: LoweringContext, scope: ObjectScope, field: Attribute, switch: Switch, value: Callable[[Attribute], None]
) -> None:
    """Append the steps of a field whose type a switch chooses.

    Args:
        context: The state of the walk.
        scope: The object with the field.
        field: The field.
        switch: Its switch.
        value: Appends the steps of the field with the type of one case.

    Raises:
        NotForEngineError: The engine does not support the switch, or one of its types.
    """
    context.run.must_be_aligned(f'the type of "{field.id}" is a switch, and it may begin')
    assembler, node, question = context.assembler, context.column(scope, field.id), f"what {field.id} is"
    matching = matching_of(context, scope, switch.on, question)
    created, end = context.created, Label()
    read_inside: list[tuple[ObjectScope, Instance]] = []
    result = _integer(context, field)
    objects = _Objects(context, scope, field) if _are_used(context, field) else None
    for matches, form in switch.branches:
        test = any_of([Comparison("==", Name("_"), each) for each in matches])
        other, kept = Label(), len(context.cached)
        assembler.add(
            Op.SKIP_IF_ZERO,
            assembler.temporary(matching.compile(test), question, speculative=True),
            0,
            other,
            comment=question,
        )
        if objects is not None:
            objects.begin(any_of([Comparison("==", switch.on, each) for each in matches]))
        _lower_form(context, scope, form, node, value)
        _keep(context, scope, form, result)
        if objects is not None:
            objects.end()
        assembler.add(Op.JUMP, 0, 0, end)
        assembler.bind(other)
        read_inside += context.cached[kept:]
        for holder, instance in context.cached[kept:]:
            holder.members.pop(instance.id, None)
            holder.lists.pop(instance.id, None)
        del context.cached[kept:]
    if switch.otherwise is not None:
        kept = len(context.cached)
        whole = scope.struct.attribute(field.id)
        if scope is context.unit and whole is not None and whole.has_default_case:
            assembler.add(Op.DEFAULT, comment=f"{field.id}: default case")
        if objects is not None:
            objects.begin(*(Comparison("!=", switch.on, each) for matches, _ in switch.branches for each in matches))
        _lower_form(context, scope, switch.otherwise, node, value)
        _keep(context, scope, switch.otherwise, result)
        if objects is not None:
            objects.end()
        read_inside += context.cached[kept:]
        del context.cached[kept:]
    else:
        if node is not None:
            node.null(assembler)
        if result is not None:
            assembler.instructions.append(AbsentInstruction(result))
    assembler.bind(end)
    context.cached += read_inside
    context.forget(len(context.cached) - len(read_inside))
    made: list[Created] = [] if result is None else [result]
    if objects is not None:
        made += [*objects.created, objects.chosen]
    context.created = [*created, *made]
    unavailable = Unavailable(f'an expression uses "{field.id}", whose type is a switch')
    scope.members[field.id] = result or (objects.chosen if objects is not None else unavailable)


@dataclass
class _Objects:
    """The objects between which a switch chooses, for expressions after it.

    ``before``: the position before all of them, at which none is present; ``created``: the scalars, spans and objects
    in them. Their lists are available only to expressions inside.
    """

    context: LoweringContext
    scope: ObjectScope
    of: Attribute
    chosen: Chosen = field(init=False)
    created: list[Created] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.before = self.context.assembler.insertion_point()
        self.path_conditions = self.context.path_conditions
        self.chosen = Chosen(self.of.id, self.path_conditions, {})
        if self.of.unmatched:
            self.chosen.path_conditions = (
                *self.path_conditions,
                *path_conditions_of(self.scope, Name(f"{self.of.id} is there")),
            )
            self.chosen.presence = Scalar(f"is {self.of.id} there?", BOOLEAN)
            _note(self.before, self.chosen.presence, 0)

    @property
    def is_constant(self) -> bool:
        """Return whether the same conditions choose the same type everywhere in the object."""
        assert self.of.switch is not None
        matches = [each for several, _ in self.of.switch.branches for each in several]
        on = self.of.switch.on
        changes = {"_", "_index"} & names_in(on) or uses_position(on)
        return not changes and not any(map(names_in, matches)) and len(set(matches)) == len(matches)

    def begin(self, *conditions: Node) -> None:
        """Begin a type, which is chosen if all conditions hold."""
        if not self.is_constant:
            conditions = (Name(f"type {len(self.chosen.objects)} of {self.of.id}"),)
        found = [path_condition for each in conditions for path_condition in path_conditions_of(self.scope, each)]
        self.context.path_conditions = (*self.path_conditions, *found)
        self.context.created = []

    def end(self) -> None:
        """End the type."""
        inside, found = self.context.assembler.insertion_point(), self.scope.members.get(self.of.id)
        if self.chosen.presence is not None:
            _note(inside, self.chosen.presence, 1)
        scalars: dict[Scalar, Scalar] = {}
        for each in self.context.created:
            if isinstance(each, Scalar):
                scalars[each] = self._outside(each, inside)
            elif not isinstance(each, RepeatedField):
                each.presence = self._presence(each, inside)
        for each in self.context.created:
            if isinstance(each, ObjectScope):
                members = each.members.items()
                each.members = {name: scalars.get(of, of) if isinstance(of, Scalar) else of for name, of in members}
                each.lists.clear()
        if isinstance(found, ObjectScope):
            # A type that several branches choose has several objects, so none of them represents it.
            is_first = found.struct.path not in self.chosen.objects
            self.chosen.objects[found.struct.path] = found if is_first else None
        self.created += (each for each in self.context.created if not isinstance(each, Scalar | RepeatedField))
        self.created += scalars.values()
        self.context.path_conditions, self.context.created = self.path_conditions, []

    def _outside(self, scalar: Scalar, inside: InsertionPoint) -> Scalar:
        """Return a copy of an integer in an object; it has no value if that object is not the chosen one."""
        found = Scalar(scalar.name, scalar.interval, scalar.path_conditions, speculative=scalar.may_fail)
        found.is_optional, found.source = True, scalar
        value, may_lack = StackCode((scalar,), scalar.interval), scalar.is_optional or scalar.may_fail
        inside.instructions.append(ExpressionInstruction(found, value, found.name, may_lack))
        self.before.instructions.append(AbsentInstruction(found))
        return found

    def _presence(self, inner: Span | ObjectScope | Chosen | CallResult, inside: InsertionPoint) -> Scalar:
        """Return the register that says whether something in an object is present and that object is the chosen one."""
        there = Scalar(f"is {inner.name} there?", BOOLEAN)
        _note(self.before, there, 0)
        value = constant(1) if inner.presence is None else StackCode((inner.presence,), BOOLEAN)
        inside.instructions.append(ExpressionInstruction(there, value, there.name))
        return there


def _note(at: InsertionPoint, scalar: Scalar, value: int) -> None:
    at.instructions.append(ExpressionInstruction(scalar, constant(value), scalar.name))


def _are_used(context: LoweringContext, field: Attribute) -> bool:
    """Return whether an expression may use one of the objects between which a switch chooses."""
    return field.id in context.used.objects and any(isinstance(each.type, UserType) for each in field.forms)


def _integer(context: LoweringContext, field: Attribute) -> Scalar | None:
    """Return the scalar of a switch between integers or between floats, which may have no value if no case need match;
    ``None`` for other switches."""
    intervals = [None if each.repeat is not None else number_interval(each.type) for each in field.forms]
    if None in intervals or len({each.is_float for each in filter(None, intervals)}) > 1:
        return None
    found = Scalar(field.id, reduce(Interval.union, filter(None, intervals)), context.path_conditions)
    if field.unmatched:
        found.read_as_null()
    return found


def _keep(context: LoweringContext, scope: ObjectScope, form: Attribute, result: Scalar | None) -> None:
    value = scope.members.get(form.id)
    if result is not None:
        assert isinstance(value, Scalar)
        context.assembler.compute(result, StackCode((value,), value.interval), form.id)


def matching_of(context: LoweringContext, scope: ObjectScope, on: Node, question: str) -> Compiler:
    """Return a compiler of expressions in which ``_`` is the value of ``switch-on``."""
    compiler = context.compiler(scope)
    if isinstance(on.type, BytesType | StringType):
        span = compiler.span(on)
        context.run.flush()
        return replace(compiler, it=span)
    compiled = required(compiler.compile(on))
    context.run.flush()
    return replace(compiler, it=context.assembler.temporary(compiled, question, speculative=True))


def any_of(tests: list[Node]) -> Node:
    """Return the condition that one of the tests holds."""
    return reduce(lambda left, right: Logical("or", left, right), tests)


def _lower_form(
    context: LoweringContext,
    scope: ObjectScope,
    form: Attribute,
    node: ColumnNode | None,
    value: Callable[[Attribute], None],
) -> None:
    """Append the steps of one of the types, and those that set the columns of the others to null."""
    if form.process is not None:
        why = f'the type of "{form.id}" is a switch, and it is {form.process.words}'
        raise NotForEngineError(f'{why}: give each type an attribute of its own, with "if"')
    inner = None
    if node is not None:
        # Without variants the types share one column.
        inner = node.fields.get(variant_name(form)) if node.column.type.variants else node
        if inner is not node:
            context.assembler.add(Op.COLUMN_STRUCT, node.number, comment=form.id)
        for each in node.fields.values():
            if inner is not node and each is not inner:
                each.null(context.assembler)
    before = context.fills.get(scope, {})
    others = {name: each for name, each in before.items() if name != form.id}
    context.fills[scope] = others if inner is None else {**others, form.id: inner}
    value(form)
    context.run.flush_aligned(f'the type of "{form.id}" is a switch, and it may end')
    context.fills[scope] = before
