"""Maps attributes and instances, by the class and name of their fields, to lines of the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wireloom.codegen.tree import Attribute, Instance, Spec, Struct

Lines = dict[tuple[str, str], tuple[int, int]]
"""First and last line, counted from 1, by class and name."""


def attribute_lines(spec: Spec, text: str) -> Lines:
    """Return the lines of all attributes and instances of a spec; ``text`` is that of its file."""
    from wireloom.codegen.backends.python.names import field_name, qualified

    lines, found = text.splitlines(), {}
    waiting: list[Struct] = [spec.root]
    while waiting:
        struct = waiting.pop()
        waiting += struct.structs
        members: list[Attribute | Instance] = [*struct.attributes, *struct.instances]
        for each in members:
            if each.position is None or each.position.file != spec.file:
                continue
            line = each.position.line
            found[qualified(struct.path), field_name(each.id)] = line, _last(lines, line)
    return found


def _last(lines: list[str], first: int) -> int:
    """Return the last line of the entry that begins on line ``first``, which includes the lines with more
    indentation."""
    around, last = _indentation(lines[first - 1]) if first <= len(lines) else 0, first
    dashed = first <= len(lines) and lines[first - 1].lstrip().startswith("- ")
    for number in range(first + 1, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip():
            continue
        inside = _indentation(line) > around or (not dashed and _is_sibling(lines[first - 1], line, around))
        if not inside:
            break
        last = number
    return last


def _is_sibling(first: str, line: str, around: int) -> bool:
    """Return whether a line is a further key of a mapping whose first key, ``id``, is on a line of its own."""
    return first.lstrip().startswith("id:") and _indentation(line) == around and not line.lstrip().startswith("- ")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
