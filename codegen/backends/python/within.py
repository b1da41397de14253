"""Attributes in the bytes of another one (``within``): a writer creates these bytes from what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ...passes.filling import written_within
from ...tree import Attribute
from .filling import is_set
from .names import field_name
from .scope import ClassScope, member, place
from .statements import when
from .validation import check_lines
from .view import Lines


def within_lines(scope: ClassScope, wire_lines: Callable[[Attribute, str], Lines]) -> Lines:
    """Return the statements that assign the bytes in which attributes are, before anything is derived from them.

    Args:
        scope: The scope of the class.
        wire_lines: Returns the statements that assign the bytes of an attribute to a variable.
    """
    lines: list[str] = []
    # Those that are in bytes of another one of these come first.
    found = [(each, target) for each in reversed(scope.struct.attributes) if (target := written_within(each))]
    shared = {name for name, count in Counter(name for _, name in found).items() if count > 1}
    for name in sorted(shared):
        lines.append(f"{_kept(name)} = None")
    for field, name in found:
        wire = f"wire_{field_name(field.id)}"
        checks = [*check_lines(scope, field, member(field.id))]
        if field.object_types:
            checks.append(scope.call("refuse_rest", "self", member(field.id), repr(field.id)))
        body = [*checks, *wire_lines(field, wire), f"{place(name)} = {wire}"]
        if name in shared:
            compared = scope.call("unchanged", wire, _kept(name), repr(field.id))
            body += [when(f"{_kept(name)} is not None", [compared]), f"{_kept(name)} = {wire}"]
        lines.append(when(is_set(field), body))
    return tuple(lines)


def _kept(name: str) -> str:
    return f"within_{'_'.join(map(field_name, name.split('.')))}"
