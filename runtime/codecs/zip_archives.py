"""ZIP archives with one member, which is the content: stored, or compressed with deflate or zstd.

An archive is read from its beginning to its end, where its directory must say what was found. If the input can be read
from any byte, several members are noticed at once by the number of them at its end.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from ..base.errors import WireloomError
from .codec import Codec, CodecError, Compressor, Decoder, OtherCodecError
from .gzip import up_to_damage
from .parts import BUFFER, Cursor, PartsDecoder
from .zstd import ZstdDecoder

LOCAL, CENTRAL, DESCRIPTOR, END, END_64 = b"PK\3\4", b"PK\1\2", b"PK\7\x08", b"PK\5\6", b"PK\6\6"
LOCAL_HEADER, CENTRAL_HEADER = struct.Struct("<4xH2H4x3I2H"), struct.Struct("<6xH2H4x3I3H8xI")
END_HEADER = struct.Struct("<4x4H2IH")
LOCATOR_SIZE = 20
STEP = 8 * 1024
"""Stored bytes that are decompressed per call, to at most 1032 times as many."""
ENCRYPTED, STREAMED = 0x2041, 0x0008
"""Flags: the content or the whole archive is encrypted; the sizes of the member are after it."""
STORED, DEFLATED, ZSTD = 0, 8, 93
LATEST_VERSION, LAST_METHOD, LARGEST_NAME = 63, 99, 4096
MANY, LATER = 0xFFFF, 0xFFFFFFFF
"""Instead of a larger number, which is elsewhere: sizes are in the extra field ``WIDE``."""
WIDE = 1


class _Member(NamedTuple):
    """A member according to its local header, to its entry of the directory, or to its content."""

    name: bytes
    method: int
    crc: int
    stored_size: int
    size: int
    offset: int = 0


@runtime_checkable
class _Seekable(Protocol):
    size: int | None

    def seek(self, offset: int, /) -> None: ...


def _several() -> CodecError:
    message = "the zip archive has several members, and only a single one is read: extract them"
    return OtherCodecError(message, reason="unsupported")


def _member(name: bytes, extra: bytes, method: int, crc: int, *numbers: int) -> _Member:
    """Return the member of a header. ``numbers``: its stored size, its size, and its offset in an entry."""
    stored_size, size, offset = (*numbers, 0)[:3]
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == WIDE:
            # Only of the numbers that do not fit into the header, in this order.
            wide = (int.from_bytes(extra[at : at + 8], "little") for at in range(4, 4 + length, 8))
            size, stored_size, offset = (
                next(wide, each) if each == LATER else each for each in (size, stored_size, offset)
            )
        extra = extra[4 + length :]
    return _Member(name, method, crc, stored_size, size, offset)


class _Archive:
    """One archive."""

    def __init__(self, source: Decoder, max_window: int) -> None:
        self._source = source
        self._max_window = max_window
        self._cursor = Cursor(source, "zip")

    def contents(self) -> Iterator[bytes]:
        """Yield the content of the member."""
        cursor = self._cursor
        self._count_members()
        if not cursor.have(1):
            return
        if cursor.begins((LOCAL, END), "an archive") == END:
            raise OtherCodecError("the zip archive has no member", reason="unsupported")
        _, flags, method, crc, *sizes, name_size, extra_size = LOCAL_HEADER.unpack(self._taken(LOCAL_HEADER.size))
        local = _member(self._taken(name_size), self._taken(extra_size), method, crc, *sizes)
        begin, crc, size = cursor.position, 0, 0
        for piece in self._pieces(local, flags):
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            yield piece
            del piece
        found = _Member(local.name, method, crc, cursor.position - begin, size)
        if flags & STREAMED:
            self._skip_descriptor(found)
        elif local != found:
            raise self._contradiction("the header of its member")
        self._read_directory(found)

    def _count_members(self) -> None:
        """Raise ``CodecError`` if there are several members, and the source can be read from any byte."""
        source = self._source
        if not isinstance(source, _Seekable) or not source.size:
            return
        try:
            source.seek(max(0, source.size - END_HEADER.size - MANY))
        except WireloomError:
            return
        end = Cursor(source, "zip")
        end.have(END_HEADER.size + MANY)
        data = end.look(END_HEADER.size + MANY)
        source.seek(0)
        at = data.rfind(END)
        if 0 <= at <= len(data) - END_HEADER.size and 1 < END_HEADER.unpack_from(data, at)[3] < MANY:
            raise _several()

    def _taken(self, size: int, inside: str = "the header of a member") -> bytes:
        self._cursor.need(size, inside)
        return self._cursor.take(size)

    def _contradiction(self, what: str) -> CodecError:
        return CodecError(f"{what} contradicts the content of the zip archive, at byte {self._cursor.position}")

    def _pieces(self, member: _Member, flags: int) -> Iterator[bytes]:
        if flags & ENCRYPTED:
            raise OtherCodecError("the member of the zip archive is encrypted: decrypt it first", reason="unsupported")
        if member.method == DEFLATED:
            return self._inflated()
        if member.method not in (STORED, ZSTD) or flags & STREAMED:
            streamed = " as a stream" if flags & STREAMED else ""
            raise OtherCodecError(
                f"the member of the zip archive is compressed with method {member.method}{streamed}, which is not "
                "supported: extract it",
                reason="unsupported",
            )
        part = _StoredMember(self._cursor, member.stored_size)
        return _read(part if member.method == STORED else ZstdDecoder(part, self._max_window))

    def _inflated(self) -> Iterator[bytes]:
        cursor, stream = self._cursor, zlib.decompressobj(-zlib.MAX_WBITS)
        while not stream.eof:
            cursor.need(1, "a member of a zip archive")
            before, step = stream.copy(), cursor.take(STEP)
            try:
                content = stream.decompress(step)
            except zlib.error as error:
                yield up_to_damage(before, memoryview(step))
                raise cursor.damaged("member", str(error).rpartition(": ")[2], len(step)) from None
            yield content
            del content
        cursor.give_back(len(stream.unused_data))

    def _skip_descriptor(self, found: _Member) -> None:
        """Skip the checksum and the sizes after a member, which may have a signature, and sizes of eight bytes."""
        cursor = self._cursor
        cursor.have(24 + 4)
        for signature in (DESCRIPTOR, b""):
            for width in (4, 8):
                sizes = (each.to_bytes(8, "little")[:width] for each in (found.stored_size, found.size))
                expected = b"".join((signature, found.crc.to_bytes(4, "little"), *sizes))
                if cursor.look(len(expected) + 2).removesuffix(b"PK") == expected:
                    cursor.take(len(expected))
                    return
        cursor.need(24, "the sizes after a member")
        raise self._contradiction("the checksum or a size after its member")

    def _read_directory(self, found: _Member) -> None:
        """Read the rest of the archive, which must describe this member."""
        cursor, begin = self._cursor, self._cursor.position
        cursor.need(4, "a zip archive, before its directory")
        if cursor.look(4) == LOCAL:
            raise _several()
        if cursor.look(4) != CENTRAL:
            raise self._contradiction("what follows its member")
        inside = "the directory of a zip archive"
        _, _, method, crc, *sizes, name_size, extra_size, comment_size, offset = CENTRAL_HEADER.unpack(
            self._taken(CENTRAL_HEADER.size, inside)
        )
        entry = _member(self._taken(name_size, inside), self._taken(extra_size, inside), method, crc, *sizes, offset)
        cursor.skip(comment_size, inside)
        if entry != found:
            raise self._contradiction("its directory")
        size = cursor.position - begin
        if cursor.have(12) and cursor.look(4) == END_64:
            cursor.skip(12 + int.from_bytes(cursor.look(8, 4), "little") + LOCATOR_SIZE, "the end of a zip archive")
        cursor.need(4, inside)
        if cursor.look(4) == CENTRAL:
            raise _several()
        *numbers, comment_size = END_HEADER.unpack(cursor.look(END_HEADER.size).ljust(END_HEADER.size, b"\0"))
        cursor.need(END_HEADER.size, "the end of a zip archive")
        stated = zip(numbers, (0, 0, 1, 1, size, begin), strict=True)
        if cursor.take(4) != END or any(each not in (right, MANY, LATER) for each, right in stated):
            raise self._contradiction("the end of its directory")
        cursor.skip(END_HEADER.size - 4 + comment_size, "the comment of a zip archive")
        if cursor.have(1):
            raise CodecError(f"bytes follow the zip archive, from compressed byte {cursor.position} on")


class _StoredMember:
    """The stored bytes of a member as the source of a decoder."""

    room = 1

    def __init__(self, cursor: Cursor, size: int) -> None:
        self._cursor = cursor
        self._left = size

    def readinto(self, buffer: memoryview, /) -> int:
        """Like ``Decoder.readinto``."""
        if self._left:
            self._cursor.need(1, "a member of a zip archive")
        data = self._cursor.take(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


def _read(decoder: Decoder) -> Iterator[bytes]:
    buffer = memoryview(bytearray(max(decoder.room, BUFFER)))
    while count := decoder.readinto(buffer):
        yield bytes(buffer[:count])


def _begins_well(head: bytes) -> bool:
    """Return whether an archive begins with a possible header of a member, or has none."""
    if head[:4] == END:
        return len(head) >= END_HEADER.size and not any(head[4:20])
    if len(head) < LOCAL_HEADER.size:
        return False
    version, _, method, *_, name_size, _ = LOCAL_HEADER.unpack_from(head)
    return bool(version & 0xFF <= LATEST_VERSION and method <= LAST_METHOD and 0 < name_size <= LARGEST_NAME)


class _Sink(bytearray):
    """A file that is written from its beginning to its end."""

    def write(self, data: bytes) -> int:
        """Write, like a file."""
        self += data
        return len(data)

    def flush(self) -> None:
        """Do nothing."""


class _ZipCompressor:
    """Writes an archive with one member named ``data``, without times, so that equal input gives equal bytes."""

    def __init__(self, level: int) -> None:
        import zipfile

        self._sink = _Sink()
        self._archive = zipfile.ZipFile(cast(Any, self._sink), "w", zipfile.ZIP_DEFLATED, compresslevel=level)
        self._member = self._archive.open("data", "w", force_zip64=True)

    def compress(self, data: bytes | memoryview, /) -> bytes:
        """Like ``Compressor.compress``."""
        self._member.write(bytes(data))
        return self._taken()

    def flush(self) -> bytes:
        """Like ``Compressor.flush``."""
        self._member.close()
        self._archive.close()
        return self._taken()

    def _taken(self) -> bytes:
        data = bytes(self._sink)
        self._sink.clear()
        return data


def _compressor(level: int) -> Compressor:
    return _ZipCompressor(level)


ZIP = Codec(
    name="zip",
    suffixes=(".zip",),
    magics=(LOCAL, END),
    begins_well=_begins_well,
    decoder=lambda source, max_window: PartsDecoder(_Archive(source, max_window).contents()),
    compressor=_compressor,
    levels=range(10),
    default_level=6,
)
