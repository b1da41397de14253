"""``WriteStream``: the stream that generated classes write to."""

from __future__ import annotations

from .kaitai import ConsistencyError, KaitaiStream


class WriteStream(KaitaiStream):
    """Takes the output of generated classes; grows as needed, and always writes at its end.

    ``limit``: the size of the field that it represents, if given.
    """

    bits = 0
    bits_left = 0
    bits_le = False
    bits_write_mode = True
    child_streams: tuple[KaitaiStream, ...] = ()
    _free: tuple[int, int] | None = None
    """Which bits of the last byte are free, if it contains fields of both bit orders; the byte is then ``bits``."""

    def __init__(self, limit: int | None = None) -> None:
        self._out = bytearray()
        self._limit = limit
        self._ends: list[tuple[int, bytes, str, bool]] = []

    def write_bits_int_be(self, n: int, val: int) -> None:
        """Append ``n`` bits, from the highest free bit of the last, incomplete byte downwards."""
        if self.bits_left and (self.bits_le or self._free is not None):
            n = self._into_shared_byte(n, val & ((1 << n) - 1), little=False)
            if not n:
                return
        super().write_bits_int_be(n, val)

    def write_bits_int_le(self, n: int, val: int) -> None:
        """Append ``n`` bits, from the lowest free bit of the last, incomplete byte upwards."""
        if self.bits_left and (not self.bits_le or self._free is not None):
            left = self._into_shared_byte(n, val & ((1 << n) - 1), little=True)
            n, val = left, val >> (n - left)
            if not n:
                return
        super().write_bits_int_le(n, val)

    def _into_shared_byte(self, n: int, val: int, *, little: bool) -> int:
        """Append as many bits as fit into the free bits of a byte in which the bit order changes, where a reader takes
        them from.

        Returns the number of remaining bits: the highest ones of ``val`` in little endian, otherwise the lowest.
        """
        if self._free is not None:
            low, high = self._free
        elif self.bits_le:
            low, high = self.bits_left, 8
        else:
            low, high = 0, 8 - self.bits_left
            self.bits <<= high
        count = min(n, high - low)
        if little:
            self.bits |= (val & ((1 << count) - 1)) << low
            low += count
        else:
            self.bits |= val >> (n - count) << (high - count)
            high -= count
        self.bits_left = 8 - (high - low)
        self._free = (low, high)
        if low == high:
            self.write_align_to_byte()
        return n - count

    def write_align_to_byte(self) -> None:
        """Pad the last, incomplete byte with zeros."""
        if self._free is None:
            super().write_align_to_byte()
            return
        self._out.append(self.bits)
        self._free = None
        self.align_to_byte()

    def write_bytes(self, buf: bytes) -> None:
        """Append whole bytes; an incomplete byte is padded with zeros first."""
        if self.bits_left:
            self.write_align_to_byte()
        self._out += buf

    def _write_bytes_not_aligned(self, buf: bytes) -> None:
        self._out += buf

    def _ensure_bytes_left_to_write(self, n: int, pos: int) -> None:
        pass

    def ends_with(self, terminator: bytes, name: str, *, required: bool) -> None:
        """Note that the field ``name`` was just written; its terminator must be the beginning of what follows. If
        nothing follows, the terminator is written if it is ``required``."""
        self._ends.append((self.pos(), terminator, name, required))

    def room(self) -> int | None:
        """Return the number of bytes left of the limit; ``None`` without one."""
        return None if self._limit is None else max(0, self._limit - self.pos())

    def overwrite(self, position: int, data: bytes) -> None:
        """Replace bytes that were already written, from ``position`` on."""
        self._out[position : position + len(data)] = data

    def insert(self, position: int, data: bytes) -> None:
        """Insert bytes before those that were written from ``position`` on."""
        self._out[position:position] = data
        for number in range(len(self._ends) - 1, -1, -1):
            end, terminator, name, required = self._ends[number]
            if end < position:
                break
            self._ends[number] = (end + len(data), terminator, name, required)

    def written(self, begin: int, end: int | None = None) -> bytes:
        """Return the bytes written from ``begin`` to ``end`` (by default, the current end)."""
        return bytes(self._out[begin:end])

    def pos(self) -> int:
        """Return the number of bytes written, including an incomplete one."""
        return len(self._out) + (1 if self.bits_left else 0)

    def size(self) -> int:
        """Like ``pos``: the stream ends at the position of writing."""
        return self.pos()

    def is_eof(self) -> bool:
        """Return true: nothing follows what was written."""
        return True

    def to_byte_array(self) -> bytes:
        """Return all bytes written; an incomplete byte is padded with zeros.

        Raises ``ConsistencyError`` if what follows a field does not begin with the field's terminator.
        """
        self.write_align_to_byte()
        written = bytes(self._out)
        for position, terminator, name, required in self._ends:
            if position == len(written):
                written += terminator if required else b""
            elif not written.startswith(terminator, position):
                following = written[position : position + len(terminator)]
                raise ConsistencyError(name, f"that {terminator!r} follows, which is its terminator", following)
        return written

    def close(self) -> None:
        """Do nothing: no file is held open."""
