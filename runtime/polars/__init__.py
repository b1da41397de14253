"""Logs as lazy frames of Polars: a function ``scan_NAME`` for each format.

>>> import wireloom.polars
>>> wireloom.polars.scan_edgemq_segment("segments/").filter(...)  # doctest: +SKIP
"""

from .scanning import function, names

__getattr__ = function


def __dir__() -> list[str]:
    return names()
