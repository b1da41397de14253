"""The codec ``xor:KEY``: files whose bytes are combined with a repeated key by XOR, as Bitcoin's nodes store blocks."""

from __future__ import annotations

from ..base.arguments import shown
from ..base.errors import WireloomError
from .codec import Codec, Compressor, Decoder

XOR = "xor:"
LARGEST_KEY = 256
"""Maximum number of bytes of a key."""
PIECE = 64 * 1024
"""About how many bytes are combined at once."""


class _KeyPosition:
    """The position in a stream of bytes, on which depends where the key begins."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._mask = int.from_bytes(key * (PIECE // len(key)), "little")
        self._position = 0

    def combined(self, data: memoryview) -> bytes:
        """Return the next bytes of the stream, at most ``PIECE``, combined with the key."""
        count, period = len(data), len(self._key)
        self._position, shift = self._position + count, self._position % period
        mask = self._mask
        if shift or count != PIECE // period * period:
            turned = self._key[shift:] + self._key[:shift]
            mask = int.from_bytes((turned * (count // period + 1))[:count], "little")
        # Long integers are the fastest loop over bytes in the standard library.
        return (int.from_bytes(data, "little") ^ mask).to_bytes(count, "little")


class XorDecoder:
    """A decoder of combined bytes."""

    room = 1

    def __init__(self, source: Decoder, key: bytes) -> None:
        self.key = key
        """What zeros of the source, such as space that was not written, become, from the first byte on."""
        self._source = source
        self._at = _KeyPosition(key)
        self._most = PIECE // len(key) * len(key)

    def readinto(self, buffer: memoryview, /) -> int:
        """Like ``Decoder.readinto``."""
        count = self._source.readinto(buffer[: self._most])
        buffer[:count] = self._at.combined(buffer[:count])
        return count


class XorCompressor:
    """Combines bytes with the key, which makes none fewer."""

    def __init__(self, key: bytes) -> None:
        self._at = _KeyPosition(key)

    def compress(self, data: bytes | memoryview, /) -> bytes:
        """Like ``Compressor.compress``."""
        view = memoryview(data).cast("B")
        return b"".join(self._at.combined(view[begin : begin + PIECE]) for begin in range(0, len(view), PIECE))

    def flush(self) -> bytes:
        """Like ``Compressor.flush``."""
        return b""


def xor(name: str) -> Codec:
    """Return the codec of a name, ``xor:`` and the key in hexadecimal. Raises ``WireloomError`` for a wrong key.

    >>> xor("xor:01ff").compressor(0).compress(b"abc").hex()
    '609d62'
    """
    try:
        key = bytes.fromhex(name.removeprefix(XOR))
    except ValueError:
        key = b""
    if not 0 < len(key) <= LARGEST_KEY:
        raise WireloomError(
            f"codec {shown(name)}: expected the key after 'xor:', 1 to {LARGEST_KEY} bytes in hexadecimal, such as "
            "xor:0123456789abcdef"
        )

    def decoder(source: Decoder, max_window: int) -> Decoder:
        return XorDecoder(source, key)

    def compressor(level: int) -> Compressor:
        return XorCompressor(key)

    return Codec(
        name=name,
        suffixes=(),
        magics=(),
        begins_well=lambda head: False,
        decoder=decoder,
        compressor=compressor,
        levels=range(0),
    )
