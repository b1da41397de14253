"""Errors as Spark's users should see them: one message without a traceback."""

from __future__ import annotations

import copy
from types import TracebackType

from ..base.errors import WireloomError


class HideTraceback:
    """A block that wireloom's errors leave without the traceback of what was called; Spark would show all of it."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, WireloomError):
            raise copy.copy(error) from None
