"""Names of encodings."""

from __future__ import annotations

import pytest
from wireloom.codegen.encodings import canonical_encoding, canonical_encodings, python_codec
from wireloom.codegen.expression.types import StringType

from tests.unit.frontend.specs import attribute, said


@pytest.mark.parametrize("name", canonical_encodings())
def test_every_encoding_is_known_to_python(name: str) -> None:
    assert canonical_encoding(name) == name
    assert python_codec(name) is not None


@pytest.mark.parametrize(
    ("written_name", "name"),
    [
        ("utf8", "UTF-8"),
        ("Utf-8", "UTF-8"),
        ("us-ascii", "ASCII"),
        ("latin_1", "ISO-8859-1"),
        ("iso8859-15", "ISO-8859-15"),
        ("CP1252", "windows-1252"),
        ("sjis", "Shift_JIS"),
        ("ISO-8859-12", None),
        ("nonsense", None),
    ],
)
def test_encoding_names(written_name: str, name: str | None) -> None:
    assert canonical_encoding(written_name) == name


def test_an_unusual_spelling_of_an_encoding_is_a_warning() -> None:
    body = "seq:\n  - {id: a, type: strz, encoding: utf8}\n"
    assert said(body) == [
        "2:35: warning: use canonical encoding name `UTF-8` instead of `utf8` (see https://doc.kaitai.io/ksy_style_guide.html#encoding-name)"
    ]
    assert attribute(body, "a").type == StringType("UTF-8")
