"""The tree of a spec as text: the output of ``wireloom check --plan``."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.checksums import algorithm
from wireloom.format.stuffings import Stuffing

from ..expression.types import BytesType, EnumType, FloatType, IntegerType, UserType
from ..expression.unparsing import spec_text
from ..tree import Attribute, Check, Fill, Instance, Run, Spec, Step, StoredChecksum, Struct
from ..tree.leaves import (
    ComputedEndian,
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    MessageField,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    TerminatedSize,
    WithinSize,
)
from .descriptions import hexadecimal, type_of

SIGNS = {"equal": "=", "at least": ">=", "at most": "<="}


def printed(spec: Spec) -> str:
    """Return the types of a spec as indented lines: what reads each, and what a writer fills in.

    >>> from wireloom.codegen.model.load import load
    >>> from wireloom.codegen.passes import with_facts
    >>> text = "meta: {id: a, endian: be}\\nseq: [{id: n, type: u2}, {id: data, size: n - 2}]"
    >>> print(printed(with_facts(load("a.ksy", text=text))), end="")
    a: at least 2 bytes, buffered
      read
        n: u2be
        data: n - 2 bytes
      write
        n = data.size + 2
    """
    return "".join(f"{line}\n" for each in spec.structs for line in _type(spec, each))


def _type(spec: Spec, type: Struct) -> Iterator[str]:
    yield f"{'::'.join(type.path)}: {', '.join(_facts(type))}"
    yield from _section("read", [line for step in type.steps for line in _step(spec, type, step)])
    yield from _section(
        "fields, in any order", [_member(each, rule) for each in type.attributes if (rule := each.message) is not None]
    )
    yield from _section("verify", [_cover(each) for each in type.verified])
    yield from _section("compute", [_instance(each) for each in type.instances])
    if type.read_only is not None:
        why = type.read_only
        other = f"'{why.checksum}' is bits" if why.checksum else f"'{why.instance}' has an explicit position"
        yield from _section("write", [f"not possible: {each}" for each in why.unsolved or (other,)])
    else:
        yield from _section("write", [_fill(each) for each in type.fills])


def _facts(type: Struct) -> Iterator[str]:
    if type.message is not None:
        yield "a protobuf message"
        return
    size = "1 byte" if type.least == 1 else f"{type.least} bytes"
    yield size if type.fixed_size else f"at least {size}"
    if isinstance(type.endian, ComputedEndian):
        yield f"byte order by {spec_text(type.endian.on)}"
    elif type.endian is not None:
        yield "byte order of the enclosing type"
    if type.parameters:
        yield f"parameters {', '.join(each.id for each in type.parameters)}"
    if type.fills_stream:
        yield "bytes after it refused (length)"
    if type.buffered:
        yield "buffered"
    if type.recursive:
        yield "recursive"


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"  {title}"
        yield from (f"    {line}" for line in lines)


# Reading ------------------------------------------------------------------------------------------------------------


def _step(spec: Spec, type: Struct, step: Step) -> Iterator[str]:
    if isinstance(step, Run):
        if len(step.attributes) == 1:
            yield _field(step.attributes[0], "")
            return
        yield f"{step.size} bytes at once"
        for offset, field in zip(step.offsets, step.attributes, strict=False):
            yield f"  +{offset} {_field(field, '')}"
        return
    yield f"{_field(step, _often(step))}{_of_rows(spec, type, step)}"
    switch = step.switch
    if switch is not None:
        for matches, field in switch.branches:
            yield f"  {', '.join(map(spec_text, matches))}: {_what(field)}"
        yield f"  otherwise: {_what(switch.otherwise) if switch.otherwise is not None else 'nothing'}"


def _of_rows(spec: Spec, type: Struct, field: Attribute) -> str:
    """Return the relation of a field to the rows of the table."""
    found = []
    for rows in spec.tables:
        paths = [[step[:2] for step in path] for path in rows.row_paths] or [[(spec.top(rows).path, rows.attribute)]]
        of, here = f" of {rows.name}" if rows.name else "", (type.path, field.id)
        if any(here in path for path in paths):
            is_row = any(path[-1] == here for path in paths)
            found.append(f", the rows{of}" if is_row else f", with the rows{of} inside")
    return "".join(found)


def _field(field: Attribute, often: str) -> str:
    parts = [f"{_what(field)}{often}", *(_check(each) for each in field.checks)]
    text = f"{field.id}: {', '.join(parts)}"
    if field.checks:
        lost = "the rest cannot be read" if field.determines_layout else "rejected"
        text += f", else {lost} ({field.reason})"
    return text


def _often(field: Attribute) -> str:
    return _repetition(field) + (f", if {spec_text(field.condition)}" if field.condition is not None else "")


def _repetition(field: Attribute) -> str:
    buffered = ", buffered" if field.buffered else ", unpacked at once" if field.at_once else ""
    framing = ""
    if field.framing is not None:
        stuffed = "" if field.framing.stuffing == Stuffing.NONE else f", {field.framing.stuffing} stuffing removed"
        framing = f", between delimiters {hexadecimal(field.framing.delimiter)}{stuffed}"
    match field.repeat:
        case RepeatEos():
            return f", repeated to the end{framing}{buffered}"
        case RepeatCount(expression):
            return f", {spec_text(expression)} times{buffered}"
        case RepeatUntil(expression):
            return f", repeated until {spec_text(expression)}{buffered}"
    return ""


def _what(field: Attribute) -> str:
    if field.switch is not None:
        return f"switch on {spec_text(field.switch.on)}"
    parts = [_kind(field), _size(field)]
    if field.stripped is not None:
        parts.append(f"without {field.stripped:02X} at the end")
    if field.terminator is not None and not isinstance(field.size, TerminatedSize):
        parts.append(f"truncated at {hexadecimal(field.terminator.value)}")
    if field.process is not None:
        parts.append(f"{field.process.name} decompressed" if field.process.codecs else f"{field.process.name} decoded")
    return ", ".join(each for each in parts if each)


def _kind(field: Attribute) -> str:
    """Return the type of a value; empty for bytes, since their size is enough."""
    return "" if isinstance(field.type, BytesType) else type_of(field.type)


def _size(field: Attribute) -> str:
    own = isinstance(field.type, IntegerType | FloatType | EnumType)
    match field.size:
        case FixedSize(size) if not own:
            return f"{size} bytes"
        case ExpressionSize(expression):
            return f"{spec_text(expression)} bytes"
        case EndOfStreamSize():
            return "to the end"
        case WithinSize(expression):
            return f"in {spec_text(expression)}"
        case TerminatedSize() if field.terminator is not None:
            return f"up to {hexadecimal(field.terminator.value)}"
    return ""


def _member(field: Attribute, rule: MessageField) -> str:
    kind = field.type.path[-1] if isinstance(field.type, UserType | EnumType) else rule.kind
    if rule.key is not None:
        return f"{rule.number} {field.id}: map<{rule.key}, {kind}>"
    return f"{rule.number} {field.id}: {'' if rule.label == 'implicit' else f'{rule.label} '}{kind}"


def _check(check: Check) -> str:
    operands = ", ".join(map(spec_text, check.operands))
    match check.rule:
        case "contents":
            return f"= {hexadecimal(check.contents)}"
        case "one of":
            return f"one of {operands}"
        case "in enum":
            return "one of its labels"
        case "holds":
            return operands
    return f"{SIGNS[check.rule]} {operands}"


def _cover(cover: StoredChecksum) -> str:
    conditions = (cover.attribute.condition, cover.condition)
    condition = "".join(f", if {spec_text(each)}" for each in conditions if each is not None)
    reason = "digest" if cover.made_by.is_digest else "checksum"
    return f"{'.'.join(cover.path)} = {_checksum(cover)}{condition}, else rejected ({reason})"


def _checksum(cover: StoredChecksum) -> str:
    extent = cover.first if cover.first == cover.last else f"{cover.first} … {cover.last}"
    if cover.content:
        extent = f"the content of {extent}"
    parts = [extent]
    if cover.blanks_own and cover.replace is not None:
        parts.append(f"own bytes as {cover.replace:02X}")
    if cover.algorithm and cover.made_by != algorithm(cover.algorithm):
        parts.append(f"initial {cover.initial:#x}, final xor {cover.final_xor:#x}")
    if cover.continues is not None:
        parts.append(f"continues {spec_text(cover.continues)}")
    if cover.extra is not None:
        parts.append(f"extra {spec_text(cover.extra)}")
    text = f"{cover.named}({', '.join(parts)})"
    if cover.endian:
        text += f" {cover.endian}"
    return text if cover.stored is None else f"{spec_text(cover.stored)}, _ = {text}"


def _instance(instance: Instance) -> str:
    if instance.value is not None:
        text = f"{instance.id} = {spec_text(instance.value)}"
    elif instance.attribute is not None:
        place = f" at {spec_text(instance.pos)}" if instance.pos is not None else ""
        stream = f" of {spec_text(instance.io)}" if instance.io is not None else ""
        text = f"{_field(instance.attribute, _repetition(instance.attribute))}{place}{stream}"
    return text + (f", if {spec_text(instance.condition)}" if instance.condition is not None else "")


# Writing ------------------------------------------------------------------------------------------------------------


def _fill(fill: Fill) -> str:
    if fill.checksum is not None:
        when = "" if fill.how == "checksum before" else ", after that is written"
        return f"{fill.id} = {_checksum(fill.checksum)}{when}"
    if fill.how == "made":
        return f"{fill.id}, unless given"
    if fill.value is None:
        return f"{fill.id} = {hexadecimal(fill.contents)}"
    return f"{fill.id} = {spec_text(fill.value)}{', unless given' if fill.how == 'unless given' else ''}"
