"""Presents errors to Spark's users as a single message, without a traceback."""

from __future__ import annotations

import copy
from types import TracebackType

from ..base.errors import WireloomError


class HideTraceback:
    """A context manager that removes the traceback below it from wireloom's errors, which Spark would print in full."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, WireloomError):
            raise copy.copy(error) from None
