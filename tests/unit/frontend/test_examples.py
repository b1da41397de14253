"""The examples in the front end's docstrings, and the dialect's page against the tables."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
import wireloom.codegen.expression
import wireloom.codegen.model
import wireloom.codegen.protobuf
import wireloom.codegen.spec
from wireloom.codegen.model.load import analyse, load
from wireloom.codegen.spec.tables import TABLES
from wireloom.format.message_rules import FRAMINGS

from tests.unit.frontend.specs import solved

PACKAGES = (wireloom.codegen.expression, wireloom.codegen.model, wireloom.codegen.protobuf, wireloom.codegen.spec)
MODULES = [f"{each.__name__}.{one.name}" for each in PACKAGES for one in pkgutil.iter_modules(each.__path__)]


def test_docstrings(subtests: pytest.Subtests) -> None:
    for name in MODULES:
        with subtests.test(name):
            assert doctest.testmod(importlib.import_module(name)).failed == 0


DOCS = Path(__file__).parents[3] / "docs"
DIALECT, MESSAGES, TABLES_PAGE, CHECKSUMS = (
    (DOCS / f"{name}.md").read_text() for name in ("dialect", "messages", "tables", "checksums")
)


def test_the_page_names_every_extension_key() -> None:
    meta = ("meta-extensions", "option", "field-extensions", "instance-extensions", "framing", "timestamp")
    of_messages = ("message", "message-field", "message-units", "message-kind", "message-otherwise")
    for page, tables in (
        (DIALECT, (*meta, "type-extensions")),
        (MESSAGES, of_messages),
        (TABLES_PAGE, ("table", "look-up")),
        (CHECKSUMS, ("checksum", "crc")),
    ):
        assert [key for table in tables for key in TABLES[table].keys if f"`{key}`" not in page] == []
    assert [each for each in FRAMINGS if f"`{each}`" not in MESSAGES] == []


def test_the_example_on_the_page() -> None:
    text = DIALECT.split("```yaml\n")[1].split("```")[0]
    spec = load("door_log.ksy", text)
    assert analyse("door_log.ksy", text).diagnostics == ()
    assert solved(spec) == {"len": "(note.size + 9)"}


def test_the_example_of_messages_on_the_page() -> None:
    text = MESSAGES.split("```yaml\n# reading_log.ksy\n")[1].split("```")[0]
    assert analyse("reading_log.ksy", text).diagnostics == ()
    units = load("reading_log.ksy", text).units
    assert units is not None
    (kind,) = units.kinds
    assert (units.framing, kind.rows, kind.row_number) == ("varint", ("readings",), "number")
    assert [each if isinstance(each, str) else (each.name, each.up) for each in kind.columns] == [
        ("sensor", 0),
        ("at", 0),
        ("celsius", 0),
        ("room", 1),
        "number",
    ]
