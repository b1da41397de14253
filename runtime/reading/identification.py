"""Identification of the formats of inputs by their first bytes and by the suffixes of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .. import codecs
from ..base.arguments import checks_keywords
from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..base.options import options_of
from ..base.text import counted
from ..codecs import CodecError, without_suffix
from ..format.registry import formats, get
from ..input.expansion import expand
from ..input.inputs import Input, Location, MemoryInput
from ..input.stored import Stored
from ..input.window import HEAD_SIZE, DirectBlocks, StreamWindow
from ..rows.zero_runs import NOT_ZERO
from .evidence import CHANGED_SIZE, EXAMINED, LEAST_DISTINCTIVE, evidence_in, is_distinctive, kind_of
from .options import GROWING
from .request import grows_by_rows, scan_request
from .scanning import Scanner

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..format.description import Format

MOST = 4 * 1024 * 1024
"""Bytes that are examined if the first ones show nothing."""
MAX_RECORD = 16 * 1024 * 1024
"""Longer records are not tried."""
CHECKSUM_WITHIN = 24
"""Number of bytes at the beginning of a row among which some change its checksum, if it has one."""
EMPTY: tuple[Any, ...] = (0, "", b"", False, [], {})
"""What a message without known fields has in columns that are not null."""
SHOWN_ROWS = 20
LEAST_ROW = 2
"""Bytes that a row has at least on average."""
CERTAIN, LIKELY, POSSIBLE = 3, 2, 1
"""How much is known of an input: its first bytes are those of the format alone; they are valid in it, and the name has
its suffix; they are valid in it, which may be by chance."""


@dataclass(frozen=True)
class Match:
    """A format in which the first rows of an input are valid."""

    format: Format
    certainty: int
    has_suffix: bool
    """Whether the name of the input has a suffix of the format."""


@dataclass(frozen=True)
class Identification:
    """The formats that an input may have by its first bytes and its name."""

    path: str | None
    codec: str
    """The codec of the whole input, ``none`` if it is not compressed."""
    matches: tuple[Match, ...] = ()
    """The formats that the input may have, the most certain ones first."""
    description: str | None = None
    """A sentence about an input of no known format."""

    @property
    def format(self) -> Format | None:
        """Return the most certain format, if it is at least likely and no other is as certain; among equals the one
        whose suffix the name has. ``None`` if there is none."""
        best = [each for each in self.matches if each.certainty == self.matches[0].certainty]
        if len(best) > 1:
            best = [each for each in best if each.has_suffix]
        return best[0].format if len(best) == 1 and best[0].certainty > POSSIBLE else None


@checks_keywords(options_of(Location))
def identify(source: Any, **location: Any) -> list[Identification]:
    """Return the formats that the inputs of ``source`` may have.

    Args:
        source: As for ``wireloom.scan``, but inputs that can be read only once are refused.
        location: The options for access to object stores: region, endpoint and so on, as for ``wireloom.scan``.

    Raises:
        UnknownNameError: There is no such option.
        WireloomError: Nothing is found, or an input cannot be opened.
    """
    return [identify_input(each) for each in expand(source, Location(**location))]


def identify_input(source: Input) -> Identification:
    """Return what the first bytes of an input show: ``HEAD_SIZE`` of them are decompressed, or ``MOST`` if these show
    nothing.

    Raises:
        WireloomError: The input cannot be opened, or can be read only once.
    """
    if not source.seekable:
        raise WireloomError(
            "an input that can be read only once is not identified: name its format before it", path=source.path
        )
    magics = tuple(filter(None, (get(each).own_magic for each in formats())))
    name = without_suffix(source.name)
    for size in (HEAD_SIZE, MOST):
        codec, head, is_whole, error = _head(source, size, magics)
        if not head:
            what = "it is empty" if error is None else error.message
            return Identification(source.path, codec, description=what)
        if NOT_ZERO.search(head) is None:
            # A byte of zero is a valid message of many formats.
            what = "it contains nothing but zeros" if is_whole else f"its first {counted(len(head), 'byte')} are zeros"
            return Identification(source.path, codec, description=what)
        known = [get(each) for each in formats()]
        # What begins with a magic number is nothing else, and others take longer to exclude.
        shown = [each for each in known if each.message is None and is_distinctive(each, head, MAX_RECORD)]
        found = _matches(shown, head, is_whole=is_whole, name=name)
        if not any(each.certainty == CERTAIN for each in found):
            found += _matches([each for each in known if each not in shown], head, is_whole=is_whole, name=name)
        if is_whole or any(each.certainty > POSSIBLE for each in found):
            break
    found.sort(key=lambda each: (-each.certainty, not each.has_suffix))
    unknown = None if found else kind_of(head) or "it is of no format that is known here"
    return Identification(source.path, codec, tuple(found), unknown)


def _head(source: Input, size: int, magics: tuple[bytes, ...]) -> tuple[str, bytes, bool, WireloomError | None]:
    """Return the codec of an input, its first ``size`` bytes after decompression, whether these are all of it, and the
    error of the codec or the storage after them. ``magics``: those of formats that begin like codecs."""
    stored = Stored(source.open(), source.size)
    try:
        codec = codecs.NONE.name
        try:
            begin = stored.peek(codecs.HEAD)
            own = next((each for each in magics if begin.startswith(each)), b"")
            codec = codecs.detect(begin, source.name, "", own)
            window = StreamWindow(DirectBlocks(codecs.decoder(codec, stored), HEAD_SIZE))
        except CodecError:
            codec, window = codecs.NONE.name, StreamWindow(DirectBlocks(stored, HEAD_SIZE))
        is_whole = False
        while len(window.view) <= size and not is_whole:
            is_whole = not window.extend()
        return codec, bytes(window.view[:size]), is_whole and window.error is None, window.error
    finally:
        stored.close()


def _matches(known: list[Format], head: bytes, *, is_whole: bool, name: str) -> list[Match]:
    return [match for each in known if (match := _match(each, head, is_whole=is_whole, name=name))]


def _match(format: Format, head: bytes, *, is_whole: bool, name: str) -> Match | None:
    """Return how certain it is that an input has the format; ``None`` if it does not seem to have it."""
    has_suffix = any(name.endswith(f".{each}") for each in format.extensions)
    if not is_whole and not grows_by_rows(format):
        # Its first bytes alone are not valid.
        return Match(format, LIKELY, has_suffix) if has_suffix else None
    scan = _scan(format, head, is_whole=is_whole)
    if scan is None:
        return None
    found, first = scan
    is_valid = not found.damaged and found.tail in ("clean", GROWING)
    if not found.rows:
        begins_well = format.message is None and not found.foreign and (is_valid or found.tail == "truncated")
        if begins_well and is_distinctive(format, head, MAX_RECORD):
            # Its header, or the beginning of its first row.
            return Match(format, CERTAIN, has_suffix)
        is_other = found.foreign or evidence_in(format, head, MAX_RECORD) is not None
        return Match(format, LIKELY, has_suffix) if has_suffix and not is_other else None
    if found.rows > len(head) // LEAST_ROW or (format.message is not None and not is_valid):
        return None
    if grows_by_rows(format):
        last = first + (CHANGED_SIZE if is_valid else HEAD_SIZE)
        head, is_whole = head[:last], is_whole and len(head) <= last
    fixed = _fixed_bytes(format, head, first, is_whole=is_whole, checksums=not is_valid)
    if fixed >= LEAST_DISTINCTIVE:
        return Match(format, CERTAIN, has_suffix)
    if format.message is None and is_distinctive(format, head, MAX_RECORD):
        # Damage in it is damage of this format.
        return Match(format, CERTAIN, has_suffix)
    # Where nothing changes, any bytes are valid.
    return Match(format, LIKELY if has_suffix else POSSIBLE, has_suffix) if fixed and is_valid else None


def _scan(format: Format, data: bytes, *, is_whole: bool) -> tuple[FileReport, int] | None:
    """Return the report of a read of the bytes, and the offset of the first row; ``None`` if they cannot be read, or if
    no row of messages has a value: unknown fields are valid in all of them."""
    how: Any = {} if is_whole or not grows_by_rows(format) else {"tail": GROWING}
    names = ["_offset", *(format.default_columns if format.message is not None else ())]
    request = scan_request(format, columns=names, codec=codecs.NONE.name, max_record=MAX_RECORD, **how)
    first, has_values = None, format.message is None
    try:
        with Scanner(request, [MemoryInput(None, len(data), seekable=True, content=memoryview(data))]) as scanner:
            for batch in scanner:
                first = batch.column(0)[0].as_py() if first is None else first
                has_values = has_values or any(
                    column[row].is_valid and column[row].as_py() not in EMPTY
                    for column in batch.columns[1:]
                    # Python has no values for some times.
                    if not pa.types.is_temporal(column.type)
                    for row in range(min(batch.num_rows, SHOWN_ROWS))
                )
            found = scanner.report.files[0]
            return (found, first or 0) if has_values or not found.rows else None
    except WireloomError:
        return None


def _fixed_bytes(format: Format, data: bytes, first: int, *, is_whole: bool, checksums: bool) -> int:
    """Return the number of bytes from the first row on that can have no other value: with it, other rows would be
    valid. ``checksums``: only of those that would make a checksum wrong."""

    def outcome(changed: bytes) -> Any:
        scan = _scan(format, changed, is_whole=is_whole)
        if scan is None or checksums:
            return scan and {each for each in scan[0].damaged if each.reason == "checksum"}
        file = scan[0]
        return file.rows, file.damaged, file.tail, file.tail_offset

    known, count = outcome(data), 0
    for at in range(first, min(len(data), first + EXAMINED)):
        found = outcome(data[:at] + bytes((data[at] ^ 0xFF,)) + data[at + 1 :])
        count += bool(found and found - known) if checksums else found != known
        if count >= LEAST_DISTINCTIVE or (checksums and not count and at >= first + CHECKSUM_WITHIN):
            break
    return count
