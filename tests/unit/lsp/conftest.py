"""A server for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .editor import Editor


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    editor = Editor(Path(tmp_path_factory.mktemp("specs")).resolve())
    yield editor
    assert editor.close() == 0
