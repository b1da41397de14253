"""The examples in the front end's docstrings, and the dialect's page against the tables."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
import wireloom.codegen.expression
import wireloom.codegen.model
import wireloom.codegen.spec
from wireloom.codegen.spec.tables import TABLES

PACKAGES = (wireloom.codegen.expression, wireloom.codegen.model, wireloom.codegen.spec)
MODULES = [f"{each.__name__}.{one.name}" for each in PACKAGES for one in pkgutil.iter_modules(each.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_page_names_every_extension_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "dialect.md").read_text()
    tables = ("meta-extensions", "option", "field-extensions", "checksum", "framing", "timestamp")
    missing = [key for table in tables for key in TABLES[table].keys if f"`{key}`" not in page]
    assert missing == []
