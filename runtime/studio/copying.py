"""The values of a record, or of one of its fields, as JSON."""

from __future__ import annotations

from typing import Any

from ..base.errors import WireloomError
from ..inspecting import FORMS, Dumper, Field, NamedValues, Record

LONGEST = 16 * 1024 * 1024
"""Maximum number of characters."""


def json_of(record: Record, number: int) -> str:
    """Return the values of the field with that number, counted over all fields in the order of ``described_fields``,
    as JSON like that of ``wireloom dump``; -1 is the record."""
    pieces: list[bytes] = []
    text = FORMS["json"](pieces.append, LONGEST)
    fields = [each for outer in record.fields for _, each in outer.walk()]
    # Errors are shown with the fields, and values that have one are left out.
    dumper = Dumper(text, "hex", lambda _error: None)
    try:
        dumper.write_value(_value(fields[number]) if 0 <= number < len(fields) else _members(record.fields))
    except WireloomError as error:
        raise WireloomError("its JSON is too long to be copied: 'wireloom dump' writes it to a file") from error
    text.flush()
    return b"".join(pieces).decode().rstrip("\n")


def _value(field: Field) -> Any:
    """Return the value of a field, or those of the fields in it if only they have one."""
    return _members(field.children) if field.value is None and field.children else field.value


def _members(fields: list[Field]) -> Any:
    if fields and all(each.name.startswith("[") for each in fields):
        return [_value(each) for each in fields]
    return NamedValues((each.name, _value(each)) for each in fields)
