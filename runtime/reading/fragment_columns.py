"""The compression of records before they were split into fragments."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import UnsupportedError
from ..codecs import BLOCK_CODECS, CodecError, unsupported
from ..format.description import Fragments
from ..rows.numbers import bytes_array, constant
from .options import AS_A_WHOLE


class RecordCodecs:
    """Decompresses the records of one input. A record whose codec column is null is compressed like the previous one
    that has a codec."""

    def __init__(self, fragments: Fragments) -> None:
        self._names = dict(fragments.codecs)
        self._most = fragments.most
        self._last: int | None = None
        self.unsupported: str | None = None
        """What is said about the first codec that is not supported."""
        self.are_known = False
        """Whether what the first records said holds for all: other byte ranges of the input know nothing else."""

    def known(self, chosen: pa.Array) -> pa.Array:
        """Return the codec values of the next fragments; null while no fragment has specified one."""
        if chosen.null_count == len(chosen) and self._last is None:
            return chosen
        if self.are_known and chosen.null_count:
            self._check_same(chosen)
        if chosen.null_count:
            chosen = pc.fill_null_forward(chosen)
            if chosen.null_count and self._last is not None:
                chosen = chosen.fill_null(constant(self._last, chosen.type))
        if len(chosen) and chosen[-1].is_valid:
            self._last = chosen[-1].as_py()
        return chosen

    def _check_same(self, chosen: pa.Array) -> None:
        """Raise ``UnsupportedError`` if records change the compression of later ones."""
        others = [each for each in pc.unique(chosen.drop_null()).to_pylist() if each != self._last]
        if others:
            raise UnsupportedError(
                "records are not compressed with the codec of the first ones, so the file cannot be read in byte "
                f"ranges: {AS_A_WHOLE}"
            )

    def expanded(self, records: pa.Array, chosen: pa.Array) -> tuple[pa.Array, list[tuple[int, str]]]:
        """Return the content of records, and the numbers of those without any, each with the reason."""
        if chosen.null_count == len(chosen):
            return records, []
        names = {value: "none" if value is None else self._names.get(value) for value in pc.unique(chosen).to_pylist()}
        if all(each == "none" for each in names.values()):
            return records, []
        content: list[bytes] = []
        broken: list[tuple[int, str]] = []
        for number, (record, value) in enumerate(zip(records, chosen.to_pylist(), strict=True)):
            data, name = memoryview(record.as_buffer() or b""), names[value]
            try:
                if name is None:
                    raise unsupported(value, dict.fromkeys(self._names.values()))
                content.append(BLOCK_CODECS[name].decompress(data, self._most))
            except CodecError as error:
                if error.reason == "unsupported":
                    self.unsupported = self.unsupported or error.message
                broken.append((number, error.reason or "codec"))
                content.append(b"")
        return bytes_array(content, pa.binary()), broken
