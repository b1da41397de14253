"""Presents errors to Spark's users as a single message, without a traceback."""

from __future__ import annotations

import copy
from types import TracebackType
from typing import Any

from ..base.advice import respell
from ..base.errors import WireloomError
from ..base.options import camel_case


class HideTraceback:
    """A context manager that removes the traceback below it from wireloom's errors, which Spark would print in full,
    and shows options in Spark's spelling."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, WireloomError):
            shown = copy.copy(error)
            respell(shown, _spelled)
            raise shown from None


def _spelled(name: str, value: Any) -> str:
    """Return an option as in ``.option(name, value)``, without the punctuation."""
    text = str(value).lower() if isinstance(value, bool) else value
    return camel_case(name) if value is None else f"{camel_case(name)}={text}"
