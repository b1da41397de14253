"""Records as people look at them: where they lie in a file, their bytes, the fields and what is wrong with them."""

from .data import record_data
from .fields import Field
from .locating import Located, RecordScan, Wanted, record_scan
from .messages import MessageScan
from .page import page, page_record
from .records import Record, records
from .text import Painter

__all__ = [
    "Field",
    "Located",
    "MessageScan",
    "Painter",
    "Record",
    "RecordScan",
    "Wanted",
    "page",
    "page_record",
    "record_data",
    "record_scan",
    "records",
]
