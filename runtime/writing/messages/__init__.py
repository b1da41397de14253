"""Rows as messages, and messages as files or columns of blobs."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "row_packing": "RowPacking",
        "unheld": "unheld:unheld_of",
    },
)
