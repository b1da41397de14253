"""Records for display: their position in a file, their bytes, their fields, and their errors."""

from .data import record_data
from .dumping import BYTES, Dumper, read_object
from .field import Field
from .fields import MOST_DEPTH, tree
from .locating import Located, RecordScan, Wanted, record_scan
from .messages import MessageScan
from .page import described_fields, page, page_record, ranges, record_head
from .places import places as places_of
from .records import Record, records
from .showing import shown_records
from .text import Painter
from .tracing import Trace
from .tree_text import FORMS
from .value_text import shown

__all__ = [
    "BYTES",
    "FORMS",
    "MOST_DEPTH",
    "Dumper",
    "Field",
    "Located",
    "MessageScan",
    "Painter",
    "Record",
    "RecordScan",
    "Trace",
    "Wanted",
    "described_fields",
    "page",
    "page_record",
    "places_of",
    "ranges",
    "read_object",
    "record_data",
    "record_head",
    "record_scan",
    "records",
    "shown",
    "shown_records",
    "tree",
]
