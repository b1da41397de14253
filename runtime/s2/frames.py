"""S2S frames, ``length (3, big-endian) | flag (1) | body``: reads them from arbitrary chunks, and writes them.

Where S2's published specification and its server differ, the server's behaviour is implemented: bit 4 of the flag
advises to reconnect, a frame has at most 2 MiB, and bodies are limited before and after decompression.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..base.dataclass import dataclass, field
from ..base.errors import DamagedInputError, WireloomError
from .compression import COMPRESSIONS, MAX_CONTENT, THRESHOLD, BodyError, Compression, checked, compress, decompress

LENGTH_SIZE = 3
MAX_LENGTH = MAX_CONTENT + 1
"""Maximum length of the flag byte and the body."""
TERMINAL = 0x80
RECONNECT_ADVISED = 0x10
COMPRESSION_SHIFT = 5
RECONNECT = "reconnect, and continue from the next sequence number"


class FrameError(DamagedInputError):
    """A stream that violates the framing, or a frame with an invalid body.

    ``offset``: that of the frame in the stream; ``frame``: its number, counted from 0; ``reason``: ``length``,
    ``limit``, ``truncated``, ``value``, ``encoding``, ``codec`` or ``message``. ``retryable``: the stream was
    truncated, and the rest may be read by another request from the next sequence number on.
    """

    def __init__(self, message: str, *, offset: int, frame: int, reason: str, retryable: bool = False) -> None:
        super().__init__(
            f"frame {frame}: {message}", offset=offset, reason=reason, advice=RECONNECT if retryable else None
        )
        self.frame = frame
        self.retryable = retryable


@dataclass(frozen=True, slots=True)
class Terminal:
    """The last message of a session: an HTTP status, and JSON that may be empty (``wireloom.s2.error_from_json``)."""

    status: int
    body: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame. ``offset`` and ``index``: its offset in the stream, and its number, counted from 0.
    ``flag``: its unmodified flag byte. ``body``: the bytes after the flag, compressed according to it;
    ``content`` decompresses them."""

    offset: int
    index: int
    flag: int
    body: bytes = field(repr=False)

    @property
    def is_terminal(self) -> bool:
        """Return whether the session ends with this frame."""
        return bool(self.flag & TERMINAL)

    @property
    def terminal(self) -> Terminal | None:
        """Return the terminal message; ``None`` for a regular frame. The bits for compression and advice
        are ignored."""
        if not self.is_terminal:
            return None
        return Terminal(int.from_bytes(self.body[:2], "big"), self.body[2:].decode())

    @property
    def compression(self) -> Compression:
        """Return the compression of the body."""
        return "none" if self.is_terminal else COMPRESSIONS[self.flag >> COMPRESSION_SHIFT & 3]

    @property
    def reconnect_advised(self) -> bool:
        """Return whether the server is about to end the session: deliver this frame's records, then reconnect."""
        return not self.is_terminal and bool(self.flag & RECONNECT_ADVISED)

    def content(self) -> bytes:
        """Return the protobuf message of a regular frame, decompressed. Raises ``FrameError``; the frames after this
        one can still be read."""
        try:
            return decompress(self.body, self.compression)
        except BodyError as error:
            raise FrameError(
                error.message, offset=self.offset, frame=self.index, reason=error.reason or "codec"
            ) from error


def problem_of(flag: int, body: bytes | memoryview) -> tuple[str, str] | None:
    """Return the reason why this flag and body are invalid, one of ``report.REASONS``, with a sentence; ``None`` if
    they are valid."""
    if flag & TERMINAL:
        if len(body) < 2:
            return "length", "a terminal message without a status"
        try:
            str(body[2:], "utf-8")
        except UnicodeDecodeError:
            return "encoding", "the terminal message is not UTF-8"
    elif flag >> COMPRESSION_SHIFT & 3 == 3:
        return "value", "an unknown compression (3)"
    return None


def problem_of_length(length: int) -> tuple[str, str] | None:
    """Return the reason why a frame's length is invalid, like ``problem_of``."""
    if not length:
        return "length", "a length of 0, which leaves no room for the flag"
    if length > MAX_LENGTH:
        return "limit", f"a length of {length} bytes, and the limit is {MAX_LENGTH}"
    return None


class FrameDecoder:
    """Decodes frames from a stream that is received in arbitrary chunks.

    >>> decoder = FrameDecoder()
    >>> frames = [*decoder.feed(b"\\0\\0"), *decoder.feed(b"\\x03\\x10ab")]
    >>> frames[0].content(), frames[0].reconnect_advised
    (b'ab', True)
    >>> decoder.finish()

    At most one incomplete frame is buffered, which is 2 MiB. ``pending``: number of buffered bytes. ``ended``: whether
    a terminal frame or an error has ended the stream.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._begin = 0
        self._offset = 0
        self._index = 0
        self.ended = False

    @property
    def pending(self) -> int:
        """Return the number of bytes after the last complete frame."""
        return len(self._buffer) - self._begin

    def feed(self, chunk: bytes | bytearray | memoryview) -> Iterator[Frame]:
        """Yield the frames that are complete with a chunk. Frames that are not consumed are yielded with the next
        chunk. Data after a terminal frame is ignored.

        Raises ``FrameError``, after yielding the frames before it, for a length of 0 or above 2,097,152 bytes (known
        from its three bytes), compression 3, and a terminal message without status or that is not UTF-8.
        """
        if not self.ended:
            del self._buffer[: self._begin]
            self._begin = 0
            self._buffer += chunk
        return self._frames()

    def _frames(self) -> Iterator[Frame]:
        while not self.ended:
            frame = self._next()
            if frame is None:
                return
            yield frame

    def _next(self) -> Frame | None:
        start = self._begin + LENGTH_SIZE
        if len(self._buffer) < start:
            return None
        length = int.from_bytes(self._buffer[self._begin : start], "big")
        problem = problem_of_length(length)
        if problem is None:
            end = start + length
            if len(self._buffer) < end:
                return None
            body = bytes(memoryview(self._buffer)[start + 1 : end])
            frame = Frame(self._offset, self._index, self._buffer[start], body)
            problem = problem_of(frame.flag, body)
            self._begin = end
            if problem is None:
                self._offset += LENGTH_SIZE + length
                self._index += 1
                self.ended = frame.is_terminal
                return frame
        elif not length:
            self._begin = start
        self.ended = True
        reason, sentence = problem
        raise FrameError(sentence, offset=self._offset, frame=self._index, reason=reason)

    def finish(self) -> None:
        """End the stream. Raises a ``FrameError`` that is ``retryable`` if the stream ends inside a
        frame, as it was truncated."""
        if self.pending and not self.ended:
            raise FrameError(
                f"the stream ends inside it, after {self.pending} bytes",
                offset=self._offset,
                frame=self._index,
                reason="truncated",
                retryable=True,
            )


def encode_frame(message: bytes, compression: str = "none", *, reconnect_advised: bool = False) -> bytes:
    """Return a regular frame around a serialised message. It is compressed if it has 1024 bytes or more, even if that
    makes it larger.

    >>> encode_frame(b"ab").hex()
    '000003006162'

    Raises ``WireloomError`` for more than 2,097,151 bytes, before or after compression, and ``UnknownNameError``.
    """
    word = checked(compression)
    _refuse_above(MAX_CONTENT, len(message), "message")
    if len(message) < THRESHOLD:
        word = "none"
    body = compress(message, word)
    _refuse_above(MAX_CONTENT, len(body), "compressed message")
    flag = COMPRESSIONS.index(word) << COMPRESSION_SHIFT | (RECONNECT_ADVISED if reconnect_advised else 0)
    return (len(body) + 1).to_bytes(LENGTH_SIZE, "big") + bytes((flag,)) + body


def encode_terminal(terminal: Terminal) -> bytes:
    """Return a terminal frame.

    >>> encode_terminal(Terminal(500, "{}")).hex()
    '0000058001f47b7d'

    Raises ``WireloomError`` for a status beyond 16 bits, and for a body of more than 2,097,149 bytes or that is not
    valid Unicode.
    """
    if not 0 <= terminal.status < 1 << 16:
        raise WireloomError(f"a status has 16 bits, and {terminal.status} does not fit")
    try:
        body = terminal.body.encode()
    except UnicodeEncodeError as error:
        raise WireloomError("the body of a terminal message is UTF-8, and this one has a lone surrogate") from error
    _refuse_above(MAX_CONTENT - 2, len(body), "terminal message")
    length = (len(body) + 3).to_bytes(LENGTH_SIZE, "big")
    return length + bytes((TERMINAL,)) + terminal.status.to_bytes(2, "big") + body


def _refuse_above(limit: int, size: int, what: str) -> None:
    if size > limit:
        raise WireloomError(
            f"the {what} has {size} bytes, and a frame takes {limit}: write fewer records", reason="limit"
        )
