"""The examples in docstrings are run."""

import doctest
import importlib

import pytest

MODULES = ("changes.describe", "changes.fields", "starting.package")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"wireloom.codegen.{name}"))
    assert result.attempted
    assert not result.failed
