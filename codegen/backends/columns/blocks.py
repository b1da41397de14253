"""Lowers bytes and text, and sub-streams, including those whose bytes are a compressed block."""

from __future__ import annotations

from wireloom.format.program import Code, Expansion, Op

from ...expression.nodes import Binary, IntegerLiteral, Node
from ...expression.types import BytesType, StringType
from ...tree import Attribute
from ...tree.leaves import EndOfStreamSize, ExpressionSize, Process, TerminatedSize, WithinSize
from .encodings import encoding_of
from .engine_limits import WIDEST_NEED
from .expression import LONGEST_LITERAL
from .interval import BOOLEAN, Interval
from .lowering_context import LoweringContext
from .presence import must_be_located
from .refusal import NotForEngineError
from .stack_code import Order, StackCode, constant, joined
from .symbols import ObjectScope, Span, Stream
from .valid import refusal_of, span_checks

CONTAINS, OPEN, REFUSES = 1, 2, 4
"""What happens to damage in a sub-stream, and whether it is entered if the input ends in it, as the operand of
``Op.LIMIT_REGISTER``."""


def enter(
    context: LoweringContext,
    scope: ObjectScope,
    field: Attribute,
    *,
    contains_damage: bool = False,
    opens_cut: bool = False,
) -> None:
    """Enter the sub-stream of a user type with a size. ``contains_damage``: rows that are lost cost only the rest of
    it. ``opens_cut``: complete rows in it count if the input ends there."""
    context.run.flush()
    opened = OPEN if opens_cut and field.process is None else 0
    confined = CONTAINS | opened if contains_damage else REFUSES if field.contains_content_errors else 0
    if confined == REFUSES and scope.has_passed_rows and not isinstance(field.size, WithinSize):
        confined = CONTAINS  # It costs no rows.
    if isinstance(field.size, WithinSize):
        span = span_within(context, scope, field.size)
        begin = -1 if confined == REFUSES else max(scope.begin, 0)
        context.assembler.add(Op.LIMIT_SPAN, span, confined, begin, comment=field.id)
        context.streams.append(Stream())
        return
    size = context.fixed_size(scope, field)
    if field.is_cut:
        if field.process is not None:
            raise NotForEngineError(f'"{field.id}" is {field.process.words} and has padding or a terminator')
        span = Span(field.id)
        find(context, scope, field, span, size)
        context.assembler.add(Op.LIMIT_SPAN, span, confined, -1, comment=field.id)
    elif size is not None:
        context.assembler.add(Op.LIMIT_FIXED, 0, confined, size, comment=field.id)
    elif isinstance(field.size, ExpressionSize):
        register, addend = context.size(scope, field.size, field.id)
        context.assembler.add(Op.LIMIT_REGISTER, register, confined, addend, comment=field.id)
    elif not (isinstance(field.size, EndOfStreamSize) and context.bounded):
        raise NotForEngineError(f'"{field.id}" reaches to the end of the input')
    else:
        context.assembler.add(Op.LIMIT_FIXED, 1, confined, comment=field.id)
    context.streams.append(Stream())


def find(context: LoweringContext, scope: ObjectScope, field: Attribute, span: Span, size: int | None) -> None:
    """Append the steps that locate the bytes of a value."""
    add, name, terminator = context.assembler.add, field.id, field.terminator
    if terminator is not None and len(terminator.value) != 1:
        raise NotForEngineError(f'the terminator of "{name}" has several bytes')
    if isinstance(field.size, TerminatedSize) and terminator is not None:
        if not terminator.eos_error and not context.bounded:
            raise NotForEngineError(f'"{name}" may reach to the end of the input')
        flags = terminator.include | terminator.consume << 1 | terminator.eos_error << 2
        add(Op.BYTES_TERMINATED, span, terminator.value[0], flags, comment=name)
        return
    if isinstance(field.size, WithinSize):
        enter(context, scope, field)
        add(Op.BYTES_REST, span, comment=name)
        leave(context, field)
    elif size is not None:
        add(Op.BYTES_FIXED, span, 0, size, comment=name)
    elif isinstance(field.size, ExpressionSize):
        register, addend = context.size(scope, field.size, name)
        add(Op.BYTES_REGISTER, span, register, addend, comment=name)
    elif isinstance(field.size, EndOfStreamSize) and context.bounded:
        add(Op.BYTES_REST, span, comment=name)
    else:
        raise NotForEngineError(f'"{name}" reaches to the end of the input')
    if field.stripped is not None:
        add(Op.TRIM_RIGHT, span, 0, field.stripped, comment=name)
    if terminator is not None:
        add(Op.CUT_TERMINATOR, span, int(terminator.include), terminator.value[0], comment=name)


def span_within(context: LoweringContext, scope: ObjectScope, size: WithinSize) -> Span:
    """Return the span that contains a value."""
    compiler = context.compiler(scope)
    span = compiler.resolve(size.expression)
    if not isinstance(span, Span):
        raise NotForEngineError("a value is inside bytes that are not an attribute")
    must_be_located(span)
    compiler.must_be_present(span)
    return span


def leave(context: LoweringContext, field: Attribute) -> None:
    """Leave the sub-stream; bytes that its fields did not read are skipped."""
    context.assembler.add(Op.LIMIT_END, comment=field.id)
    context.streams.pop()


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


def expand(context: LoweringContext, scope: ObjectScope, field: Attribute) -> None:
    """Append the step that decompresses the sub-stream of a field that has just been entered, if it is compressed.
    Checksums of the compressed bytes are verified before it, those of the content after it."""
    process = field.process
    if process is None:
        return
    context.before_expansion()
    number = len(context.assembler.expansions)
    if process.codecs:
        context.assembler.expansions.append(Expansion(process.codecs, process.most))
    else:
        context.assembler.expansions.append(Expansion((process.name,), process.most, is_process=True))
    compiled = [context.compiler(scope).compile(each) for each in _chosen(field, process)]
    names = ("codec of", "size of the content of")
    registers = [
        context.assembler.temporary(each, f"{name} {field.id}") for each, name in zip(compiled, names, strict=False)
    ]
    size = registers[1] if len(registers) > 1 else -1
    context.streams[-1].is_content = True
    context.assembler.add(
        Op.EXPAND, number, int(not field.contains_process_errors), registers[0], size, comment=field.id
    )
    context.after_expansion()


def lower_bytes(context: LoweringContext, scope: ObjectScope, field: Attribute, kind: BytesType | StringType) -> None:
    """Append the steps of bytes or text, with their ``contents``, padding, terminator and encoding."""
    column = context.column(scope, field.id)
    size = context.fixed_size(scope, field)
    text = isinstance(kind, StringType)
    is_block = field.process is not None
    span = Span(field.id, context.path_conditions, None if field.is_cut or is_block else size, text)
    # Bytes that are not ASCII are replaced one by one.
    span.encoding = encoding_of(kind.encoding) if isinstance(kind, StringType) else None
    span.single = span.encoding is not None and span.encoding.number in (1, 4)
    scope.members[field.id] = span
    context.created.append(span)
    if size is not None and size < 0:
        raise NotForEngineError(f'"{field.id}" has a negative size')
    if size is not None and not _needs_span(context, scope, field):
        span.located = False
        _skip(context, scope, field, size)
        return
    context.run.flush()
    if is_block:
        _find_content(context, scope, field, span)
    else:
        find(context, scope, field, span, size)
    if isinstance(kind, StringType):
        if span.encoding is None:
            raise NotForEngineError(f'the engine does not support the encoding {kind.encoding} of "{field.id}"')
        context.assembler.check_text(span, span.encoding, field.id)
    if any(each.rule != "contents" for each in field.checks):
        for condition in span_checks(field, span, context.compiler(scope)):
            comment = f"valid {field.id}"
            register = context.assembler.temporary(condition, comment)
            context.assembler.add(Op.CHECK_TRUE, register, refusal_of(field), comment=comment)
    if field.contents is not None:
        _check_contents(context, field, span, field.contents)
    if column is not None:
        context.assembler.column_bytes(column.number, span, field.id)


def _check_contents(context: LoweringContext, field: Attribute, span: Span, contents: bytes) -> None:
    """Append the check of fixed contents that are located by a separate step."""
    if len(contents) > LONGEST_LITERAL:
        raise NotForEngineError(f'"{field.id}" has contents of more than {LONGEST_LITERAL} bytes and is a column')
    order = StackCode((Order(span, contents),), Interval(-1, 1))
    same = context.assembler.temporary(joined((order, constant(0)), Code.EQUAL, BOOLEAN), f"contents of {field.id}?")
    context.assembler.add(Op.CHECK_TRUE, same, refusal_of(field), comment=field.id)


def _needs_span(context: LoweringContext, scope: ObjectScope, field: Attribute) -> bool:
    """Return whether bytes or text of a fixed size are located by a separate step, outside the run of fields."""
    if not isinstance(field.type, BytesType | StringType):
        return False
    if isinstance(field.type, StringType) or field.is_cut or context.column(scope, field.id) is not None:
        return True
    if scope.json is not None and scope.json.shows(field):
        return True
    columns = context.columns.columns
    is_of_parent = any((each.column.up or each.column.parent) and each.column.field is field for each in columns)
    shown = is_of_parent or field.id in context.used.bytes
    checked = any(each.rule != "contents" for each in field.checks)
    return shown or checked or field.is_checksum or field.process is not None or _is_inner_sum(scope, field)


def _is_inner_sum(scope: ObjectScope, field: Attribute) -> bool:
    """Return whether the field may be a checksum of bytes of an enclosing object."""
    holder = scope.parent
    while holder is not None:
        if any(each.path[-1] == field.id for each in holder.struct.inner_checksums):
            return True
        holder = holder.parent
    return False


def _skip(context: LoweringContext, scope: ObjectScope, field: Attribute, size: int) -> None:
    """Skip a known number of bytes that no column shows, as part of the run."""
    offset = context.run.skip(field.id, size)
    contents = field.contents
    if contents is not None:
        if offset < 0:
            raise NotForEngineError(f'"{field.id}" has contents of more than {WIDEST_NEED} bytes')
        refusal = refusal_of(field)
        context.run.then(lambda: context.assembler.check_constant(contents, offset, refusal, field.id))


def _find_content(context: LoweringContext, scope: ObjectScope, field: Attribute, span: Span) -> None:
    """Append the steps that decompress the bytes of the value."""
    # If that fails the value has no bytes.
    context.assembler.add(Op.BYTES_FIXED, span, 0, 0, comment=field.id)
    enter(context, scope, field)
    expand(context, scope, field)
    context.assembler.add(Op.BYTES_REST, span, comment=f"content of {field.id}")
    leave(context, field)
