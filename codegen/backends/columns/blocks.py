"""Sub-streams, and those whose bytes are a compressed block."""

from __future__ import annotations

from wireloom.format.program import Expansion, Op

from ...plan import Field
from ...wire import EndOfStreamSize, ExpressionSize
from .refusal import NotForEngineError
from .scope import Scope, Span
from .state import State


def enter(state: State, scope: Scope, field: Field, *, contains: bool = False) -> None:
    """Enter the sub-stream of a sized user type. ``contains``: damage inside of it ends with it."""
    state.run.flush()
    is_block = field.process is not None
    if contains and isinstance(field.size, EndOfStreamSize) and not (state.contained or is_block):
        raise NotForEngineError(f'"{field.id}", with rows inside, reaches to the end of its stream')
    if contains and isinstance(field.size, EndOfStreamSize) and scope.struct.covers and not is_block:
        # Damage inside would end with the stream around it, and pass by the checksums there.
        raise NotForEngineError(f'"{field.id}", with rows inside, has no size, and stands beside a checksum')
    state.contained = contains
    size = state.fixed_size(scope, field)
    if size is not None:
        state.assembler.add(Op.LIMIT_FIXED, 0, int(contains), size, comment=field.id)
    elif isinstance(field.size, ExpressionSize):
        register, addend = state.size(scope, field.size, field.id)
        state.assembler.add(Op.LIMIT_REGISTER, register, int(contains), addend, comment=field.id)
    elif not (isinstance(field.size, EndOfStreamSize) and state.bounded):
        raise NotForEngineError(f'"{field.id}" reaches to the end of the input')
    elif is_block:
        state.assembler.add(Op.LIMIT_FIXED, 1, int(contains), comment=field.id)


def leave(state: State, field: Field) -> None:
    """Leave it: what its fields did not take is passed over."""
    if isinstance(field.size, EndOfStreamSize) and field.process is None:
        state.assembler.add(Op.BYTES_REST, Span(field.id), comment=f"rest of {field.id}")
    else:
        state.assembler.add(Op.LIMIT_END, comment=field.id)


def expand(state: State, scope: Scope, field: Field) -> None:
    """Append the step that decompresses the sub-stream of a field that has just been entered, if it is compressed. The
    checksums of its bytes are verified before."""
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
    state.assembler.add(Op.EXPAND, number, int(not field.defers), registers[0], size, comment=field.id)
