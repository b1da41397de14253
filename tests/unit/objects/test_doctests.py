"""The examples in docstrings are run."""

import doctest
import importlib

import pytest

MODULES = (
    "wireloom.codegen.backends.base",
    "wireloom.codegen.backends.escaping",
    "wireloom.codegen.backends.python.expression_texts",
    "wireloom.codegen.backends.python.names",
    "wireloom.codegen.backends.python.statements",
    "wireloom.base.arguments",
    "wireloom.codegen.emit",
    "wireloom.base.text",
    "wireloom.objects.checksums",
    "wireloom.objects.delimited_frames",
    "wireloom.codecs.bytewise",
    "wireloom.objects.stuffing",
    "wireloom.base.text",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed
