"""Logs as lazy frames of Polars: a function ``scan_NAME`` for each format.

>>> import wireloom.polars
>>> wireloom.polars.scan_edgemq_segment("segments/").filter(...)  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..base.text import unknown
from ..format import registry
from ..reading.options import ScanOptions, takes
from ..reading.scanning import scan

PREFIX = "scan_"


def names() -> list[str]:
    """Return the names of the functions."""
    return [f"{PREFIX}{each}" for each in registry.formats()]


def function(name: str) -> Callable[..., Any]:
    """Return the function of a name. Raises ``AttributeError`` if there is no such format."""
    if name not in names():
        raise AttributeError(f"module {__package__!r}: {unknown('function', name, names())}", name=name)
    format = name.removeprefix(PREFIX)

    def scan_format(source: Any, **options: Any) -> Any:
        return scan(format, source, **options).lazy()

    scan_format.__name__ = scan_format.__qualname__ = name
    scan_format.__module__ = __package__ or ""
    scan_format.__doc__ = f"""Return the rows of ``source``, of the format ``{format}``, as a ``polars.LazyFrame``.

    Each query is a new scan of the columns that it needs, and its conditions and limits reach the reader. Parameters
    and errors are those of ``wireloom.scan``.

    {{options}}
    """
    made: Callable[..., Any] = takes(ScanOptions)(scan_format)
    setattr(sys.modules[__package__ or ""], name, made)
    return made


__getattr__ = function


def __dir__() -> list[str]:
    return names()
