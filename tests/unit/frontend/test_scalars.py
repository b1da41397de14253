"""Plain scalars have the meaning of YAML 1.2 and Kaitai's language."""

import math

import pytest
from wireloom.codegen.spec.tree import plain_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("No", "No"),
        ("y", "y"),
        ("0", 0),
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("1_000", 1000),
        ("0x1F", 31),
        ("0xFFFF_FFFF_FFFF_FFFF_FFFF", 2**80 - 1),
        ("0b1010_1010", 0xAA),
        ("0o17", 15),
        ("-0x10", -16),
        ("0x_", "0x_"),
        ("017", "017"),
        ("00", "00"),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("0.11", 0.11),
        ("-.inf", -math.inf),
        ("=", "="),
        ("<<", "<<"),
        ("9" * 2000, "9" * 2000),
    ],
)
def test_plain_scalars(text: str, value: object) -> None:
    found = plain_value(text)
    assert found == value
    assert type(found) is type(value)


def test_nan() -> None:
    found = plain_value(".nan")
    assert isinstance(found, float)
    assert math.isnan(found)
