from collections.abc import Iterator

import pytest

from .browser import Browser


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found
