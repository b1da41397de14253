"""Names that do not exist, and the one that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from .errors import UnknownNameError


def unknown(what: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a ``what`` (``"format"``, ``"column"``) called ``name`` that is not among ``known``; what is no
    text is near to none.

    >>> unknown("format", "edgemq_segmnt", ["edgemq_segment", "cobs_log"]).message
    "unknown format 'edgemq_segmnt': did you mean 'edgemq_segment'?"
    """
    names = list(known)
    folded = {each.casefold(): each for each in names}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5) if isinstance(name, str) else []
    if near:
        return UnknownNameError(f"unknown {what} {name!r}: did you mean {folded[near[0]]!r}?")
    listed = f"there are {', '.join(names)}" if names else "there is none"
    return UnknownNameError(f"unknown {what} {name!r}: {listed}")
