"""Opening of an input: from its source to the window that rows are read from."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from .. import codecs
from ..base.addresses import is_remote
from ..base.dataclass import dataclass
from ..base.errors import MissingExtraError, WireloomError
from ..codecs import CodecError, Decoder, Resumable
from ..format.description import Format
from ..input.gaps import GappedWindow
from ..input.inputs import Input
from ..input.stored import Stored
from ..input.window import CHUNK, Blocks, DirectBlocks, MemoryWindow, PrefetchedBlocks, StreamWindow, Window
from .containers import ContainerStream
from .indexes import unread
from .request import ScanRequest

COMPRESSED_WORTH = 256 * 1024
"""Stored size in bytes below which compressed inputs are decompressed faster than a thread starts."""
PLAIN_WORTH = 4 * 1024 * 1024
"""The same for uncompressed files, for which a thread only copies."""
BLOCKS_CHUNK = 8 * 1024 * 1024
"""Bytes that are read at once of inputs of blocks, of which threads fill several extents at the same time."""
LEADING_BYTES = 4096
"""Number of bytes within which the leading zeros of a file, if any, usually end."""


@dataclass
class Opened:
    """An open input. ``window.base + window.begin`` is the offset at which reading begins."""

    window: Window
    stored: Stored | None = None
    at_start: bool = True
    """Whether the window begins at the input's first byte; otherwise it begins before the first wanted delimiter."""
    size: int | None = None
    """Size in bytes of the whole input as it is read, if known without reading it."""
    misnamed: bool = False
    """Whether the name indicates compression but the bytes are not compressed."""
    begin_at: Callable[[int], Window] | None = None
    """Creates a window that begins at an offset of the input; ``None`` if bytes can only be read sequentially. Blocks
    that are compressed are decompressed again up to there."""
    decoder: Decoder | None = None
    """Decompresses the input, if it is compressed."""
    stream: ContainerStream | None = None
    """The same decoder, if it joins containers."""
    known: bytes = b""
    """Units of rows that others look up, which may stand in parts of the input that are not read."""

    @property
    def known_size(self) -> int | None:
        """Return the size in bytes of the whole input as it is read; ``None`` if it is not known yet."""
        window = self.window
        return window.base + len(window.view) if window.at_end else self.size

    def restart(self, offset: int) -> Window:
        """Continue at an offset of the input, with a new window that replaces the previous one."""
        assert self.begin_at is not None
        self.window.close()
        self.window = self.begin_at(offset)
        return self.window

    def resume(self) -> bool:
        """Continue after damage that has ended the window, with a new window of the next part of the compressed stream.
        Return whether there is one. Its first byte has the offset at which the previous window ended."""
        window, decoder = self.window, self.decoder
        if not isinstance(window.error, CodecError) or not isinstance(decoder, Resumable):
            return False
        try:
            # The thread that has used the decoder, if there was one, has ended with the error.
            if not decoder.resume():
                return False
        except WireloomError:
            return False
        end = window.base + len(window.view) if self.stream is None else self.stream.size
        window.close()
        self.window = StreamWindow(DirectBlocks(decoder), end)
        return True

    def close(self) -> None:
        """Close the input and release its buffers."""
        self.window.close()
        if self.stored is not None:
            self.stored.close()


NOT_OPEN = Opened(MemoryWindow(memoryview(b"")))
"""Stands for an input before it is opened."""


def open_input(request: ScanRequest, source: Input) -> Opened:
    """Open an input, detect its codec from its content, and seek to the beginning of the byte range if possible.

    Errors of the content, or later ones of the storage, are stored in ``window.error``. Raises ``WireloomError`` if the
    input cannot be opened.
    """
    begin = request.byte_range[0] if request.byte_range is not None else 0
    seeks = begin > 0 and bool(request.format.delimiter) and not request.format.has_prologue and source.seekable
    content = source.content
    if request.byte_range is not None and request.format.delimiter:
        source = source.within(*request.byte_range)
    obfuscation = _obfuscation(source, request.format.xor_key_file)
    stored = Stored(source.open(), source.size)
    try:
        codec = request.codec
        if codec == codecs.AUTO:
            own = request.format.own_magic
            plain = partial(codecs.is_plain, own=own)
            head = bytes(content[: codecs.HEAD]) if content is not None else stored.peek(codecs.HEAD, plain)
            codec = codecs.detect(head, source.name, request.format.codec, own)
            if codec == "none":
                codec = obfuscation
        if codec == "none" and seeks:
            if content is not None:
                return Opened(MemoryWindow(content, min(begin, len(content))), at_start=False)
            if source.is_file and 0 not in request.format.delimiter and _zeros(stored, begin) >= begin:
                # The first row may follow zeros, in this range: the file must be read from its beginning to determine
                # that.
                stored.seek(0)
                return Opened(StreamWindow(_blocks(request, source, stored, stored)), stored)
            stored.seek(min(begin, source.size or 0))
            return Opened(
                StreamWindow(_blocks(request, source, stored, stored), stored.position), stored, at_start=False
            )
        if codec == "none" and (left_out := unread(request, source, stored)) is not None:
            gapped = GappedWindow(stored, left_out.gaps, request.chunk or CHUNK)
            return Opened(gapped, stored, size=source.size, decoder=stored, known=left_out.known)
        if codec == "none" and content is not None:
            return Opened(
                MemoryWindow(content), begin_at=lambda offset: MemoryWindow(content, min(offset, len(content)))
            )

        def begin_at(offset: int) -> Window:
            stored.seek(min(offset, source.size or 0))
            return StreamWindow(DirectBlocks(stored, request.chunk or CHUNK), stored.position)

        def decompressed_from(offset: int) -> Window:
            stored.seek(0)
            again = codecs.decoder(codec, stored, max_window=request.max_window)
            window = StreamWindow(DirectBlocks(again, request.chunk or CHUNK))
            while (left := offset - window.base - window.begin) > 0:
                window.begin += min(left, len(window.view) - window.begin)
                if window.base + window.begin < offset and not window.extend():
                    break
            return window

        begins = begin_at if codec == "none" else decompressed_from if request.format.block else None
        decoder = stored if codec == "none" else codecs.decoder(codec, stored, max_window=request.max_window)
        window = StreamWindow(_blocks(request, source, stored, decoder))
        # A writer combines its bytes with a key, but not the space that it allocates.
        window.unwritten = decoder.key if isinstance(decoder, codecs.XorDecoder) else b"\0"
        return Opened(
            window,
            stored,
            decoder=decoder,
            size=source.size if codec == "none" else None,
            begin_at=begins if source.seekable else None,
        )
    except MissingExtraError:
        # Not the input is at fault.
        stored.close()
        raise
    except WireloomError as error:
        nothing = MemoryWindow(memoryview(b""))
        nothing.error = error
        return Opened(nothing, stored, misnamed=isinstance(error, CodecError))
    except BaseException:
        # A traceback may exist for a long time.
        stored.close()
        raise


def _obfuscation(source: Input, key_file: str) -> str:
    """Return the codec of a file beside which there may be a file with a key; ``none`` without a key other than zero.
    Raises ``WireloomError`` if the key cannot be read or is too long."""
    if not key_file or not source.is_file or is_remote(source.address):
        return codecs.NONE.name
    path = os.path.join(os.path.dirname(source.address), os.path.basename(key_file))
    try:
        with open(path, "rb") as file:
            key = file.read(codecs.LARGEST_KEY + 1)
    except FileNotFoundError:
        return codecs.NONE.name
    except OSError as error:
        raise WireloomError(f"the key in {path} cannot be read: {error.strerror}", path=source.path) from error
    if len(key) > codecs.LARGEST_KEY:
        raise WireloomError(f"the key in {path} is longer than {codecs.LARGEST_KEY} bytes", path=source.path)
    return f"{codecs.XOR}{key.hex()}" if any(key) else codecs.NONE.name


def is_uncompressed(format: Format, source: Input, codec: str) -> bool:
    """Return whether a file is stored without compression. ``codec``: the option's value; ``auto`` decides by name and
    content. Raises ``WireloomError`` if the file cannot be opened.
    """
    if codec != codecs.AUTO:
        return codec == "none"
    if codecs.by_suffix(source.name) is not None or _obfuscation(source, format.xor_key_file) != codecs.NONE.name:
        return False
    stored = Stored(source.open(), source.size)
    try:
        return codecs.detect(stored.peek(codecs.HEAD), source.name, format.codec, format.own_magic) == "none"
    except WireloomError:
        # The reader of the file reports the error.
        return False
    finally:
        stored.close()


def _zeros(stored: Stored, most: int) -> int:
    """Return the number of zeros at the beginning of the input, at most ``most``."""
    head = stored.peek(LEADING_BYTES)
    count = len(head) - len(head.lstrip(b"\0"))
    if count < len(head):
        return count
    stored.seek(count)
    piece = memoryview(bytearray(CHUNK))
    while count < most:
        count += stored.skip_hole(0)
        size = stored.readinto(piece)
        zeros = size - len(bytes(piece[:size]).lstrip(b"\0"))
        count += zeros
        if zeros < size or not size:
            return count
    return count


def _blocks(request: ScanRequest, source: Input, stored: Stored, decoder: Decoder) -> Blocks:
    chunk = request.chunk or (BLOCKS_CHUNK if request.format.block else CHUNK)
    stop = None if request.byte_range is None else request.byte_range[1]
    if (
        _is_worth_a_thread(source, stored, request, decoder is not stored)
        if request.prefetch is None
        else request.prefetch
    ):
        return PrefetchedBlocks(decoder, chunk, may_block=source.may_block, stop=stop)
    return DirectBlocks(decoder, chunk, stop=stop)


def _is_worth_a_thread(source: Input, stored: Stored, request: ScanRequest, compressed: bool) -> bool:
    if source.size is None:
        return compressed
    if compressed:
        return source.size >= COMPRESSED_WORTH
    # Plain files in memory or on a pipe gain nothing, and holes are skipped only without a thread.
    end = source.size if request.byte_range is None else min(request.byte_range[1], source.size)
    return source.is_file and not source.sparse and end - stored.position >= PLAIN_WORTH
