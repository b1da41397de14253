"""Expressions whose values are text or bytes, as spans."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass, replace

from ...expression.fold import fold
from ...expression.nodes import (
    Call,
    Cast,
    Conditional,
    CoveredChecksum,
    IntegerLiteral,
    ListLiteral,
    MemberAccess,
    Name,
    Node,
    StringLiteral,
    Subscript,
)
from ...expression.types import BytesType, StringType
from .encodings import encoding_of
from .interval import Interval
from .items import ListItem, Resolved
from .name_resolver import NameResolver
from .path_conditions import path_conditions_of
from .presence import must_be_located
from .refusal import NotForEngineError, blame
from .stack_code import Length, StackCode, constant, inverted, required, where
from .symbols import ObjectScope, Span, Unavailable
from .text_steps import TextMaker


def is_spanned(node: Node) -> bool:
    """Return whether the value of an expression is text or bytes."""
    return isinstance(node.type, BytesType | StringType)


@dataclass(frozen=True)
class Texts(NameResolver):
    """Locates text and bytes, or builds them if they are not stored in the input; ``maker`` appends the steps that
    build them."""

    maker: TextMaker | None = None

    def span(self, node: Node) -> Span:
        """Return the span of the text or bytes of an expression, in the input or built. Raises
        ``NotForEngineError``."""
        try:
            return self._span(node)
        except NotForEngineError as error:
            blame(error, node)
            raise

    def _span(self, node: Node) -> Span:
        if isinstance(node, Name | MemberAccess | Subscript | Cast | CoveredChecksum):
            found = self.resolve(node)
            if isinstance(found, Span):
                return self.span_or_null(node, found)
            if isinstance(found, ListItem) and is_spanned(found.path):
                return self._item_text(found)
            if isinstance(node, Cast) and is_spanned(node.value):
                return self.span(node.value)
            self._read(found)
        return self._made(node)

    def resolve(self, node: Node) -> Resolved:
        """Implement ``NameResolver.resolve``."""
        if not isinstance(node, CoveredChecksum):
            return super().resolve(node)
        found = self.scope.checksums.get(node.id)
        return found or Unavailable(f'an expression uses "{node.id}", which is not computed by then')

    def span_in_input(self, node: Node) -> Span:
        """Return the span of text or bytes of an expression in the input."""
        found = self.resolve(node)
        if not isinstance(found, Span) or found.made:
            raise NotForEngineError("an expression uses text of items that is not stored in the input")
        must_be_located(found)
        return found

    def _item_text(self, item: ListItem) -> Span:
        kind = item.path.type
        series = item.series.texts_of(item.path)
        found = self._maker.item(series, item.index, f"item of {item.series.name}")
        present = self._presence_of(item.series)
        if not present.constant:
            found = self._maker.select(where(present, constant(1)), found, None)
        if isinstance(kind, StringType):
            encoding = encoding_of(kind.encoding)
            if encoding is None:
                raise NotForEngineError(f"the engine does not support the encoding {kind.encoding}")
            found = self._maker.decoded(found, encoding, strict=False)
            found.text = True
        return found

    def clean(self, node: Node) -> Span:
        """Return the span with text as UTF-8, in which bytes invalid in its encoding are replaced by U+FFFD."""
        return self._clean(self.span(node))

    def _clean(self, span: Span) -> Span:
        if span.made or not span.text:
            return span
        if span.encoding is None:
            raise NotForEngineError(f'the engine does not support the encoding of "{span.name}"')
        return self._maker.decoded(span, span.encoding, strict=False)

    def _resolve_or_compile(self, node: Node) -> Resolved:
        return self.span(node) if is_spanned(node) and self._is_made(node) else super()._resolve_or_compile(node)

    def _value_of(self, node: Node) -> Resolved:
        return self._made(node) if is_spanned(node) else super()._value_of(node)

    def _where_held(self, scope: ObjectScope, value: Node, condition: Node) -> Resolved:
        if not is_spanned(value):
            return super()._where_held(scope, value, condition)
        within = self.within(scope)
        held = within._compile(condition)
        found = (
            replace(within, assumed=(*within.assumed, *path_conditions_of(scope, condition))).guarded(held).clean(value)
        )
        made = self._maker.select(held, found, None)
        made.text = found.text
        return made

    def _inside(self, node: Node, owner: ObjectScope, found: Resolved) -> Resolved:
        if not isinstance(found, Span) or not found.made or self.is_known_present(owner):
            return super()._inside(node, owner, found)
        made = self._maker.select(where(self.present(node, owner), constant(1)), found, None)
        made.text = found.text
        return made

    def _span_size(self, node: Node, span: Span) -> StackCode:
        if not span.text or (span.single and not span.made):
            return super()._span_size(node, span)
        return StackCode((Length(self._clean(self.span_or_null(node, span))),), Interval(0, (1 << 31) - 1))

    def _digits(self, node: Node, span: Span, radix: int) -> StackCode:
        if span.encoding is None or not span.encoding.is_utf8:
            span = self._clean(self.span_or_null(node, span))
        return super()._digits(node, span, radix)

    @staticmethod
    def _is_made(node: Node) -> bool:
        return not isinstance(node, Name | MemberAccess | Cast | Subscript)

    @property
    def _maker(self) -> TextMaker:
        if self.maker is None:
            raise NotForEngineError("an expression computes text where the engine does not support it")
        return self.maker

    def span_or_null(self, node: Node, span: Span) -> Span:
        """Return the span to which ``node`` refers, null if it is absent."""
        if span.made:
            return span
        must_be_located(span)
        present = self.present(node, span)
        if present.constant:
            return span
        made = self._maker.select(present, self._clean(span), None)
        made.text = span.text
        return made

    def _made(self, node: Node) -> Span:
        self.scope.root.budget.count()
        folded = fold(node)
        made: Span
        match folded:
            case StringLiteral(value=value) if not any("\ud800" <= each <= "\udfff" for each in value):
                made = self._maker.constant(value.encode())
            case ListLiteral(items=items) if (held := constant_bytes(items)) is not None:
                made = self._maker.constant(held)
            case Conditional():
                made = self._conditional_text(folded)
            case Call(value, "to_s", (StringLiteral(value=name),)) if isinstance(value.type, BytesType):
                made = self._decoded(self.span(value), name)
            case Call(value, "substring", (begin, end)):
                made = self._maker.part(self.clean(value), self._compile(begin), self._compile(end))
            case _:
                raise NotForEngineError(
                    "an expression computes text or bytes in a way that the engine does not support"
                )
        made.text = isinstance(node.type, StringType)
        return made

    def _decoded(self, source: Span, name: str) -> Span:
        encoding = encoding_of(name)
        if encoding is None:
            raise NotForEngineError(f"the engine does not support the encoding {name}")
        return self._maker.decoded(source, encoding, strict=True)

    def _conditional_text(self, node: Conditional) -> Span:
        condition = required(self._compile(node.condition))
        then = self.knowing(node.condition).guarded(condition).clean(node.then)
        otherwise = self.denying(node.condition).guarded(inverted(condition)).clean(node.otherwise)
        return self._maker.select(condition, then, otherwise)


def constant_bytes(items: tuple[Node, ...]) -> bytes | None:
    """Return the bytes of a list of integer literals; ``None`` for other lists."""
    values = [each.value for each in items if isinstance(each, IntegerLiteral)]
    return bytes(values) if len(values) == len(items) and all(0 <= each < 256 for each in values) else None
