"""Sub-streams, and those whose bytes are a compressed block."""

from __future__ import annotations

from wireloom.format.program import Expansion, Op

from ...plan import Field
from ...wire import EndOfStreamSize, ExpressionSize, WithinSize
from .refusal import NotForEngineError
from .scope import Scope, Span, Stream
from .state import State


def enter(state: State, scope: Scope, field: Field, *, contains: bool = False) -> None:
    """Enter the sub-stream of a sized user type. ``contains``: damage inside of it ends with it."""
    state.run.flush()
    if isinstance(field.size, WithinSize):
        span = span_within(state, scope, field.size)
        state.assembler.add(Op.LIMIT_SPAN, span, int(contains), comment=field.id)
        state.streams.append(Stream())
        return
    size = state.fixed_size(scope, field)
    if size is not None:
        state.assembler.add(Op.LIMIT_FIXED, 0, int(contains), size, comment=field.id)
    elif isinstance(field.size, ExpressionSize):
        register, addend = state.size(scope, field.size, field.id)
        state.assembler.add(Op.LIMIT_REGISTER, register, int(contains), addend, comment=field.id)
    elif not (isinstance(field.size, EndOfStreamSize) and state.bounded):
        raise NotForEngineError(f'"{field.id}" reaches to the end of the input')
    else:
        state.assembler.add(Op.LIMIT_FIXED, 1, int(contains), comment=field.id)
    state.streams.append(Stream())


def span_within(state: State, scope: Scope, size: WithinSize) -> Span:
    """The bytes that a value is in."""
    compiler = state.compiler(scope).strict
    span = compiler.resolve(size.expression)
    if not isinstance(span, Span):
        raise NotForEngineError("a value is in bytes that are no attribute")
    compiler.must_be_found(span)
    return span


def leave(state: State, field: Field) -> None:
    """Leave it: what its fields did not take is passed over."""
    state.assembler.add(Op.LIMIT_END, comment=field.id)
    state.streams.pop()


def expand(state: State, scope: Scope, field: Field) -> None:
    """Append the step that decompresses the sub-stream of a field that has just been entered, if it is compressed. The
    checksums of its bytes are verified before, those of its content after."""
    process = field.process
    if process is None:
        return
    state.before_expansion()
    number = len(state.assembler.expansions)
    state.assembler.expansions.append(Expansion(process.codecs, process.most))
    compiled = [state.compiler(scope).compile(each) for each in process.arguments]
    names = ("codec of", "size of the content of")
    registers = [
        state.assembler.temporary(each, f"{name} {field.id}") for each, name in zip(compiled, names, strict=False)
    ]
    size = registers[1] if len(registers) > 1 else -1
    state.streams[-1].is_content = True
    state.assembler.add(Op.EXPAND, number, int(not field.defers), registers[0], size, comment=field.id)
    state.after_expansion()
