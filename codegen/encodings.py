"""Names of encodings in the canonical spelling of Kaitai's language.

The table is Kaitai's, and has EBCDIC besides. Python's codecs know every name in it (some under another spelling: see
``python_codec``).
"""

from __future__ import annotations

import codecs
import re

import wireloom.base.ebcdic  # noqa: F401 - registers an encoding that Python lacks

ENCODING_NAMES = "https://doc.kaitai.io/ksy_style_guide.html#encoding-name"
"""The page of Kaitai's style guide with the canonical spellings."""

_ISO_ALIASES = {
    1: "latin1 l1 iso-ir-100 ibm819 cp819 windows-28591",
    2: "latin2 l2 iso-ir-101 ibm1111 windows-28592",
    3: "latin3 l3 iso-ir-109 windows-28593",
    4: "latin4 l4 iso-ir-110 windows-28594",
    5: "cyrillic csisolatincyrillic iso-ir-144 windows-28595",
    6: "arabic csisolatinarabic iso-ir-127 windows-28596 ecma-114 asmo-708",
    7: "greek greek8 csisolatingreek iso-ir-126 windows-28597 ecma-118 elot_928",
    8: "hebrew csisolatinhebrew iso-ir-138 windows-28598",
    9: "latin5 l5 iso-ir-148 windows-28599",
    10: "latin6 l6 iso-ir-157",
    11: "thai cstis620 tis-620",
    13: "latin7 l7 windows-28603",
    14: "latin8 l8 iso-ir-199 iso-celtic",
    15: "latin9 l9 windows-28605",
    16: "latin10 l10",
}

_ALIASES: dict[str, str] = {
    "ASCII": "us-ascii us_ascii ibm367 cp367 csascii iso-ir-6",
    "UTF-8": "utf8 utf_8 iso-10646/utf-8 iso-10646/utf8 cp65001 csutf8 unicode-1-1-utf-8 unicode-2-0-utf-8",
    "UTF-16BE": "utf16be utf16-be utf-16-be utf_16be utf16_be utf_16_be csutf16be",
    "UTF-16LE": "utf16le utf16-le utf-16-le utf_16le utf16_le utf_16_le csutf16le",
    "UTF-32BE": "utf32be utf32-be utf-32-be utf_32be utf32_be utf_32_be csutf32be",
    "UTF-32LE": "utf32le utf32-le utf-32-le utf_32le utf32_le utf_32_le csutf32le",
    "IBM437": "cp437 437 cspc8codepage437",
    "IBM866": "cp866 866 csibm866",
    "IBM037": "cp037 037 ebcdic-cp-us ebcdic-cp-ca ebcdic-cp-nl ebcdic-cp-wt csibm037",
    "IBM500": "cp500 500 ebcdic-cp-be ebcdic-cp-ch csibm500",
    "IBM1047": "cp1047 1047 ibm-1047 csibm1047",
    "IBM1140": "cp1140 1140 ibm01140 ccsid01140 cp01140",
    "Shift_JIS": "shift-jis shiftjis s-jis s_jis sjis pck csshiftjis",
    "Big5": "csbig5",
    "EUC-KR": "euckr euc_kr cseuckr korean iso-ir-149",
    **{f"windows-{number}": f"cp{number} cswindows{number}" for number in range(1250, 1259)},
}

_CANONICAL = {alias: name for name, aliases in _ALIASES.items() for alias in (name.lower(), *aliases.split())}
for _number, _names in _ISO_ALIASES.items():
    for _alias in _names.split():
        for _spelling in (
            _alias,
            re.sub(r"^latin(\d+)$", r"latin-\1", _alias),
            re.sub(r"^latin(\d+)$", r"latin_\1", _alias),
        ):
            _CANONICAL[_spelling] = f"ISO-8859-{_number}"

_ISO = re.compile(r"(?:iso[-_]?)?8859[-_]?(\d{1,2})(?:-[ie])?", re.IGNORECASE)


def canonical_encoding(name: str) -> str | None:
    """Return the canonical spelling of an encoding, or ``None`` if the name is unknown.

    >>> canonical_encoding("utf8"), canonical_encoding("latin1"), canonical_encoding("SJIS"), canonical_encoding("x")
    ('UTF-8', 'ISO-8859-1', 'Shift_JIS', None)
    """
    found = _CANONICAL.get(name.lower())
    if found is None and (iso := _ISO.fullmatch(name)) and int(iso.group(1)) in _ISO_ALIASES:
        found = f"ISO-8859-{int(iso.group(1))}"
    return found


def canonical_encodings() -> tuple[str, ...]:
    """Return all canonical names."""
    return (*_ALIASES, *(f"ISO-8859-{number}" for number in _ISO_ALIASES))


def python_codec(name: str) -> str | None:
    """Return the name of Python's codec for an encoding (canonical or not); ``None`` if Python has none."""
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None


def terminator_of(encoding: str) -> bytes:
    """Return the terminator of a ``strz`` in that encoding: a zero with the width of its code unit."""
    return b"\0" * {"UTF-16": 2, "UTF-32": 4}.get(encoding[:6], 1)
