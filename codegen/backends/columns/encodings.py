"""Text encodings, as the engine knows them."""

from __future__ import annotations

import codecs
import importlib
import struct
from functools import cache

from wireloom.base import ebcdic
from wireloom.base.dataclass import dataclass

NO_CHARACTER = 0xFFFF


@dataclass(frozen=True)
class Encoding:
    """``number``: the operand of ``CHECK_UTF8``; ``table``: the characters of all bytes, if the engine decodes by a
    table; ``name``: of the encoding in Python."""

    number: int
    name: str
    table: bytes = b""

    @property
    def is_utf8(self) -> bool:
        """Return whether a column can store the bytes unchanged."""
        return self.number < 2


UTF8 = Encoding(0, "utf-8")
_KNOWN = {
    "utf-8": UTF8,
    "ascii": Encoding(1, "ascii"),
    "utf-16-le": Encoding(2, "utf-16-le"),
    "utf-16-be": Encoding(3, "utf-16-be"),
}


@cache
def encoding_of(name: str | None) -> Encoding | None:
    """Return an encoding by name; ``None`` if the engine does not know it."""
    try:
        found = codecs.lookup(name or "").name
    except LookupError:
        return None
    if found in _KNOWN:
        return _KNOWN[found]
    if found == "iso8859-1":
        return Encoding(4, found, struct.pack("<256H", *range(256)))
    if found == ebcdic.NAME:
        table: object = ebcdic.DECODING_TABLE
    else:
        module = importlib.import_module(f"encodings.{found.replace('-', '_')}")
        table = getattr(module, "decoding_table", None)
    if not isinstance(table, str) or len(table) != 256:
        return None
    places = [NO_CHARACTER if each == "\ufffe" else ord(each) for each in table]
    if max(places) > NO_CHARACTER:
        return None
    return Encoding(4, found, struct.pack("<256H", *places))
