"""Formats: descriptions, programs, and the registry."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "program_limits": "MOST_BYTES MOST_MARKS",
        "description": "Column MODEL_VERSION MessageUnits",
        "message_program": "ComputedSource Envelope FieldSource LookupSource MarkSource MessageProgram RowNumberSource",
        "message_rules": "FieldKind FieldRule Label MessageRule MessageSet WireType",
        "path_pattern": "PathPattern",
        "program": (
            "ChecksumRule Code ColumnProgram Expansion HAS_ABSENT Kind MessageField MessageTable OPERANDS Op Outcome "
            "Place Reason Step Storage Stuffing TIME_UNITS"
        ),
        "registry": "get:format_of",
    },
)
