"""Notes on errors of writing: which object and field, and what to do."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..kaitai import ConsistencyError, EndOfStreamError, KaitaiStruct
from .streams import FieldEndError

NAMED = re.compile(r"\b(?:self\.(?:_m_)?|item_|data_)(\w+)")
"""Matches the name of a field in a generated statement."""

MAX_STEPS = 64
"""Maximum number of objects in the path of an error; the outermost ones are omitted."""


def explained(error: Exception, holder: Any = None) -> Exception:
    """Return the error with a note that names the object and says what to do.

    ``holder``: the object, if known; otherwise the innermost one that was being checked or written.
    """
    if getattr(error, "__notes__", None):
        return error
    about, field = holder, ""
    for found, name in _calls(error):
        if holder is None and found is not about:
            about, field = found, name
        elif found is about:
            field = name or field
    if about is None:
        return error
    holder = about
    if isinstance(error, AttributeError) and _is_unset(error):
        error = _unset(error)
        holder = error.obj
    field = _named(error, holder) or field
    place = f"{field} of {type(holder).__qualname__}" if field else type(holder).__qualname__
    path = _path(holder)
    error.add_note(f"in {place}{f', which is {path}' if path else ''}{_advice(error, holder)}")
    return error


def _calls(error: Exception) -> Iterator[tuple[Any, str]]:
    """Yield the objects in the traceback of an error, outermost first, each with the field being processed."""
    step = error.__traceback__
    while step is not None:
        holder: Any = step.tb_frame.f_locals.get("self")
        enclosure = getattr(holder, "enclosure", None)
        if enclosure is not None:
            yield holder.owner, enclosure.name
        elif isinstance(holder, KaitaiStruct) and hasattr(holder, "_fields"):
            names = NAMED.findall(linecache.getline(step.tb_frame.f_code.co_filename, step.tb_lineno))
            named = {each for each in names if each in (*holder._fields, *getattr(holder, "_m_placed", ()))}
            yield holder, named.pop() if len(named) == 1 else ""
        step = step.tb_next


def _is_unset(error: AttributeError) -> bool:
    """Return whether the error is about an attribute that is not set."""
    holder, name = error.obj, error.name
    known = getattr(type(holder), "_fields", ())
    parameters = getattr(type(holder), "_m_parameters", ())
    return isinstance(holder, KaitaiStruct) and (name in known or name in parameters)


def _unset(error: AttributeError) -> AttributeError:
    """Return the error for an unset attribute with advice added to its message."""
    kind = type(error.obj)
    what, instead = "", "assign it"
    if error.name in getattr(kind, "_m_parameters", ()):
        what, instead = ", an argument,", "pass it to the constructor, or assign the values from which it is derived"
    text = f"{error.name} of {kind.__qualname__}{what} is not set and cannot be derived: {instead}"
    return AttributeError(text, name=error.name, obj=error.obj)


def _named(error: Exception, holder: Any) -> str:
    """Return the field that the message of the error names."""
    if isinstance(error, ConsistencyError):
        return str(error.id)
    return error.name or "" if isinstance(error, AttributeError) and error.obj is holder else ""


def _path(holder: Any) -> str:
    """Return the path from the outermost object to one below it, such as ``entries[2].body``."""
    steps: list[str] = []
    current = holder
    while len(steps) < MAX_STEPS:
        parent = getattr(current, "_parent", None)
        step = None if parent is None else _step(parent, current)
        if step is None:
            break
        steps.append(step)
        current = parent
    return ".".join(reversed(steps))


def _step(parent: Any, child: Any) -> str | None:
    """Return the attribute or instance of ``parent`` that contains ``child``, with its index in a list."""
    names: list[tuple[str, str]] = [(each, each) for each in getattr(parent, "_m_children", ())]
    names += [(each, f"_m_{each}") for each in getattr(parent, "_m_placed", ())]
    for name, slot in names:
        value: object = getattr(parent, slot, None)
        if value is child:
            return name
        if isinstance(value, list):
            index = next((index for index, each in enumerate(value) if each is child), None)
            if index is not None:
                return f"{name}[{index}]"
    return None


def _advice(error: Exception, holder: Any) -> str:
    misfits: Mapping[int, str] = getattr(holder, "_m_misfits", {})
    match error:
        case ConsistencyError(actual=int(actual)) if actual in misfits:
            return f": {misfits[actual]}"
        case ConsistencyError(expected=int(), actual=int()):
            return ": assign a matching value, or delete (del) the assigned one, so that it is derived"
        case AttributeError() if error.obj is holder and misfits:
            return f": {list(misfits.values())[-1]}"
        case EndOfStreamError():
            where = "the stream"
            if isinstance(error, FieldEndError) and error.field:
                where = f"'{error.field}', which has {error.size} bytes"
            return f": not enough room in {where}; an assigned size can be deleted (del), so that it is derived"
    return ""
