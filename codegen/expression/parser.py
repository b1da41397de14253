"""Tokens → syntax tree.

Precedence, loosest first: ``? :``, ``or``, ``and``, ``not``, one comparison, ``|``, ``^``, ``&``, ``<< >>``, ``+ -``,
``* / %``, unary ``+ - ~``, then the postfix forms ``.name``, ``.name(…)``, ``.as<type>``, ``[index]``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from wireloom.base.dataclass import replace

from .lexer import ExpressionError, Lexer, Token
from .nodes import (
    Binary,
    BooleanLiteral,
    Call,
    Cast,
    Comparison,
    Conditional,
    EnumMember,
    FloatLiteral,
    FormattedString,
    IntegerLiteral,
    ListLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    SizeOf,
    StringLiteral,
    Subscript,
    Unary,
)
from .walk import depth

MAX_NESTING = 40
"""Maximum depth of nested brackets, prefixes and branches."""

MAX_DEPTH = 100
"""Maximum depth of the finished tree. Long chains of operators count too, since everything that traverses a tree
recurses."""

MAX_CACHED = 700
"""Maximum number of characters of an expression whose tree is cached: all together are fewer than one spec may have."""

COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
RADIXES = {"0x": 16, "0o": 8, "0b": 2}
BINARY = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
"""Left-associative operators, loosest first."""

_TYPE = r"((?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\s*(?:\[\s*\])?)"
_ANGLE = re.compile(rf"\s*<\s*{_TYPE}\s*>", re.ASCII)
_TYPE_NAME = re.compile(_TYPE, re.ASCII)
_ENUM = re.compile(r"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+", re.ASCII)


def parse_expression(text: str) -> Node:
    """Return the tree of a whole expression, without types. Raises ``ExpressionError``."""
    return _parsed_once(text) if len(text) <= MAX_CACHED else _parsed(text)


def _parsed(text: str) -> Node:
    parser = _Parser(text)
    node = parser.conditional()
    hint = "; a choice is written 'CONDITION ? ONE : OTHER'" if parser.token.text in ("if", "then", "else") else ""
    parser.at_end("an operator or the end of the expression", hint)
    return checked(node)


_parsed_once = lru_cache(512)(_parsed)
"""Trees never change, and specs repeat most of their short expressions."""


def parse_expressions(text: str) -> tuple[Node, ...]:
    """Return one or more expressions that are separated by commas. Raises ``ExpressionError``."""
    parser = _Parser(text)
    items = [parser.conditional()]
    while parser.take(","):
        items.append(parser.conditional())
    parser.at_end("',' or the end of the arguments")
    return tuple(checked(each) for each in items)


def parse_type_reference(text: str) -> tuple[str, tuple[Node, ...]]:
    """Return the name, without spaces, and the arguments of ``name``, ``a::b`` or ``name(arguments)``. Raises
    ``ExpressionError``."""
    return _reference_parsed_once(text) if len(text) <= MAX_CACHED else _parsed_reference(text)


def _parsed_reference(text: str) -> tuple[str, tuple[Node, ...]]:
    stripped = len(text) - len(text.lstrip())
    found = _TYPE_NAME.match(text, stripped)
    if found is None:
        raise ExpressionError("expected the name of a type", stripped)
    name = re.sub(r"\s", "", found.group(1))
    parser = _Parser(text, found.end())
    arguments: list[Node] = []
    if parser.take("("):
        arguments.append(parser.conditional())
        while parser.take(","):
            if parser.token.text == ")":
                break
            arguments.append(parser.conditional())
        parser.expect(")")
    parser.at_end("the end of the type" if arguments else "'(' or the end of the type's name")
    return name, tuple(checked(each) for each in arguments)


_reference_parsed_once = lru_cache(512)(_parsed_reference)


def checked(node: Node) -> Node:
    """Return the node unchanged. Raises ``ExpressionError`` if its tree is too deep."""
    if depth(node) > MAX_DEPTH:
        raise ExpressionError(f"nested too deeply: more than {MAX_DEPTH} levels", node.start, node.end)
    return node


class _Parser:
    def __init__(self, text: str, offset: int = 0) -> None:
        self.lexer = Lexer(text)
        self.token = self.lexer.token(offset)
        self.before = offset
        self.nesting = 0

    # Tokens ---------------------------------------------------------------------------------------------------------

    def advance(self) -> Token:
        current = self.token
        self.before = current.end
        self.token = self.lexer.token(current.end)
        return current

    def take(self, *texts: str) -> str | None:
        """Consume and return an operator or word if it is next, else return ``None``."""
        if self.token.kind in ("operator", "name") and self.token.text in texts:
            return self.advance().text
        return None

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise ExpressionError(f"expected '{text}', found {self.token}", self.token.start, self.token.end)

    def at_end(self, expected: str, hint: str = "") -> None:
        if self.token.kind != "end":
            message = f"expected {expected}, found {self.token}{hint}"
            raise ExpressionError(message, self.token.start, self.token.end)

    def deeper(self) -> None:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise ExpressionError(f"nested too deeply: more than {MAX_NESTING} levels", self.token.start)

    # Operators ------------------------------------------------------------------------------------------------------

    def conditional(self) -> Node:
        self.deeper()
        condition = self.logical_or()
        result = condition
        if self.take("?"):
            then = self.conditional()
            self.expect(":")
            otherwise = self.conditional()
            result = Conditional(condition, then, otherwise, start=condition.start, end=otherwise.end)
        self.nesting -= 1
        return result

    def logical_or(self) -> Node:
        left = self.logical_and()
        while self.take("or"):
            right = self.logical_and()
            left = Logical("or", left, right, start=left.start, end=right.end)
        return left

    def logical_and(self) -> Node:
        left = self.negation()
        while self.take("and"):
            right = self.negation()
            left = Logical("and", left, right, start=left.start, end=right.end)
        return left

    def negation(self) -> Node:
        start = self.token.start
        if self.take("not"):
            self.deeper()
            operand = self.negation()
            self.nesting -= 1
            return Unary("not", operand, start=start, end=operand.end)
        return self.comparison()

    def comparison(self) -> Node:
        left = self.binary(0)
        operator = self.take(*COMPARISONS)
        if operator is None:
            return left
        right = self.binary(0)
        if self.token.text in COMPARISONS:
            message = f"expected 'and' or 'or', found {self.token}: comparisons do not chain"
            raise ExpressionError(message, self.token.start, self.token.end)
        return Comparison(operator, left, right, start=left.start, end=right.end)

    def binary(self, level: int) -> Node:
        """Parse by precedence climbing, with one frame per level that actually occurs."""
        left = self.unary()
        return self.binary_rest(left, level)

    def binary_rest(self, left: Node, level: int) -> Node:
        while (found := self.binary_level()) is not None and found >= level:
            operator = self.advance().text
            right = self.unary()
            while (tighter := self.binary_level()) is not None and tighter > found:
                right = self.binary_rest(right, tighter)
            left = Binary(operator, left, right, start=left.start, end=right.end)
        return left

    def binary_level(self) -> int | None:
        if self.token.kind != "operator":
            return None
        return next((level for level, group in enumerate(BINARY) if self.token.text in group), None)

    def unary(self) -> Node:
        start = self.token.start
        operator = self.take("-", "+", "~")
        if operator is None:
            return self.postfix()
        self.deeper()
        operand = self.unary()
        self.nesting -= 1
        return Unary(operator, operand, start=start, end=operand.end)

    # Values ---------------------------------------------------------------------------------------------------------

    def postfix(self) -> Node:
        value = self.atom()
        while True:
            if self.take("."):
                value = self.member(value)
            elif self.take("["):
                index = self.conditional()
                self.expect("]")
                value = Subscript(value, index, start=value.start, end=self.before)
            elif self.token.text == "(" and self.token.kind == "operator":
                raise ExpressionError("only methods can be called: value.method(…)", self.token.start)
            else:
                return value

    def member(self, value: Node) -> Node:
        if self.token.kind != "name":
            raise ExpressionError(f"expected a name after '.', found {self.token}", self.token.start, self.token.end)
        if self.token.text == "as" and (target := self.angle(self.token.end)) is not None:
            return Cast(value, target, start=value.start, end=self.before)
        name = self.advance().text
        if self.take("("):
            arguments: list[Node] = []
            if self.token.text != ")":
                arguments.append(self.conditional())
                while self.take(","):
                    arguments.append(self.conditional())
            self.expect(")")
            return Call(value, name, tuple(arguments), start=value.start, end=self.before)
        return MemberAccess(value, name, start=value.start, end=self.before)

    def angle(self, offset: int) -> str | None:
        """Consume ``<type>`` if it is at ``offset``, and return the name of the type; else return ``None``."""
        found = _ANGLE.match(self.lexer.text, offset)
        if found is None:
            return None
        self.before = found.end()
        self.token = self.lexer.token(found.end())
        return re.sub(r"\s", "", found.group(1))

    def atom(self) -> Node:
        token = self.token
        if token.kind == "integer" and isinstance(token.value, int):
            self.advance()
            radix = RADIXES.get(self.lexer.text[token.start : token.start + 2].lower(), 10)
            return IntegerLiteral(token.value, radix, start=token.start, end=token.end)
        if token.kind == "float" and isinstance(token.value, float):
            self.advance()
            return FloatLiteral(token.value, start=token.start, end=token.end)
        if token.kind == "string":
            return self.string()
        if token.kind == "f-string":
            return self.formatted_string()
        if token.text == "(":
            self.advance()
            inner = self.conditional()
            self.expect(")")
            return replace(inner, start=token.start, end=self.before)
        if token.text == "[":
            return self.list_literal()
        if token.kind == "name" or token.text == "::":
            return self.name()
        raise ExpressionError(f"expected a value, found {token}", token.start, max(token.end, token.start + 1))

    def string(self) -> Node:
        start = self.token.start
        parts: list[str] = []
        while self.token.kind == "string":
            parts.append(str(self.advance().value))
        return StringLiteral("".join(parts), start=start, end=self.before)

    def formatted_string(self) -> Node:
        start = self.token.start
        at = self.token.end
        parts: list[Node] = []
        while True:
            text, end = self.lexer.escaped_text(at, '{"')
            if text:
                parts.append(StringLiteral(text, start=at, end=end))
            if self.lexer.text.startswith('"', end):
                break
            if end >= len(self.lexer.text):
                raise ExpressionError('the string has no closing "', start, end)
            self.token = self.lexer.token(end + 1)
            parts.append(self.conditional())
            if self.token.text != "}":
                raise ExpressionError(f"expected '}}', found {self.token}", self.token.start, self.token.end)
            at = self.token.end
        self.before = end + 1
        self.token = self.lexer.token(end + 1)
        return FormattedString(tuple(parts), start=start, end=self.before)

    def list_literal(self) -> Node:
        start = self.advance().start
        items: list[Node] = []
        while self.token.text != "]":
            items.append(self.conditional())
            if not self.take(","):
                break
        self.expect("]")
        return ListLiteral(tuple(items), start=start, end=self.before)

    def name(self) -> Node:
        token = self.token
        found = _ENUM.match(self.lexer.text, token.start)
        if found:
            *path, label = re.sub(r"\s", "", found.group()).split("::")
            self.before = found.end()
            self.token = self.lexer.token(found.end())
            return EnumMember(tuple(path), label, start=token.start, end=found.end())
        if token.kind != "name":
            raise ExpressionError("expected enum::member after '::'", token.start, token.end)
        if token.text in ("sizeof", "bitsizeof") and (target := self.angle(token.end)) is not None:
            unit = "byte" if token.text == "sizeof" else "bit"
            return SizeOf(target, unit, start=token.start, end=self.before)
        if token.text in ("and", "or", "not"):
            raise ExpressionError(f"expected a value, found {token}", token.start, token.end)
        self.advance()
        if token.text in ("true", "false"):
            return BooleanLiteral(token.text == "true", start=token.start, end=token.end)
        return Name(token.text, start=token.start, end=token.end)
