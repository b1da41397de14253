"""The base of classes of Kaitai's read-write API."""

from ...base.face import face
from .assembling import UnassembledError
from .assigned import bind_argument, check_argument, follow_argument, put, set_argument, setter
from .buffered import BufferedReadWriteStruct
from .byte_fields import (
    RawContent,
    at_end,
    deflated,
    expected,
    follow_now,
    inflated,
    is_open,
    room,
    write_limited,
    write_run,
    write_terminated,
    write_to_end,
)
from .checks import (
    check_bits,
    check_case,
    check_checksum,
    check_count,
    check_count_now,
    check_last,
    check_last_now,
    check_limited,
    check_size,
    check_some,
    check_terminated,
    cover,
    follow_tag,
)
from .enclosing import Enclosure, begin_enclosed, write_enclosed
from .layout import placed
from .solving import Solution
from .streams import GrowingStream
from .structs import ReadWriteStruct

__all__ = [
    "BufferedReadWriteStruct",
    "Enclosure",
    "GrowingStream",
    "RawContent",
    "ReadWriteStruct",
    "Solution",
    "UnassembledError",
    "at_end",
    "begin_enclosed",
    "bind_argument",
    "check_argument",
    "check_bits",
    "check_case",
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
    "follow_argument",
    "follow_now",
    "follow_tag",
    "inflated",
    "is_open",
    "placed",
    "put",
    "room",
    "set_argument",
    "setter",
    "write_enclosed",
    "write_limited",
    "write_run",
    "write_terminated",
    "write_to_end",
]

__getattr__ = face(
    __name__,
    {
        "assembling": "AssembledStruct",
    },
)
