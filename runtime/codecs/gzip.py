"""gzip, by ``zlib``: members back to back, zero bytes after the last one, all output bounded."""

from __future__ import annotations

import zlib
from typing import Any

from .error import CodecError
from .stored import Stored

PIECE = 64 * 1024
TRIAL = 4096
GZIP = 31
"""zlib's number for a gzip header and trailer around the largest window."""


def looks_like(head: bytes) -> bool:
    """Whether a stream that begins so has the magic number, the one method there is, and no unknown flag."""
    return len(head) > 3 and head[:3] == b"\x1f\x8b\x08" and not head[3] & 0xE0


def begins_well(head: bytes) -> bool:
    """Whether these first bytes of a stream decompress to something before they are damaged, or are a whole member."""
    member = zlib.decompressobj(GZIP)
    try:
        return bool(member.decompress(head, TRIAL)) or member.eof
    except zlib.error:
        return bool(_up_to_damage(zlib.decompressobj(GZIP), head, 1))


class GzipDecoder:
    """Any number of members."""

    room = 1

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._piece = memoryview(bytearray(PIECE))
        self._input = b""
        self._member: Any = zlib.decompressobj(GZIP)
        self._begun = False
        """Whether a byte of the present member has been seen."""
        self._first = True
        self._failure: CodecError | None = None

    def readinto(self, buffer: memoryview, /) -> int:
        """As ``Decoder.readinto``."""
        while True:
            if self._failure is not None:
                raise self._failure
            if not self._input:
                count = self._stored.readinto(self._piece)
                self._input = bytes(self._piece[:count])
                if not count:
                    return self._finish(buffer)
            if not self._begun and not self._next_member():
                continue
            output = self._decompress(len(buffer))
            if self._member.eof:
                self._input = self._member.unused_data
                self._member = zlib.decompressobj(GZIP)
                self._begun = False
                self._first = False
            else:
                self._input = self._member.unconsumed_tail
            if output:
                buffer[: len(output)] = output
                return len(output)

    def _next_member(self) -> bool:
        """Whether a member begins here; zero bytes between and behind members are left out."""
        if not self._first:
            self._input = self._input.lstrip(b"\0")
            if not self._input:
                return False
        self._begun = True
        return True

    def _finish(self, buffer: memoryview) -> int:
        if not self._begun:
            return 0
        # What the decompressor held back because there was no room.
        output: bytes = self._member.decompress(b"", len(buffer))
        if output:
            buffer[: len(output)] = output
            return len(output)
        raise CodecError("compressed stream ends early, inside a gzip member")

    def _decompress(self, room: int) -> bytes:
        before = self._member.copy()
        try:
            output: bytes = self._member.decompress(self._input, room)
        except zlib.error as error:
            # The call's output is lost with the error: take the same input again, byte by byte, up to the damage.
            detail = str(error).rpartition(": ")[2]
            self._failure = CodecError(f"the gzip stream is damaged ({detail})")
            output = _up_to_damage(before, self._input, room)
            self._member = zlib.decompressobj(GZIP)
            self._input = b"\0"
        return output


def _up_to_damage(member: Any, data: bytes, room: int) -> bytes:
    # What the member has not taken of earlier input is part of ``data``.
    output = held = b""
    try:
        for index in range(len(data)):
            if len(output) == room:
                break
            output += member.decompress(held + data[index : index + 1], room - len(output))
            held = member.unconsumed_tail
    except zlib.error:
        return output
    return output
