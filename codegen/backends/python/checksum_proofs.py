"""Methods of generated classes that say what checksums prove, for readers that look for rows and for displays."""

from __future__ import annotations

from functools import lru_cache

from wireloom.base.dataclass import replace

from ...expression.types import Path, UserType
from ...tree import Attribute, StoredChecksum
from .checksums import RunningChecksum, may_continue_itself, running_checksum_of
from .module import Module
from .names import field_name
from .scope import ClassScope, member
from .view import MethodView


def verifies_methods(scope: ClassScope) -> list[MethodView]:
    """Return the methods that return whether readers verify a checksum that they do not always verify: one with a
    condition (``if``), or one that continues the checksum of the previous item."""
    found = []
    for each in scope.struct.checksums:
        terms = _verified_if(scope, each) if scope.own else []
        if terms and may_continue_itself(each):
            terms.append(_continues_another(scope, each))
        if terms:
            signature = f"_verifies_{field_name(each.attribute.id)}(self) -> {scope.annotations.builtin('bool')}"
            found.append(MethodView(signature, (f"return {' and '.join(terms)}",)))
    return found


def _verified_if(scope: ClassScope, cover: StoredChecksum) -> list[str]:
    """Return the conditions under which readers verify a checksum that is present; empty if they always do."""
    terms = []
    running = running_checksum_of(scope, cover)
    if running is not None:
        terms.append(f"{_before(scope, running, '0')} is not None")
    if cover.condition is not None:
        needed = scope.text(cover.condition, cover.attribute)
        terms.append(f"({needed})" if " or " in needed or " if " in needed else needed)
    return terms


def _before(scope: ClassScope, running: RunningChecksum, nothing: str) -> str:
    return f'{scope.use("before")}({running.parent}, self, "{running.name}", {nothing})'


def _continues_another(scope: ClassScope, cover: StoredChecksum) -> str:
    """Return the condition that it is not: in its place, -1 is no checksum."""
    running = running_checksum_of(scope, cover)
    assert running is not None
    assert cover.continues is not None
    places = {"_": _before(scope, running, running.nothing), cover.attribute.id: "-1"}
    return f"({scope.text(cover.continues, cover.attribute, **places)}) != -1"


DEEPEST_TERM = 4
"""Maximum depth of objects without bytes of their own that are searched to find out whether a checksum covers any byte.
"""


def covers_method(scope: ClassScope) -> MethodView | None:
    """Return the method that returns whether the checksums of an object, or of objects inside it, cover any byte;
    ``None`` if there are no checksums.

    A checksum of no bytes is always valid, so it proves nothing.
    """
    checked = _checked_types(scope.module)
    if scope.struct.path not in checked:
        return None
    terms = [_own_term(scope, each) for each in scope.struct.verified]
    for field in scope.struct.attributes:
        if not checked.isdisjoint(each.path for each in field.object_types):
            terms.append(_inner_term(field))
    terms = [each for each in terms if each != "False"]
    if len(terms) > 1:
        terms = [f"({each})" if " and " in each else each for each in terms]
    text = "True" if "True" in terms else f"bool({' or '.join(terms)})" if terms else "False"
    return MethodView(
        signature=f"_covers_bytes(self) -> {scope.annotations.builtin('bool')}",
        lines=(f"return {text}",),
        decorators=("property",),
    )


@lru_cache(maxsize=4)
def _checked_types(module: Module) -> frozenset[Path]:
    """Return the types whose objects have checksums, or contain objects that do, at any depth."""
    everything = list(module.spec.family)
    holders: dict[Path, list[Path]] = {}
    for struct in everything:
        for field in struct.attributes:
            for kind in field.object_types:
                holders.setdefault(kind.path, []).append(struct.path)
    found: set[Path] = set()
    waiting = [each.path for each in everything if each.verified]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(holders.get(path, ()))
    return frozenset(found)


def _own_term(scope: ClassScope, cover: StoredChecksum) -> str:
    fields = [each for each in scope.struct.attributes if each.id in cover.covered]
    sure = not cover.content and any(
        each.repeat is None and each.least > 0 and each.condition is None for each in fields
    )
    terms = [] if cover.attribute.condition is None else [f"{member(cover.attribute.id)} is not None"]
    terms += _verified_if(scope, cover)
    if not sure:
        text = " or ".join(_bytes_term(scope, each, member(each.id)) for each in fields)
        terms.append(f"({text})" if terms and len(fields) > 1 else text)
    return " and ".join(terms) or "True"


def _bytes_term(scope: ClassScope, field: Attribute, value: str, depth: int = 0) -> str:
    """Return a condition that is true if a field with the given ``value`` has bytes. For an object with a stream of its
    own these are the bytes of the stream, for another object the bytes of its fields.
    """
    if field.repeat is not None:
        values = value if field.condition is None else f"({value} or ())"
        if field.least and field.switch is None:
            return value
        item = _bytes_term(scope, replace(field, repeat=None, condition=None), "each", depth)
        return f"any({'' if item == 'each' else f'{item} for each in '}{values})"
    if field.switch is not None and any(each.has_stream for each in field.forms):
        return f"({value}._io.size() if isinstance({value}, {scope.use('Struct')}) else {value})"
    if field.least and field.switch is None:
        # A number that is 0 has bytes too.
        return value if isinstance(field.type, UserType) else f"{value} is not None"
    if not isinstance(field.type, UserType):
        return value
    if field.has_stream:
        size = f"{value}._io.size()"
    elif field.type.opaque or depth == DEEPEST_TERM:
        return value
    else:
        fields = scope.spec.struct(field.type.path).attributes
        terms = (_bytes_term(scope, each, f"{value}.{field_name(each.id)}", depth + 1) for each in fields)
        size = f"({' or '.join(terms) or 'False'})"
    return size if field.condition is None else f"({value} is not None and {size})"


def _inner_term(field: Attribute) -> str:
    value = member(field.id)
    if field.repeat is not None:
        values = value if field.condition is None else f"({value} or ())"
        inner = "getattr(each, '_covers_bytes', False)" if field.switch is not None else "each._covers_bytes"
        return f"any({inner} for each in {values})"
    if field.switch is not None:
        return f"getattr({value}, '_covers_bytes', False)"
    text = f"{value}._covers_bytes"
    return text if field.condition is None else f"({value} is not None and {text})"
