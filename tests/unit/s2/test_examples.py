"""The examples in the docstrings of ``wireloom.s2``, and its public names."""

import doctest
import importlib
import pkgutil

import pytest
import wireloom.s2 as s2

MODULES = [each.name for each in pkgutil.iter_modules(s2.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"wireloom.s2.{name}")).failed == 0


def test_public_names() -> None:
    assert [name for name in s2.__all__ if getattr(s2, name) is None] == []


def test_other_names() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        s2.nothing  # noqa: B018
