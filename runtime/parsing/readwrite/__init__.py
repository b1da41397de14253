"""What classes of Kaitai's read-write API stand on."""

from .checks import (
    check_argument,
    check_bits,
    check_count,
    check_count_now,
    check_last,
    check_last_now,
    check_limited,
    check_size,
    check_some,
    check_terminated,
    set_argument,
)
from .checksums import check_checksum, cover
from .enclosing import Enclosure, begin_enclosed, write_enclosed
from .layout import placed
from .raw import RawContent
from .solving import Solution
from .streams import GrowingStream
from .structs import ReadWriteStruct
from .values import (
    at_end,
    deflated,
    expected,
    inflated,
    is_open,
    room,
    write_limited,
    write_run,
    write_terminated,
    write_to_end,
)

__all__ = [
    "Enclosure",
    "GrowingStream",
    "RawContent",
    "ReadWriteStruct",
    "Solution",
    "at_end",
    "begin_enclosed",
    "check_argument",
    "check_bits",
    "check_checksum",
    "check_count",
    "check_count_now",
    "check_last",
    "check_last_now",
    "check_limited",
    "check_size",
    "check_some",
    "check_terminated",
    "cover",
    "deflated",
    "expected",
    "inflated",
    "is_open",
    "placed",
    "room",
    "set_argument",
    "write_enclosed",
    "write_limited",
    "write_run",
    "write_terminated",
    "write_to_end",
]
