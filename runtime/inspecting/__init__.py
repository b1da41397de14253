"""Records for display: their position in a file, their bytes, their fields, and their errors."""

from .displayed_records import Record, records
from .dumping import BYTES, Dumper, NamedValues, read_object
from .field import Field
from .field_tree import MOST_DEPTH, tree
from .locating import Located, RecordScan, Wanted, record_scan
from .messages import MessageScan, shown_records
from .page import described_fields, page, page_record, ranges, record_head
from .stuffed import places as places_of
from .text import Painter
from .tracing import Trace
from .tree_text import FORMS, record_data
from .value_text import shown

__all__ = [
    "BYTES",
    "FORMS",
    "MOST_DEPTH",
    "Dumper",
    "Field",
    "Located",
    "MessageScan",
    "NamedValues",
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
