"""A handwritten format of aggregated records: a program and a schema, without a generated package."""

from __future__ import annotations

import hashlib
from typing import Any

import pyarrow as pa
from wireloom import Format
from wireloom.base.dataclass import dataclass
from wireloom.format.description import MODEL_VERSION, Column
from wireloom.format.message_program import (
    Envelope,
    FieldSource,
    LookupSource,
    MarkSource,
    MessageProgram,
    RowNumberSource,
)
from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet

from .wire_inputs import delimited, varint

TAGS = pa.list_(pa.struct([("key", pa.utf8()), ("value", pa.utf8())]))

RECORDS = MessageProgram(
    types=MessageSet(
        (
            MessageRule(
                "Aggregate",
                (
                    FieldRule("keys", 1, FieldKind.STRING, Label.REPEATED),
                    FieldRule("hashes", 2, FieldKind.STRING, Label.REPEATED),
                    FieldRule("records", 3, FieldKind.MESSAGE, Label.REPEATED, message=1),
                ),
                check_text=False,
            ),
            MessageRule(
                "Record",
                (
                    FieldRule("key_index", 1, FieldKind.UINT64, Label.REQUIRED),
                    FieldRule("hash_index", 2, FieldKind.UINT64, Label.OPTIONAL),
                    FieldRule("data", 3, FieldKind.BYTES, Label.REQUIRED),
                    FieldRule("tags", 4, FieldKind.MESSAGE, Label.REPEATED, message=2),
                ),
                check_text=False,
            ),
            MessageRule(
                "Tag",
                (
                    FieldRule("key", 1, FieldKind.STRING, Label.REQUIRED),
                    FieldRule("value", 2, FieldKind.STRING, Label.OPTIONAL),
                ),
                check_text=False,
            ),
        )
    ),
    columns=(
        LookupSource(FieldSource((1,), up=1), FieldSource((1,)), mask=0xFFFFFFFF),
        LookupSource(FieldSource((2,), up=1), FieldSource((2,)), mask=0xFFFFFFFF, integer=True),
        RowNumberSource(),
        FieldSource((3,)),
        FieldSource((4,)),
        MarkSource(),
    ),
    rows=(3,),
    envelope=Envelope(prefix=b"\xf3\x89\x9a\xc2", digest="md5", least=1),
    whole=3,
)


@dataclass(frozen=True)
class HandMade(Format):
    """A format of a program and a schema, without a generated package."""

    hand_made: MessageProgram | None = None
    columns_schema: pa.Schema | None = None

    @property
    def message_program(self) -> MessageProgram | None:  # type: ignore[override]
        return self.hand_made

    @property
    def schema(self) -> pa.Schema:  # type: ignore[override]
        return self.columns_schema


def format_of(program: MessageProgram | None, schema: pa.Schema) -> Format:
    return HandMade(
        name="hand_made",
        title="",
        module="",
        root="",
        row="",
        rows_attribute="",
        columns=tuple(Column(field.name, str(field.type)) for field in schema),
        spec_file="",
        spec_sha256="",
        model_version=MODEL_VERSION,
        hand_made=program,
        columns_schema=schema,
    )


RECORDS_FORMAT = format_of(
    RECORDS,
    pa.schema(
        [
            ("partition_key", pa.utf8()),
            ("explicit_hash_key", pa.utf8()),
            ("sub_sequence_number", pa.int32()),
            ("data", pa.binary()),
            ("tags", TAGS),
            ("aggregated", pa.bool_()),
        ]
    ),
)


def decoder_of(format: Format, **options: Any) -> Any:
    from wireloom.rows.messages.engine_decoder import EngineDecoder

    return EngineDecoder(format, range(len(format.columns)), **options)


def rows_of(format: Format, decoded: Any) -> list[dict[str, Any]]:
    names = [each.name for each in format.columns]
    for array in decoded.arrays.values():
        array.validate(full=True)
    columns = [decoded.arrays[number].to_pylist() for number in range(len(names))]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def record(index: int, data: bytes) -> bytes:
    return delimited(3, b"\x08" + varint(index) + delimited(3, data))


def enveloped(message: bytes) -> bytes:
    return RECORDS.envelope.prefix + message + hashlib.md5(message).digest()
