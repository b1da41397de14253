"""A row type as steps: walks the row's fields in order, and those of the user types inside it."""

from __future__ import annotations

from wireloom.checksums import engine_number
from wireloom.format.program import ChecksumRule, Op
from wireloom.format.program_limits import DEEPEST_LIMIT

from ...expression.types import BitsType, BytesType, EnumType, FloatType, IntegerType, StringType, UserType
from ...model.model import Attribute, Checksum, EndOfStreamSize, ExpressionSize, FixedSize, OwnSize, Struct
from .assembler import Label
from .blobs import lower_bytes
from .expression import constant, facts_of
from .marks import Marks
from .numbers import lower_bits, lower_float, lower_integer
from .refusal import NotForEngineError
from .repeated import lower_repeated
from .scope import Argument, Scalar, Scope, Span
from .state import State
from .valid import loses_row


def lower_fields(state: State, scope: Scope) -> None:
    """Appends the steps of a type's fields, and of its checksums, which are verified at the type's end.

    Raises ``NotForEngineError``.
    """
    if scope.struct.endian is not None:
        raise NotForEngineError(f"the byte order of {'::'.join(scope.struct.path)} is computed")
    marks = Marks(state.assembler, scope.struct)
    conditions: dict[str, Scalar] = {}
    for attribute in scope.struct.attributes:
        state.count()
        _mark(state, marks.before(attribute.id), f"{attribute.id} begins")
        if attribute.condition is None:
            _lower_present(state, scope, attribute)
        else:
            conditions[attribute.id] = _lower_optional(state, scope, attribute)
        if loses_row(attribute):
            # A refused value loses the row whether or not what follows is there, so it is looked at first.
            _flush_checks(state, attribute)
        _mark(state, marks.behind(attribute.id), f"{attribute.id} ends")
    for attribute in scope.struct.attributes:
        if attribute.checksum is not None:
            if state.nesting and not state.run.aligned:
                raise NotForEngineError(f'"{scope.struct.attributes[-1].id}" may end inside a byte')
            state.run.flush()
            _lower_checksum(state, scope, attribute, attribute.checksum, marks, conditions.get(attribute.id))


def _flush_checks(state: State, attribute: Attribute) -> None:
    if not state.run.aligned:
        raise NotForEngineError(f'"{attribute.id}" decides about the layout and ends inside a byte')
    state.run.flush()


def _mark(state: State, number: int | None, comment: str) -> None:
    if number is not None:
        state.run.mark(number, comment)


def _lower_checksum(
    state: State, scope: Scope, attribute: Attribute, rule: Checksum, marks: Marks, present: Scalar | None
) -> None:
    """Appends the step that verifies one checksum; where the field is optional, only where it is ``present``."""
    scalar = scope.members.get(attribute.id)
    try:
        engine_number(rule.algorithm)
    except ValueError:
        raise NotForEngineError(f"the checksum algorithm {rule.algorithm} is not in the engine") from None
    if not isinstance(scalar, Scalar) or scalar.interval.low < 0 or not isinstance(attribute.size, FixedSize):
        raise NotForEngineError(f'the checksum "{attribute.id}" is not an unsigned integer')
    number = len(state.assembler.checksums)
    own = marks.before(attribute.id)
    parameters = ChecksumRule(rule.algorithm, rule.initial, rule.final_xor)
    if rule.replace is not None and own is not None:
        parameters = ChecksumRule(rule.algorithm, rule.initial, rule.final_xor, rule.replace, own, attribute.size.size)
    state.assembler.checksums.append(parameters)
    absent = Label()
    if present is not None:
        state.assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=f"is {attribute.id} there?")
    comment = f"{attribute.id} over {rule.first}" + (f" to {rule.last}" if rule.last != rule.first else "")
    first, last = marks.covered(attribute.id)
    state.assembler.add(Op.CHECKSUM, number, scalar, first, last, comment=comment)
    state.assembler.place(absent)


def _lower_optional(state: State, scope: Scope, attribute: Attribute) -> Scalar:
    """Appends the steps of an attribute with ``if``; gives the register that says whether it is there."""
    if attribute.condition is None or not state.run.aligned:
        raise NotForEngineError(f'"{attribute.id}" is optional and may begin inside a byte')
    compiled = state.compiler(scope).compile(attribute.condition)
    state.run.flush()
    assembler, question = state.assembler, f"is {attribute.id} there?"
    present = assembler.temporary(compiled, question)
    absent, behind = Label(), Label()
    assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=question)
    facts, created, state.created = state.facts, state.created, []
    state.facts = (*facts, *facts_of(scope, attribute.condition))
    _lower_present(state, scope, attribute)
    if not state.run.aligned:
        raise NotForEngineError(f'"{attribute.id}" is optional and may end inside a byte')
    state.run.flush()
    state.facts = facts
    column = state.column(scope, attribute.id)
    if column is not None or state.created:
        assembler.add(Op.JUMP, 0, 0, behind)
    assembler.place(absent)
    if column is not None:
        assembler.add(Op.COLUMN_NULL, column[0], comment=attribute.id)
    for scalar in state.created:
        # Expressions may run where the field is absent; they must not see an earlier row's value.
        assembler.compute(scalar, constant(0), f"no {scalar.name}")
    assembler.place(behind)
    state.created = [*created, *state.created]
    return present


def _lower_present(state: State, scope: Scope, attribute: Attribute) -> None:
    """Appends the steps of an attribute that is there."""
    if attribute.switch is not None:
        raise NotForEngineError(f'the type of "{attribute.id}" is chosen by a switch')
    if attribute.process is not None:
        raise NotForEngineError(f'"{attribute.id}" is processed with {attribute.process.name}')
    if attribute.parent is not None:
        raise NotForEngineError(f'"{attribute.id}" has a parent of its own')
    if attribute.repeat is not None:
        lower_repeated(state, scope, attribute)
        return
    match attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type:
        case IntegerType() as kind:
            lower_integer(state, scope, attribute, kind)
        case FloatType() as kind:
            lower_float(state, scope, attribute, kind)
        case BitsType() as kind:
            lower_bits(state, scope, attribute, kind)
        case BytesType() | StringType() as kind:
            lower_bytes(state, scope, attribute, kind)
        case UserType(opaque=False) as kind:
            _lower_user_type(state, scope, attribute, state.spec.struct(kind.path))
        case _:
            raise NotForEngineError(f'the type of "{attribute.id}" is not in the engine')


def _lower_user_type(state: State, scope: Scope, attribute: Attribute, struct: Struct) -> None:
    """A user type within the row: its fields, in a sub-stream of their own where it has a size."""
    if attribute.terminator is not None or attribute.pad_right is not None:
        raise NotForEngineError(f'"{attribute.id}" is a user type with padding or a terminator')
    if state.column(scope, attribute.id) is not None:
        raise NotForEngineError(f'the column "{attribute.id}" is a user type')
    if struct.message is not None:
        raise NotForEngineError(f'"{attribute.id}" is a protobuf message')
    if state.nesting >= DEEPEST_LIMIT:
        raise NotForEngineError(f"user types stand in each other more than {DEEPEST_LIMIT} deep")
    if not state.run.aligned:
        raise NotForEngineError(f'"{attribute.id}" may begin inside a byte')
    inner = Scope(state.spec, struct, scope)
    for parameter, argument in zip(struct.parameters, attribute.arguments, strict=False):
        inner.members[parameter.id] = Argument(argument, scope)
    scope.members[attribute.id] = inner
    bounded, limited = state.bounded, not isinstance(attribute.size, OwnSize)
    if limited:
        _enter(state, scope, attribute)
        state.bounded = True
    state.nesting += 1
    lower_fields(state, inner)
    state.nesting -= 1
    if not (state.run.aligned or limited):
        raise NotForEngineError(f'"{attribute.id}" may end inside a byte')
    if limited:
        state.run.flush()
        _leave(state, attribute)
        state.bounded = bounded


def _enter(state: State, scope: Scope, attribute: Attribute) -> None:
    """Enters the sub-stream of a sized user type."""
    state.run.flush()
    size = state.fixed_size(scope, attribute)
    if size is not None:
        state.assembler.add(Op.LIMIT_FIXED, 0, 0, size, comment=attribute.id)
    elif isinstance(attribute.size, ExpressionSize):
        register, addend = state.size(scope, attribute.size, attribute.id)
        state.assembler.add(Op.LIMIT_REGISTER, register, 0, addend, comment=attribute.id)
    elif not (isinstance(attribute.size, EndOfStreamSize) and state.bounded):
        raise NotForEngineError(f'"{attribute.id}" reaches to the end of the input')


def _leave(state: State, attribute: Attribute) -> None:
    """Leaves it: what its fields did not take is passed over."""
    if isinstance(attribute.size, EndOfStreamSize):
        state.assembler.add(Op.BYTES_REST, Span(attribute.id), comment=f"rest of {attribute.id}")
    else:
        state.assembler.add(Op.LIMIT_END, comment=attribute.id)
