"""The field that makes a damaged record invalid, for error messages.

The engine counts and skips damage without names. Before an error is raised, the generated classes read the damaged
bytes again to find the field.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..format.description import Format
from ..objects.errors import StuffingError, reason_of
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from ..objects.stuffing import unstuff
from ..rows.reader import Settings


def errors_of_record(
    format: Format, root: Struct | None, content: bytes, reason: str, verify: bool
) -> Iterator[Exception]:
    """Yield the errors for which a record or unit is refused with ``reason``.

    ``content``: the bytes of the record in the input; for delimited rows, including the delimiter before it.
    """
    from ..rows.object_reader import ObjectRowReader
    from ..rows.object_rows import IncompleteError, LostError

    if format.delimiter:
        try:
            content = unstuff(content.removeprefix(format.delimiter), format.stuffing)
        except StuffingError:
            return
    row_reader = ObjectRowReader(format, root, Settings(verify=verify))
    errors: list[BaseException | None] = []
    try:
        row_reader.parse(MemoryStream(content), verify)
    except (IncompleteError, LostError) as error:
        errors.append(error.__cause__)
    errors += row_reader.refusals
    yield from (each for each in errors if isinstance(each, Exception) and reason_of(each) == reason)


def field_of(format: Format, error: Exception) -> str | None:
    """Return the name of the field at the path of an error of generated code (``/types/frame/seq/1``)."""
    parts = str(getattr(error, "src_path", None) or "").strip("/").split("/")
    found: object = format.root_class
    while len(parts) > 2 and parts[0] == "types":
        found = getattr(found, "".join(word.capitalize() for word in parts[1].split("_")), None)
        parts = parts[2:]
    match parts:
        case ["instances", name]:
            return name
        case ["seq", number]:
            names = getattr(found, "_fields", ())
            return str(names[int(number)]) if number.isdigit() and int(number) < len(names) else None
    return None
