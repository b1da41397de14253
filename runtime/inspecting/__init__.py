"""Records as people look at them: where they lie in a file, their bytes, the fields and what is wrong with them."""

from .fields import Field
from .locating import Located, RecordScan, Wanted, record_scan
from .page import page, page_record
from .records import Record, records
from .text import Painter

__all__ = [
    "Field",
    "Located",
    "Painter",
    "Record",
    "RecordScan",
    "Wanted",
    "page",
    "page_record",
    "record_scan",
    "records",
]
