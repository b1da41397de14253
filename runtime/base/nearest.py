"""Errors for unknown names, with a suggestion."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from .errors import UnknownNameError


def unknown(what: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for a ``what`` (``"format"``, ``"column"``) with the unknown name ``name``; ``known`` are the
    valid names. A name that is not a string gets no suggestion.

    >>> unknown("format", "edgemq_segmnt", ["edgemq_segment", "cobs_log"]).message
    "unknown format 'edgemq_segmnt': did you mean 'edgemq_segment'?"
    """
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return UnknownNameError(f"unknown {what} {name!r}: did you mean {near!r}?")
    listed = f"there are {', '.join(names)}" if names else "there is none"
    return UnknownNameError(f"unknown {what} {name!r}: {listed}")


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the most similar name in ``known``; ``None`` if none is similar enough.

    A name with another first letter has to be more similar, since the first letter is rarely wrong, or to have the same
    letters in another order.

    >>> nearest("shelfs", ["books", "shelves"]), nearest("grow", ["growing"]), nearest("di", ["id"])
    ('shelves', 'growing', 'id')
    """
    if not isinstance(name, str):
        return None
    word = name.casefold()
    folded = {each.casefold(): each for each in known}
    alike = [each for each in folded if each[:1] == word[:1]]
    swapped = [each for each in folded if sorted(each) == sorted(word)]
    close = get_close_matches(word, folded, n=1, cutoff=0.75) or get_close_matches(word, alike, n=1, cutoff=0.6)
    near = swapped or close
    return folded[near[0]] if near else None
