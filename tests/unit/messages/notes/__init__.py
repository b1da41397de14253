"""A handwritten format of messages in the form of a generated package: pages of notes.

In proto2: ``Page { repeated Note notes = 1; optional uint64 book = 2; }``, ``Note { required string title = 1; optional
bytes text = 2; repeated Mark marks = 3; }``, ``Mark { required string key = 1; optional uint64 value = 2; }``.
"""

import dataclasses

from wireloom import Format
from wireloom.format.description import MODEL_VERSION, Column, MessageUnits

FORMAT = Format(
    name="notes",
    title="Notes",
    module=__name__,
    root="Page",
    row="Page.Note",
    rows_attribute="",
    columns=(
        Column("title", "string", attribute="title"),
        Column("text", "binary", attribute="text"),
        Column("marks", "list<struct<key: string, value: uint64>>", attribute="marks"),
        Column("book", "uint64", default=False, attribute="book", up=1),
        Column("number", "int32", default=False, derived=True),
    ),
    spec_file="notes.ksy",
    spec_sha256="",
    model_version=MODEL_VERSION,
    max_record=1 << 20,
    message=MessageUnits(message="Page", rows=("notes",), row_number="number"),
)


def framed(framing: str, **changes: object) -> Format:
    """Return the same format with another framing."""
    assert FORMAT.message is not None
    return dataclasses.replace(FORMAT, message=dataclasses.replace(FORMAT.message, framing=framing, **changes))
