"""Rows of protobuf messages, by the engine and by generated classes."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "column_tree": "ColumnTree",
        "decoders": "make:make_decoder",
        "decoding": "Decoded UnitDecoder UnitProblem",
        "engine_decoder": "EngineDecoder",
        "object_decoder": "ObjectDecoder",
        "packed": "pack",
        "problems": "PROBLEM_SIZE",
        "repeating": "most_repeated",
        "repetition": "Repetition repeated",
        "vectors": "Memory",
    },
)
