"""Schema and program, as the columns backend writes them."""

import pyarrow as pa
from wireloom.format.message_program import FieldSource, MessageProgram, RowNumberSource

from .rules import MESSAGES

SCHEMA = pa.schema(
    [
        pa.field("title", pa.utf8()),
        pa.field("text", pa.binary()),
        pa.field("marks", pa.list_(pa.struct([("key", pa.utf8()), ("value", pa.uint64())]))),
        pa.field("book", pa.uint64()),
        pa.field("number", pa.int32()),
    ]
)

PROGRAM = MessageProgram(
    types=MESSAGES,
    columns=(FieldSource((1,)), FieldSource((2,)), FieldSource((3,)), FieldSource((2,), up=1), RowNumberSource()),
    unit=0,
    rows=(1,),
)
