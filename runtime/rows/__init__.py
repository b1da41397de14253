"""Row readers: turn the bytes of a window into columns, by the engine or by generated classes, with equal results."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "engine_reader": "DAMAGE EngineRowReader",
        "expanding": "Expander",
        "leading_zeros": "NOT_ZERO",
        "object_reader": "ObjectRowReader",
        "predicates": "Domain common union without",
        "reader": "BATCH_BYTES RowDamage Settings Status",
        "select": "make:make_row_reader",
    },
)
