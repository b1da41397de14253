"""Lowers bytes and text of a row to steps."""

from __future__ import annotations

from wireloom.format.program import Code, Op

from ...expression.types import BytesType, StringType
from ...tree import Attribute
from .blocks import enter, expand, find, leave
from .compiled import Compiled, Order, constant, joined
from .encodings import encoding_of
from .expression import LONGEST_LITERAL
from .interval import BOOLEAN, Interval
from .loadable import WIDEST_NEED
from .refusal import NotForEngineError
from .scope import Scope, Span
from .state import State
from .valid import refusal_of, span_checks


def lower_bytes(state: State, scope: Scope, field: Attribute, kind: BytesType | StringType) -> None:
    """Append the steps of bytes or text, with their ``contents``, padding, terminator and encoding."""
    column = state.column(scope, field.id)
    size = state.fixed_size(scope, field)
    text = isinstance(kind, StringType)
    is_block = field.process is not None
    span = Span(field.id, state.facts, None if field.is_cut or is_block else size, text)
    # Bytes that are not ASCII are replaced one by one.
    span.encoding = encoding_of(kind.encoding) if isinstance(kind, StringType) else None
    span.single = span.encoding is not None and span.encoding.number in (1, 4)
    scope.members[field.id] = span
    state.created.append(span)
    if size is not None and size < 0:
        raise NotForEngineError(f'"{field.id}" has a negative size')
    if size is not None and not _needs_span(state, scope, field):
        span.found = False
        _skip(state, scope, field, size)
        return
    state.run.flush()
    if is_block:
        _find_content(state, scope, field, span)
    else:
        find(state, scope, field, span, size)
    if isinstance(kind, StringType):
        if span.encoding is None:
            raise NotForEngineError(f'the engine does not support the encoding {kind.encoding} of "{field.id}"')
        state.assembler.text(span, span.encoding, field.id)
    if any(each.rule != "contents" for each in field.checks):
        for condition in span_checks(field, span, state.compiler(scope)):
            comment = f"valid {field.id}"
            held = state.assembler.temporary(condition, comment)
            state.assembler.add(Op.CHECK_TRUE, held, refusal_of(field), comment=comment)
    if field.contents is not None:
        _check_contents(state, field, span, field.contents)
    if column is not None:
        state.assembler.column_bytes(column.number, span, field.id)


def _check_contents(state: State, field: Attribute, span: Span, contents: bytes) -> None:
    """Append the check of fixed contents that are located by a separate step."""
    if len(contents) > LONGEST_LITERAL:
        raise NotForEngineError(f'"{field.id}" has contents of more than {LONGEST_LITERAL} bytes and is a column')
    order = Compiled((Order(span, contents),), Interval(-1, 1))
    same = state.assembler.temporary(joined((order, constant(0)), Code.EQUAL, BOOLEAN), f"contents of {field.id}?")
    state.assembler.add(Op.CHECK_TRUE, same, refusal_of(field), comment=field.id)


def _needs_span(state: State, scope: Scope, field: Attribute) -> bool:
    """Return whether bytes or text of a fixed size are located by a separate step, outside the run of fields."""
    if not isinstance(field.type, BytesType | StringType):
        return False
    around = any(each.column.up and each.column.field is field for each in state.columns.columns)
    asked = state.asked_bytes is not None and field.id in state.asked_bytes
    shown = asked or around or state.column(scope, field.id) is not None
    checked = any(each.rule != "contents" for each in field.checks)
    ruled = checked or field.is_checksum or field.process is not None or _is_inner_sum(scope, field)
    return shown or field.is_cut or ruled or isinstance(field.type, StringType)


def _is_inner_sum(scope: Scope, field: Attribute) -> bool:
    """Return whether the field may be a checksum of bytes of an enclosing object."""
    holder = scope.parent
    while holder is not None:
        if any(each.way[-1] == field.id for each in holder.struct.inner_checksums):
            return True
        holder = holder.parent
    return False


def _skip(state: State, scope: Scope, field: Attribute, size: int) -> None:
    """Skip a known number of bytes that no column shows, as part of the run."""
    offset = state.run.skip(field.id, size)
    contents = field.contents
    if contents is not None:
        if offset < 0:
            raise NotForEngineError(f'"{field.id}" has contents of more than {WIDEST_NEED} bytes')
        refusal = refusal_of(field)
        state.run.then(lambda: state.assembler.check_constant(contents, offset, refusal, field.id))


def _find_content(state: State, scope: Scope, field: Attribute, span: Span) -> None:
    """Append the steps that decompress the bytes of the value."""
    # If that fails the value has no bytes.
    state.assembler.add(Op.BYTES_FIXED, span, 0, 0, comment=field.id)
    enter(state, scope, field)
    expand(state, scope, field)
    state.assembler.add(Op.BYTES_REST, span, comment=f"content of {field.id}")
    leave(state, field)
