"""The lines of one entry of a list or mapping in a spec, by their indentation."""

from __future__ import annotations


def last_line(lines: list[str], first: int) -> int:
    """Return the last line of the entry that begins on line ``first``, which includes the lines with more
    indentation."""
    indent, last = _indentation(lines[first - 1]) if first <= len(lines) else 0, first
    dashed = first <= len(lines) and lines[first - 1].lstrip().startswith("- ")
    for number in range(first + 1, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip():
            continue
        inside = _indentation(line) > indent or (not dashed and _is_sibling(lines[first - 1], line, indent))
        if not inside:
            break
        last = number
    return last


def _is_sibling(first: str, line: str, indent: int) -> bool:
    """Return whether a line is a further key of a mapping whose first key, ``id``, is on a line of its own."""
    return first.lstrip().startswith("id:") and _indentation(line) == indent and not line.lstrip().startswith("- ")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
