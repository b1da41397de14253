"""Fields of messages for which a table has no column."""

from __future__ import annotations

from typing import cast

from ...base.arguments import check_booleans
from ...base.errors import UnsupportedError, WireloomError
from ...format.description import Format
from ...objects.messages.objects import Message
from ...units.framing import units_of

NAMED = 8
"""Maximum number of fields named in an error."""
FLAGS = {"true": True, "false": False}


def fields_without_columns(format: Format) -> tuple[str, ...]:
    """Return the fields of a format's messages, from the unit to the row, for which there is no column. Their values
    are not in a table of the format, and a file written from one lacks them. Names are paths with dots
    (``resource_spans.schema_url``). Fields unknown to the spec are never in a table.
    """
    path = units_of(format).rows
    kind = cast("type[Message]", format.message_class)
    found: list[str] = []
    for depth in range(len(path) + 1):
        below = path[depth] if depth < len(path) else ""
        columns = [each for each in format.columns if each.up == len(path) - depth]
        covered = {below} | {name for each in columns for name in (each.attribute or each.name, each.same_as)}
        found += [".".join((*path[:depth], each.name)) for each in kind._rule.fields if each.name not in covered]
        if below:
            inner = format.row_class if depth == len(path) - 1 else kind._types()[below]
            kind = cast("type[Message]", inner)
    return tuple(found)


def refuse_loss(format: Format) -> None:
    """Raise ``UnsupportedError`` for a format whose tables do not contain all fields of its messages."""
    names = fields_without_columns(format)
    if not names:
        return
    listed = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    raise UnsupportedError(
        f"a table of {format.name} cannot represent all of a message: no column for {listed}. What is written from it"
        " lacks them: give lossy=True (--lossy) where that is meant, make them columns in the spec, or make the"
        f" messages with the generated class {format.message.message if format.message else format.row}"
    )


def flag(value: bool | str) -> bool:
    """Return the value of the option ``lossy``, also given as text.

    Raises ``WireloomError`` for any other value.
    """
    found = FLAGS.get(value.strip().lower()) if isinstance(value, str) else value
    if found is None:
        raise WireloomError(f"lossy is true or false, not {value!r}")
    check_booleans(lossy=found)
    return bool(found)
