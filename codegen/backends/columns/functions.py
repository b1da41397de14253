"""Lowers types whose objects may contain objects of the same type: their steps are a function that calls itself."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import replace
from wireloom.format.program import Op
from wireloom.format.program_words import MOST_FUNCTIONS

from ...expression.nodes import MemberAccess, Name
from ...expression.types import BooleanType, Path, Type, UserType
from ...tree import Attribute, Spec, Struct
from ...tree.leaves import InheritedEndian
from .arrow import number_interval
from .expression import Compiler
from .interval import BOOLEAN
from .json_steps import begin_json
from .lowering_context import LoweringContext
from .parameters import must_have_value
from .refusal import NotForEngineError
from .results import Call, Function
from .stack_code import StackCode, as_float, required
from .symbols import ObjectScope, Scalar, Stream

BYTE_ORDER = "byte order"


def _needs_of_parent(struct: Struct) -> tuple[Path, tuple[Name, ...]]:
    """Return the type of the parent of objects of a type, and the numbers of the parent that their expressions use."""
    found: dict[str, Name] = {}
    parent: Path = ()
    for each in struct.nodes:
        is_of_parent = isinstance(each, MemberAccess) and isinstance(each.value, Name) and each.value.id == "_parent"
        if is_of_parent and isinstance(each, MemberAccess) and isinstance(each.value.type, UserType):
            parent = each.value.type.path
            if number_interval(each.type) is not None:
                found[each.name] = Name(each.name, type=each.type)
    return parent, tuple(found.values())


def contains_itself(spec: Spec, struct: Struct) -> bool:
    """Return whether objects of a type may contain objects of that type among the fields that are read in order."""
    kinds = (kind for each in struct.attributes for kind in each.object_types)
    return struct.path in spec.reached(each.path for each in kinds if not each.opaque)


def call(
    context: LoweringContext,
    scope: ObjectScope,
    field: Attribute,
    struct: Struct,
    lower: Callable[[LoweringContext, ObjectScope], None],
    *,
    json: bool = False,
) -> None:
    """Append the call of the function that reads objects of a type that contains itself, and the function before its
    first call.

    Args:
        context: The state of the walk.
        scope: The object with the field.
        field: The field whose value is such an object.
        struct: The type.
        lower: Appends the steps of the fields of an object.
        json: Whether it appends the object's JSON text.

    Raises:
        NotForEngineError: Functions do not support where the field is, or what its type uses.
    """
    if context.is_in_content:
        # There each object counts like an item, which functions do not support.
        raise NotForEngineError(f'"{field.id}", whose type contains itself, is in the content of a compressed block')
    key = struct.path, context.bounded, json
    if key not in context.functions:
        _make(context, scope, struct, lower, json=json)
    function, assembler, compiler = context.functions[key], context.assembler, context.compiler(scope)
    if function.of_parent and scope.struct.path != function.parent:
        raise NotForEngineError(f'"{field.id}" is in objects of several types, and uses their members')
    passed = [required(compiler.compile(each)) for each in (*field.arguments, *function.of_parent)]
    passed = [
        as_float(each) if argument.interval.is_float else each
        for argument, each in zip(function.arguments, passed, strict=False)
    ]
    if function.has_order:
        if scope.little is None:
            raise NotForEngineError(f'the byte order of "{field.id}" differs from that of its parent')
        passed.append(StackCode((scope.little,), BOOLEAN))
    context.run.flush()
    for argument, compiled in zip(function.arguments, passed, strict=True):
        if not compiled.interval.within(argument.interval.low, argument.interval.high):
            raise NotForEngineError(f'an argument of "{field.id}" may exceed the type of its parameter')
        assembler.compute(argument, compiled, argument.name, speculative=compiled.may_fail)
        if compiled.may_fail:
            must_have_value(context, StackCode((argument,), argument.interval), f"{argument.name} of {field.id}")
    assembler.add(Op.CALL, function.number, comment=field.id)
    called = Call(field.id, context.path_conditions, function, assembler.insertion_point())
    context.created.append(called)
    scope.members[field.id] = called


def _make(
    context: LoweringContext,
    scope: ObjectScope,
    struct: Struct,
    lower: Callable[[LoweringContext, ObjectScope], None],
    *,
    json: bool,
) -> None:
    assembler = context.assembler
    if len(assembler.functions) == MOST_FUNCTIONS:
        raise NotForEngineError(f"more than {MOST_FUNCTIONS} types contain themselves")
    stream = Stream()
    inner = ObjectScope(scope.spec, struct, top=scope.root, stream=stream)
    has_order = isinstance(struct.endian, InheritedEndian)
    parent, of_parent = _needs_of_parent(struct)
    if parent:
        inner.parent = ObjectScope(scope.spec, scope.spec.struct(parent), top=scope.root)
    passed: list[tuple[ObjectScope, str, Type | None]] = [(inner, each.id, each.type) for each in struct.parameters]
    passed += [(inner.parent, each.id, each.type) for each in of_parent if inner.parent is not None]
    passed += [(inner, BYTE_ORDER, BooleanType())] * has_order
    arguments = []
    for _, name, kind in passed:
        interval = number_interval(kind)
        if interval is None:
            raise NotForEngineError(f'"{struct.path[-1]}" contains itself and has the parameter "{name}"')
        arguments.append(Scalar(name, interval, needed=True))
    function = Function(len(assembler.functions), tuple(arguments), has_order, of_parent, parent, assembler)
    context.functions[struct.path, context.bounded, json] = function
    with assembler.function(struct.path[-1], bounded=context.bounded, arguments=arguments):
        for argument, (holder, name, _) in zip(arguments, passed, strict=True):
            own = Scalar(argument.name, argument.interval)
            holder.members[name] = own
            assembler.compute(own, StackCode((argument,), argument.interval), argument.name)
        if has_order:
            order = inner.members.pop(BYTE_ORDER)
            assert isinstance(order, Scalar)
            inner.little = order
        within = replace(
            context,
            row=None,
            streams=[stream],
            path_conditions=(),
            created=[],
            nesting=1,
            uses_lists=False,
        )
        inner.json = begin_json(within, struct) if json else None
        lower(within, inner)
        within.run.flush_aligned(f'"{struct.path[-1]}" may end')
        function.close(Compiler(inner, it=inner))
