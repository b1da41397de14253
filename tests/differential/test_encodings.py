"""Text in all kinds of encodings: both readers, on valid and damaged inputs."""

from __future__ import annotations

from random import Random

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

ROW = """
seq:
  - {id: len, type: u1}
  - {id: text, type: str, size: len, encoding: ENCODING}
  - {id: same, type: u1, if: 'text == "ab"'}
  - {id: kind, type: {switch-on: text, cases: {'"a"': u1, _: u2}}}
  - {id: part, type: part}
"""
PART = "part: {seq: [{id: name, type: str, size: 4, encoding: ENCODING}]}"


@pytest.mark.parametrize("encoding", ["UTF-16LE", "UTF-16BE", "windows-1251", "ISO-8859-1", "ISO-8859-7", "IBM437"])
def test_both_readers_agree(encoding: str) -> None:
    meta = "columns: [len, text, same, kind, part]"
    format = format_of(
        spec_text(ROW.replace("ENCODING", encoding), types=PART.replace("ENCODING", encoding), meta=meta)
    )
    assert format.engine_refusal is None
    random = Random(23)
    for _ in range(examples(400)):
        data = b""
        for _ in range(random.randrange(1, 5)):
            text = random.choice(["ab", "a", "", "äöü", "жя", "a\U0001f600b", "\uffff", "αβγ"])
            content = text.encode(encoding, errors="replace") + random.choice([b"", b"", b"\xd8", b"\0\xdc", b"\xae"])
            rest = bytes(random.choices([0, 0x61, 0x62, 0xD8, 0xDC, 0xE4, 0xFF], k=random.randrange(6, 9)))
            data += bytes([len(content)]) + content + rest
        agreed(format, data)
        agreed(format, data, recover=True)
