"""The writers of generated inputs put bit fields where a reader expects them."""

from __future__ import annotations

from random import Random

import kaitaistruct
import pytest
from wireloom.objects import MemoryStream

from ..examples import examples
from .pieces import Bits, Parts, settled


def some_parts(random: Random) -> Parts:
    parts: list[bytes | Bits] = []
    for _ in range(random.randint(1, 12)):
        width = random.choice([1, 2, 3, 5, 7, 8, 9, 16, 27, 64])
        choice = random.randrange(6)
        if choice == 0:
            parts.append(random.randbytes(random.randrange(3)))
        else:
            parts.append(Bits(random.getrandbits(width), width, random.choice(["", "be", "le"])))
    return tuple(parts)


@pytest.mark.parametrize("stream", [MemoryStream, kaitaistruct.KaitaiStream])
def test_bit_fields_are_read_as_they_were_written(stream: type) -> None:
    random = Random(1)
    for _ in range(examples(1000)):
        parts = some_parts(random)
        data = settled(parts)
        reader = stream(data) if stream is MemoryStream else stream(kaitaistruct.BytesIO(data))
        for part in parts:
            if isinstance(part, bytes):
                assert reader.read_bytes(len(part)) == part
            elif part.order == "le":
                assert reader.read_bits_int_le(part.width) == part.value
            else:
                assert reader.read_bits_int_be(part.width) == part.value
        assert reader.pos() == len(data)
