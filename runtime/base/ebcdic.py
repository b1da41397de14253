"""The encoding IBM1047, EBCDIC of open systems on mainframes, which Python lacks: it is registered with Python's codecs
when this module is imported."""

from __future__ import annotations

import codecs
from encodings import cp037
from typing import Any

NAME = "cp1047"
NAMES = (NAME, "ibm1047", "ibm_1047")
"""Its names, as ``codecs.register`` passes them."""

DECODING_TABLE = cp037.decoding_table.translate(dict(zip(map(ord, "[]^¬Ý¨"), "Ý¨¬^[]", strict=True)))
"""The characters of all bytes: those of IBM037, except for six that have changed places."""


def _search(name: str) -> codecs.CodecInfo | None:
    if name not in NAMES:
        return None
    encoding = codecs.charmap_build(DECODING_TABLE)

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return codecs.charmap_encode(text, errors, encoding)

    def decode(data: Any, errors: str = "strict") -> tuple[str, int]:
        return codecs.charmap_decode(data, errors, DECODING_TABLE)

    return codecs.CodecInfo(encode, decode, name=NAME)


codecs.register(_search)
