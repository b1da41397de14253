"""Bytes and text of a row as steps."""

from __future__ import annotations

from wireloom.format.program import Op

from ...expression.types import BytesType, StringType
from ...model.model import Attribute, EndOfStreamSize, ExpressionSize, TerminatedSize
from .assembler import Refusal
from .loadable import WIDEST_NEED
from .refusal import NotForEngineError
from .scope import Scope, Span
from .state import State
from .valid import reason_of

TEXT_ENCODINGS = {"UTF-8": 0, "ASCII": 1, "US-ASCII": 1}
"""Encodings that the engine checks, and the operand of ``CHECK_UTF8``."""


def lower_bytes(state: State, scope: Scope, attribute: Attribute, kind: BytesType | StringType) -> None:
    """Bytes or text, with its ``contents``, padding, terminator and encoding."""
    column = state.column(scope, attribute.id)
    size = state.fixed_size(scope, attribute)
    text = isinstance(kind, StringType)
    if attribute.valid is not None:
        raise NotForEngineError(f'"{attribute.id}" is bytes or text with "valid"')
    span = Span(attribute.id, state.facts, None if _is_cut(attribute) else size, text)
    scope.members[attribute.id] = span
    if attribute.contents is not None and column is not None:
        raise NotForEngineError(f'"{attribute.id}" has fixed contents and is a column')
    if size is not None and size < 0:
        raise NotForEngineError(f'"{attribute.id}" has a negative size')
    if size is not None and not _needs_span(state, scope, attribute):
        _skip(state, scope, attribute, size)
        return
    state.run.flush()
    _find(state, scope, attribute, span, size)
    if isinstance(kind, StringType):
        encoding = TEXT_ENCODINGS.get(kind.encoding or "")
        if encoding is None:
            raise NotForEngineError(f'the encoding {kind.encoding} of "{attribute.id}" is not in the engine')
        state.assembler.add(Op.CHECK_UTF8, span, 0, encoding, comment=attribute.id)
    if column is not None:
        state.assembler.add(Op.COLUMN_BYTES, column[0], span, comment=attribute.id)


def _is_cut(attribute: Attribute) -> bool:
    """Whether the value may have fewer bytes than it takes on the wire."""
    return attribute.terminator is not None or attribute.pad_right is not None


def _needs_span(state: State, scope: Scope, attribute: Attribute) -> bool:
    """Whether bytes or text of a fixed size are found by a step of their own, outside of the run's fields."""
    if not isinstance(attribute.type, BytesType | StringType):
        return False
    shown = state.column(scope, attribute.id) is not None
    return shown or _is_cut(attribute) or isinstance(attribute.type, StringType)


def _skip(state: State, scope: Scope, attribute: Attribute, size: int) -> None:
    """Bytes of a known number that no column shows are part of the run."""
    offset = state.run.skip(attribute.id, size)
    contents = attribute.contents
    if contents is not None:
        if offset < 0:
            raise NotForEngineError(f'"{attribute.id}" has contents of more than {WIDEST_NEED} bytes')
        refusal = Refusal(attribute.frames_layout, reason_of(state.spec, scope.struct, attribute))
        state.run.then(lambda: state.assembler.check_constant(contents, offset, refusal, attribute.id))


def _find(state: State, scope: Scope, attribute: Attribute, span: Span, size: int | None) -> None:
    """Appends the steps that find where the value's bytes are."""
    add, name, terminator = state.assembler.add, attribute.id, attribute.terminator
    if terminator is not None and len(terminator.value) != 1:
        raise NotForEngineError(f'the terminator of "{name}" has several bytes')
    if isinstance(attribute.size, TerminatedSize) and terminator is not None:
        if not terminator.eos_error and not state.bounded:
            raise NotForEngineError(f'"{name}" may reach to the end of the input')
        flags = terminator.include | terminator.consume << 1 | terminator.eos_error << 2
        add(Op.BYTES_TERMINATED, span, terminator.value[0], flags, comment=name)
        return
    if size is not None:
        add(Op.BYTES_FIXED, span, 0, size, comment=name)
    elif isinstance(attribute.size, ExpressionSize):
        register, addend = state.size(scope, attribute.size, name)
        add(Op.BYTES_REGISTER, span, register, addend, comment=name)
    elif isinstance(attribute.size, EndOfStreamSize) and state.bounded:
        add(Op.BYTES_REST, span, comment=name)
    else:
        raise NotForEngineError(f'"{name}" reaches to the end of the input')
    if attribute.stripped is not None:
        add(Op.TRIM_RIGHT, span, 0, attribute.stripped, comment=name)
    if terminator is not None:
        add(Op.CUT_TERMINATOR, span, int(terminator.include), terminator.value[0], comment=name)
