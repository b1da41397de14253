"""A plugin of pytest: puts another build of the extension, which ``WIRELOOM_TEST_ENGINE`` names, in the place of the
installed one, before anything imports it."""

from __future__ import annotations

import importlib.util
import os
import sys

NAME = "wireloom.engine._engine"


def load(path: str) -> None:
    """Loads the extension from that file, under the name that everybody imports."""
    spec = importlib.util.spec_from_file_location(NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


load(os.environ["WIRELOOM_TEST_ENGINE"])
