"""Parts of the inputs of a scan, each of which one thread reads at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..base.threads import processors
from ..input.inputs import FileInput, Input, MemoryInput, ObjectInput
from ..input.stored import Stored
from .indexes import may_apply
from .opening import LEADING_BYTES, is_uncompressed
from .options import LAST_OFFSET
from .request import is_split
from .small_file_loading import is_small

if TYPE_CHECKING:
    from .request import ScanRequest

WORTH = 8 * 1024 * 1024
"""Stored bytes of all inputs from which on they are read by threads if ``threads`` is not given: less is read before
threads would have started."""
SMALL_FILES = 256
"""Maximum number of small files in a part."""
RANGE = 16 * 1024 * 1024
"""Size in bytes of the ranges of a large input. The beginning of each costs as much as a twentieth of the fastest
read, and threads can read as many ranges ahead as there are in ``max_ahead``."""


@dataclass(frozen=True, slots=True)
class ScanPart:
    """Whole inputs, or the byte range of one; its ranges are consecutive parts."""

    inputs: Sequence[Input]
    byte_range: tuple[int, int] | None = None

    @property
    def is_last(self) -> bool:
        """Return whether nothing of its inputs follows."""
        return self.byte_range is None or self.byte_range[1] == LAST_OFFSET

    def continues(self, source: Input | None) -> bool:
        """Return whether it is a byte range of an input, but not the first one."""
        return self.byte_range is not None and self.byte_range[0] > 0 and self.inputs[0] is source


def max_threads(request: ScanRequest, inputs: Sequence[Input]) -> int:
    """Return the maximum number of threads that read the inputs; there are never more than parts.

    It is 1 for the object parser, whose threads Python's global lock serializes, with a limit, which ends the scan
    soon, for pipes and for files that the caller has opened, and for less than ``WORTH`` bytes unless ``threads`` is
    given.
    """
    if not inputs or (len(inputs) == 1 and not _may_split(request, inputs[0])):
        return 1
    wanted = request.threads or processors()
    if wanted == 1 or request.limit is not None or not request.by_engine:
        return 1
    if any(each.may_block or each.size is None or isinstance(each, ObjectInput) for each in inputs):
        # Pipes are waited for, and files that a caller has opened are the caller's.
        return 1
    return wanted if request.threads or sum(each.size or 0 for each in inputs) >= WORTH else 1


def parts_of(request: ScanRequest, inputs: Sequence[Input]) -> Iterator[ScanPart]:
    """Yield the parts of the inputs, in their order: a large input by itself or, if possible, in byte ranges,
    consecutive small files together."""
    together: list[Input] = []
    for each in inputs:
        if is_small(each) and len(together) < SMALL_FILES:
            together.append(each)
            continue
        if together:
            yield ScanPart(together)
            together = []
        if is_small(each):
            together.append(each)
        else:
            yield from _parts_of_large(request, each)
    if together:
        yield ScanPart(together)


def _parts_of_large(request: ScanRequest, source: Input) -> Iterator[ScanPart]:
    if not _may_split(request, source) or not _is_plain(request, source):
        yield ScanPart([source])
        return
    begins = range(0, (source.size or 0) - RANGE // 2, RANGE)
    for begin in begins:
        # The last range ends with the input, even if that has grown.
        yield ScanPart([source], (begin, LAST_OFFSET if begin == begins[-1] else begin + RANGE))


def _may_split(request: ScanRequest, source: Input) -> bool:
    """Return whether threads read byte ranges of an input, which have the same rows and the same report as the whole,
    unless it is compressed.

    Only if ``threads`` is given: on two cores a scan of one large file of plain rows took a third longer, since one
    thread reads with another one that reads ahead, and its memory is used again.

    Blocks of a fixed size are not split: threads fill several extents of them anyway, and ranges take a third more of
    processor time. Each range of a remote input would cost requests.
    """
    return (
        request.threads is not None
        and (source.size or 0) >= 2 * RANGE
        and type(source) in (FileInput, MemoryInput)
        and not source.sparse
        and not request.grows
        and not request.verify_sha256
        and request.byte_range is None
        and request.resume is None
        and not may_apply(request)
        and not request.format.input_format.block
        # A search proves where a unit begins, also without the option.
        and is_split(request.format, True, request.projection.names)
    )


def _is_plain(request: ScanRequest, source: Input) -> bool:
    """Return whether an input is not compressed, and does not begin with zeros, which each range would look at."""
    try:
        stored = Stored(source.open(), source.size)
        with closing(stored):
            return any(stored.peek(LEADING_BYTES)) and is_uncompressed(request.format, source, request.codec)
    except WireloomError:
        # The thread that reads the input reports the error.
        return False
