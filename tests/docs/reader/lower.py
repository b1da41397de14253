"""From the plan of a spec to the functions that the template prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wireloom.codegen.backends.base import refusal, refuse
from wireloom.codegen.encodings import python_codec
from wireloom.codegen.expression import nodes as ast
from wireloom.codegen.expression.fold import fold
from wireloom.codegen.expression.types import BytesType, EnumType, FloatType, IntegerType, Path, StringType, UserType
from wireloom.codegen.tree import Attribute, Run, Spec, StoredChecksum, Struct
from wireloom.codegen.tree.leaves import (
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    OwnSize,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    TerminatedSize,
)

CODES = {1: "b", 2: "h", 4: "i", 8: "q"}
CHECKS = {"equal": "==", "at least": ">=", "at most": "<="}


@dataclass(frozen=True)
class Function:
    """The function of a type: its name, and its statements."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class View:
    """The data that the template prints."""

    title: str
    root: str
    functions: tuple[Function, ...]


def lower(plan: Spec) -> View:
    """Return the view of a spec. Raises ``SpecError`` for what such dictionaries cannot represent."""
    functions = tuple(Function(name(each.path), tuple(Lowering(plan, each).lines())) for each in plan.structs)
    return View(plan.title, name(plan.root.path), functions)


def name(path: Path) -> str:
    return "_".join(("read", *path))


@dataclass(frozen=True)
class Lowering:
    """The statements of one type."""

    plan: Spec
    type: Struct

    def lines(self) -> Iterator[str]:
        if self.type.endian is not None or self.type.parameters:
            refuse(self.type.position, "a computed byte order and parameters have no form here")
        for step in self.type.steps:
            yield from self.run(step) if isinstance(step, Run) else self.field(step)
        for cover in self.type.checksums:
            yield from self.cover(cover)
        for each in self.type.instances:
            if each.value is None:
                refuse(each.position, "what has a position of its own has no form here")
            yield f"self[{each.id!r}] = {self.text(each.value)}"

    def run(self, run: Run) -> Iterator[str]:
        yield f"raw, at = take(data, at, {run.size}, end)"
        for piece in run.pieces:
            codes = "".join(map(code, piece.attributes))
            targets = "".join(f"self[{each.id!r}], " for each in piece.attributes)
            order = ">" if piece.endian == "be" else "<"
            yield f"{targets}= struct.unpack_from({order + codes!r}, raw, {piece.offset - run.pieces[0].offset})"
        for field in run.attributes:
            if isinstance(field.type, StringType):
                yield f"self[{field.id!r}] = self[{field.id!r}].decode({codec(field.type)!r})"
            yield from self.checks(field, f"self[{field.id!r}]")

    def field(self, field: Attribute) -> Iterator[str]:
        target = f"self[{field.id!r}]"
        lines: list[str]
        if field.repeat is None:
            lines = [*self.value(field), *self.checks(field, "it"), f"{target} = it"]
        else:
            head, after = self.loop(field)
            item = [*self.value(field), *self.checks(field, "it"), f"{target}.append(it)", *after]
            lines = [f"{target} = []", head, *(f"    {each}" for each in item)]
        if field.condition is None:
            yield from lines
            return
        yield f"if {self.text(field.condition)}:"
        yield from (f"    {each}" for each in lines)

    def loop(self, field: Attribute) -> tuple[str, list[str]]:
        match field.repeat:
            case RepeatCount(expression):
                return f"for index in range({self.text(expression)}):", []
            case RepeatUntil(expression):
                return "while True:", [f"if {self.text(expression)}:", "    break"]
            case RepeatEos() if field.framing is None:
                return "while at < end:", []
        raise refusal(field.position, "framing has no form here")

    def value(self, field: Attribute) -> Iterator[str]:
        """Yield the statements that read ``it``."""
        if field.process is not None or field.arguments:
            refuse(field.position, "processes and arguments have no form here")
        if field.switch is not None:
            yield f"on = {self.text(field.switch.on)}"
            word = "if"
            for matches, form in field.switch.branches:
                yield f"{word} on in ({''.join(f'{self.text(each)}, ' for each in matches)}):"
                yield from (f"    {each}" for each in self.value(form))
                word = "elif"
            yield "else:"
            other = ["it = None"] if field.switch.otherwise is None else self.value(field.switch.otherwise)
            yield from (f"    {each}" for each in other)
            return
        base = field.type.base if isinstance(field.type, EnumType) else field.type
        match base, field.size:
            case IntegerType() | FloatType(), _:
                yield f"raw, at = take(data, at, {base.size}, end)"
                yield f"(it,) = struct.unpack({('>' if base.endian == 'be' else '<') + code(field)!r}, raw)"
            case UserType(path), OwnSize():
                yield f"it, at = {name(path)}(data, at, end, self, root)"
            case _, TerminatedSize() if field.terminator is not None:
                end = field.terminator
                yield f"it, at = until(data, at, end, {end.value!r}, {end.include}, {end.consume})"
            case _, FixedSize() | ExpressionSize() | EndOfStreamSize() if not field.is_cut:
                yield f"it, at = take(data, at, {self.size(field)}, end)"
            case _:
                refuse(field.position, f"'{field.id}' has no form here")
        if isinstance(base, UserType) and not isinstance(field.size, OwnSize):
            yield f"it, _ = {name(base.path)}(it, 0, len(it), self, root)"
        if isinstance(base, StringType):
            yield f"it = it.decode({codec(base)!r})"

    def size(self, field: Attribute) -> str:
        match field.size:
            case FixedSize(size):
                return str(size)
            case ExpressionSize(expression):
                return self.text(expression)
        return "end - at"

    def checks(self, field: Attribute, value: str) -> Iterator[str]:
        for check in field.checks:
            texts = [self.text(each, value) for each in check.operands]
            match check.rule:
                case "contents":
                    holds = f"{value} == {check.contents!r}"
                case "one of":
                    holds = f"{value} in ({', '.join(texts)},)"
                case "in enum" if isinstance(field.type, EnumType):
                    holds = f"{value} in {[each.value for each in self.plan.enum(field.type.path).labels]}"
                case "holds":
                    holds = texts[0]
                case rule:
                    holds = f"{value} {CHECKS[rule]} {texts[0]}"
            yield f"if not ({holds}):"
            yield f"    raise Refused({field.reason!r}, {field.key_path!r})"

    def cover(self, cover: StoredChecksum) -> Iterator[str]:
        if cover.algorithm != "crc32c" or cover.value is None or cover.attribute.condition is not None:
            refuse(cover.attribute.position, "only CRC-32C of one field has a form here")
        yield f"if self[{cover.attribute.id!r}] != crc32c(self[{cover.value!r}]):"
        yield f"    raise Refused('checksum', {cover.attribute.key_path!r})"

    def text(self, node: ast.Node, it: str = "it") -> str:
        """Return an expression in Python."""
        return self._text(fold(node), it)

    def _text(self, node: ast.Node, it: str) -> str:
        match node:
            case ast.IntegerLiteral(value) | ast.BooleanLiteral(value) | ast.StringLiteral(value):
                return repr(value)
            case ast.Name("_"):
                return it
            case ast.Name("_parent" | "_root" | "_index" as found):
                return found[1:]
            case ast.Name(id):
                instance = self.type.instance(id)
                known = instance is None or instance.value is None
                return f"self[{id!r}]" if known else self._text(instance.value, it)  # type: ignore[union-attr, arg-type]
            case ast.EnumMember(_, label) if isinstance(node.type, EnumType):
                return str(next(each.value for each in self.plan.enum(node.type.path).labels if each.label == label))
            case ast.MemberAccess(value, found) if isinstance(value.type, UserType):
                return f"{self._text(value, it)}[{found!r}]"
            case ast.MemberAccess(value, "size" | "length"):
                return f"len({self._text(value, it)})"
            case ast.MemberAccess(value, "to_i") if isinstance(value.type, EnumType):
                return self._text(value, it)
            case ast.Unary(operator, operand):
                return f"({operator} {self._text(operand, it)})"
            case (
                ast.Binary(operator, left, right)
                | ast.Comparison(operator, left, right)
                | ast.Logical(operator, left, right)
            ):
                sign = "//" if operator == "/" else operator
                return f"({self._text(left, it)} {sign} {self._text(right, it)})"
            case ast.Conditional(condition, then, otherwise):
                return f"({self._text(then, it)} if {self._text(condition, it)} else {self._text(otherwise, it)})"
        raise refusal(self.type.position, f"{type(node).__name__} has no form here")


def code(field: Attribute) -> str:
    """Return the code of ``struct`` for a field of a run."""
    base = field.type.base if isinstance(field.type, EnumType) else field.type
    if isinstance(base, IntegerType):
        return CODES[base.size] if base.signed else CODES[base.size].upper()
    if isinstance(base, FloatType):
        return {4: "f", 8: "d"}[base.size]
    if not isinstance(base, BytesType | StringType) or field.is_cut:
        refuse(field.position, f"'{field.id}' has no form here")
    return f"{field.fixed_size}s"


def codec(kind: StringType) -> str:
    return python_codec(kind.encoding or "UTF-8") or refuse(None, f"Python does not know {kind.encoding}")
