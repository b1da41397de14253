"""A plugin of pytest that replaces the installed extension by another build, named by ``WIRELOOM_TEST_ENGINE``, before
anything imports it."""

from __future__ import annotations

import importlib.util
import os
import sys

NAME = "wireloom.engine._engine"


def load(path: str) -> None:
    """Load the extension from that file, under its usual name."""
    spec = importlib.util.spec_from_file_location(NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


load(os.environ["WIRELOOM_TEST_ENGINE"])
