"""Lowers sub-streams, including those whose bytes are a compressed block."""

from __future__ import annotations

from wireloom.format.program import Expansion, Op

from ...expression.nodes import Binary, IntegerLiteral, Node
from ...expression.types import BytesType
from ...tree import Attribute
from ...wire import EndOfStreamSize, ExpressionSize, Process, TerminatedSize, WithinSize
from .refusal import NotForEngineError
from .scope import Scope, Span, Stream
from .state import State

CONTAINS, REFUSES = 1, 4
"""What happens to damage in a sub-stream, as the operand of ``Op.LIMIT_REGISTER``."""


def enter(state: State, scope: Scope, field: Attribute, *, contains: bool = False) -> None:
    """Enter the sub-stream of a user type with a size. ``contains``: rows that are lost cost only the rest of it."""
    state.run.flush()
    confined = CONTAINS if contains else REFUSES if field.confines else 0
    if isinstance(field.size, WithinSize):
        span = span_within(state, scope, field.size)
        begin = -1 if confined == REFUSES else max(scope.begin, 0)
        state.assembler.add(Op.LIMIT_SPAN, span, confined, begin, comment=field.id)
        state.streams.append(Stream())
        return
    size = state.fixed_size(scope, field)
    if field.is_cut:
        if field.process is not None:
            raise NotForEngineError(f'"{field.id}" is {field.process.words} and has padding or a terminator')
        span = Span(field.id)
        find(state, scope, field, span, size)
        state.assembler.add(Op.LIMIT_SPAN, span, confined, -1, comment=field.id)
    elif size is not None:
        state.assembler.add(Op.LIMIT_FIXED, 0, confined, size, comment=field.id)
    elif isinstance(field.size, ExpressionSize):
        register, addend = state.size(scope, field.size, field.id)
        state.assembler.add(Op.LIMIT_REGISTER, register, confined, addend, comment=field.id)
    elif not (isinstance(field.size, EndOfStreamSize) and state.bounded):
        raise NotForEngineError(f'"{field.id}" reaches to the end of the input')
    else:
        state.assembler.add(Op.LIMIT_FIXED, 1, confined, comment=field.id)
    state.streams.append(Stream())


def find(state: State, scope: Scope, field: Attribute, span: Span, size: int | None) -> None:
    """Append the steps that locate the bytes of a value."""
    add, name, terminator = state.assembler.add, field.id, field.terminator
    if terminator is not None and len(terminator.value) != 1:
        raise NotForEngineError(f'the terminator of "{name}" has several bytes')
    if isinstance(field.size, TerminatedSize) and terminator is not None:
        if not terminator.eos_error and not state.bounded:
            raise NotForEngineError(f'"{name}" may reach to the end of the input')
        flags = terminator.include | terminator.consume << 1 | terminator.eos_error << 2
        add(Op.BYTES_TERMINATED, span, terminator.value[0], flags, comment=name)
        return
    if isinstance(field.size, WithinSize):
        enter(state, scope, field)
        add(Op.BYTES_REST, span, comment=name)
        leave(state, field)
    elif size is not None:
        add(Op.BYTES_FIXED, span, 0, size, comment=name)
    elif isinstance(field.size, ExpressionSize):
        register, addend = state.size(scope, field.size, name)
        add(Op.BYTES_REGISTER, span, register, addend, comment=name)
    elif isinstance(field.size, EndOfStreamSize) and state.bounded:
        add(Op.BYTES_REST, span, comment=name)
    else:
        raise NotForEngineError(f'"{name}" reaches to the end of the input')
    if field.stripped is not None:
        add(Op.TRIM_RIGHT, span, 0, field.stripped, comment=name)
    if terminator is not None:
        add(Op.CUT_TERMINATOR, span, int(terminator.include), terminator.value[0], comment=name)


def span_within(state: State, scope: Scope, size: WithinSize) -> Span:
    """Return the span that contains a value."""
    compiler = state.compiler(scope)
    span = compiler.resolve(size.expression)
    if not isinstance(span, Span):
        raise NotForEngineError("a value is inside bytes that are not an attribute")
    compiler.must_be_found(span)
    return span


def leave(state: State, field: Attribute) -> None:
    """Leave the sub-stream; bytes that its fields did not read are skipped."""
    state.assembler.add(Op.LIMIT_END, comment=field.id)
    state.streams.pop()


def _chosen(field: Attribute, process: Process) -> tuple[Node, ...]:
    """Return the arguments of the step that transforms a block: the number of the codec and the size of the content, or
    the key that each byte is combined with."""
    if process.codecs:
        return process.arguments
    if process.is_routine:
        raise NotForEngineError(f'"{field.id}" is {process.words}')
    if process.name == "zlib":
        return (IntegerLiteral(0),)
    [key] = process.arguments
    if isinstance(key.type, BytesType):
        raise NotForEngineError(f'"{field.id}" is {process.words} by several bytes')
    if process.name == "xor":
        return (Binary("&", key, IntegerLiteral(0xFF)),)
    return (Binary("%", key, IntegerLiteral(8)),)


def expand(state: State, scope: Scope, field: Attribute) -> None:
    """Append the step that decompresses the sub-stream of a field that has just been entered, if it is compressed.
    Checksums of the compressed bytes are verified before it, those of the content after it."""
    process = field.process
    if process is None:
        return
    state.before_expansion()
    number = len(state.assembler.expansions)
    if process.codecs:
        state.assembler.expansions.append(Expansion(process.codecs, process.most))
    else:
        state.assembler.expansions.append(Expansion((process.name,), process.most, is_process=True))
    compiled = [state.compiler(scope).compile(each) for each in _chosen(field, process)]
    names = ("codec of", "size of the content of")
    registers = [
        state.assembler.temporary(each, f"{name} {field.id}") for each, name in zip(compiled, names, strict=False)
    ]
    size = registers[1] if len(registers) > 1 else -1
    state.streams[-1].is_content = True
    state.assembler.add(Op.EXPAND, number, int(not field.defers), registers[0], size, comment=field.id)
    state.after_expansion()
