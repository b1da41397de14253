"""gzip by ``zlib``: members back to back, zeros after the last one, bounded output; the next member after damage."""

from __future__ import annotations

import zlib
from collections import deque
from contextlib import suppress
from typing import Any

from .codec import Codec, CodecError, Compressor, Decoder, OtherCodecError

PIECE = 64 * 1024
STEP = 16 * 1024
"""Stored bytes that are decompressed per call, to at most 1032 times as many. The output buffer is always large enough:
a decompressor that runs out of room keeps output back, which would be lost if the next bytes are damaged."""
WINDOW_BITS = 31
"""zlib's number for a gzip header and trailer around the largest window."""
MAGIC = b"\x1f\x8b\x08"
LOOKED_BACK = 4
"""Number of steps of a damaged member in which the next one is searched for: what is decompressed of a damaged one may
extend into it."""
MAGICS = tuple(MAGIC + bytes((flags,)) for flags in range(0x20))
"""The magic number, the method deflate and no unknown flag."""
PROOF = 256 * 1024
"""Stored bytes that prove a member without its checksum, which is at its end, if all of them can be decompressed."""
PROVING = 16 * 1024 * 1024
"""Maximum number of bytes that are decompressed to prove a member."""
MOST_PROVING = 1024 * 1024 * 1024
"""Maximum number of bytes that are decompressed of what turned out to be no member, in one stream."""


def begins_well(head: bytes) -> bool:
    """Return whether these first bytes of a stream give any output before damage, or are a whole member."""
    member = zlib.decompressobj(WINDOW_BITS)
    try:
        return bool(member.decompress(head, 1)) or member.eof
    except zlib.error:
        return bool(up_to_damage(zlib.decompressobj(WINDOW_BITS), memoryview(head)))


class GzipDecoder:
    """A decoder of any number of members."""

    room = 1

    def __init__(self, source: Decoder) -> None:
        self._source = source
        self._piece = memoryview(bytearray(PIECE))
        self._input = self._piece[:0]
        self._taken = 0
        """Number of stored bytes up to the end of ``_input``."""
        self._output = memoryview(b"")
        """Decompressed bytes that have not been returned yet."""
        self._member: Any = zlib.decompressobj(WINDOW_BITS)
        self._begun = False
        """Whether a byte of the present member has been seen."""
        self._first = True
        self._failure: CodecError | None = None
        self._before: deque[bytes] = deque(maxlen=LOOKED_BACK)
        """The last steps of the present member, of which there have been ``_steps``."""
        self._steps = 0
        self._tried = 0
        """Number of bytes that were decompressed of what was no member."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Like ``Decoder.readinto``."""
        while not self._output:
            if self._failure is not None:
                raise self._failure
            if not self._input:
                count = self._source.readinto(self._piece)
                self._input = self._piece[:count]
                self._taken += count
                if not count:
                    return self._finish()
            if self._begun or self._next_member():
                self._decompress()
        count = min(len(buffer), len(self._output))
        buffer[:count] = self._output[:count]
        self._output = self._output[count:]
        return count

    def _next_member(self) -> bool:
        """Return whether a member begins here; zero bytes between and after members are skipped."""
        if not self._first:
            self._input = self._input[len(self._input) - len(bytes(self._input).lstrip(b"\0")) :]
            if not self._input:
                return False
        self._begun = True
        return True

    def _finish(self) -> int:
        if self._begun:
            self._failure = CodecError("compressed stream ends early, inside a gzip member")
            raise self._failure
        return 0

    def _decompress(self) -> None:
        """Decompress the next bytes of the input, up to the end of the member."""
        before, step = self._member.copy(), self._input[:STEP]
        try:
            self._output = memoryview(self._member.decompress(step))
        except zlib.error as error:
            # zlib discards the call's output with the error: decompress the same input again, up to the damage.
            detail = str(error).rpartition(": ")[2]
            text = f"the gzip stream is damaged ({detail})"
            if not self._steps and not bytes(step).startswith(MAGIC[:2]):
                if self._first:
                    raise OtherCodecError("not a gzip stream") from None
                text = (
                    f"no gzip member at compressed byte {self._taken - len(self._input)}, where a member or the end of "
                    "the input was expected"
                )
            self._failure = CodecError(text)
            self._output = memoryview(up_to_damage(before, step))
            return
        self._before.append(bytes(step))
        self._steps += 1
        self._input = self._input[len(step) - len(self._member.unused_data) :]
        if self._member.eof:
            self._begin(begun=False)
            self._first = False

    def _begin(self, *, begun: bool) -> None:
        """Expect a member at the beginning of the input; ``begun``: it is known to be there."""
        self._member = zlib.decompressobj(WINDOW_BITS)
        self._begun = begun
        self._before.clear()
        self._steps = 0

    # After damage ----------------------------------------------------------------------------------------------------

    def resume(self) -> bool:
        """Like ``Resumable.resume``: a member is one whose header and checksum are valid, or of which ``PROOF`` bytes
        can be decompressed."""
        rest = bytearray(b"".join(self._before)) + self._input
        if self._steps <= LOOKED_BACK:
            # The damaged member itself begins here.
            del rest[:1]
        while self._tried < MOST_PROVING:
            begin = rest.find(MAGIC)
            # What has been searched is dropped.
            del rest[: begin if begin >= 0 else max(0, len(rest) - len(MAGIC) + 1)]
            if begin < 0:
                if not self._read_more(rest):
                    return False
            elif self._proves(rest):
                self._input = memoryview(bytes(rest))
                self._failure = None
                self._begin(begun=True)
                return True
            else:
                del rest[:1]
        return False

    def _read_more(self, rest: bytearray) -> bool:
        """Append the next bytes of the source; false at its end."""
        count = self._source.readinto(self._piece)
        self._taken += count
        rest += self._piece[:count]
        return count > 0

    def _proves(self, rest: bytearray) -> bool:
        """Return whether ``rest``, to which the bytes that it needs are appended, begins with a member."""
        member, place, made = zlib.decompressobj(WINDOW_BITS), 0, 0
        while place < PROOF and made < PROVING:
            if place == len(rest) and not self._read_more(rest):
                break
            step = bytes(rest[place : place + STEP])
            try:
                made += len(member.decompress(step, PROVING))
            except zlib.error:
                break
            if member.eof:
                return True
            place += len(step)
        else:
            return True
        self._tried += made + STEP
        return False


def up_to_damage(member: Any, data: memoryview) -> bytes:
    """Return what a decompressor makes of ``data`` before damage in it."""
    output = bytearray()
    with suppress(zlib.error):
        for index in range(len(data)):
            output += member.decompress(data[index : index + 1])
    return bytes(output)


def _compressor(level: int) -> Compressor:
    # No time in the header, so that equal input gives equal bytes.
    return zlib.compressobj(level, zlib.DEFLATED, WINDOW_BITS)


GZIP = Codec(
    name="gzip",
    suffixes=(".gz", ".gzip"),
    magics=MAGICS,
    begins_well=begins_well,
    decoder=lambda source, max_window: GzipDecoder(source),
    compressor=_compressor,
    levels=range(10),
    default_level=6,
)
