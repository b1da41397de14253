"""Files of a folder, and expansion of braces in patterns."""

from __future__ import annotations

import os
import re

from ..base.errors import WireloomError

BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
MOST_ALTERNATIVES = 10_000


def alternatives(pattern: str) -> list[str]:
    """Expand ``{a,b}`` in a pattern to one pattern per alternative; braces without a comma are literal.

    >>> alternatives("day={1,2}/{x}.log")
    ['day=1/{x}.log', 'day=2/{x}.log']

    Raises ``WireloomError`` if there are more than ``MOST_ALTERNATIVES``.
    """
    found, done = [pattern], []
    while found:
        each = found.pop(0)
        inner = BRACES.search(each)
        if inner is None:
            done.append(each)
        else:
            found += [f"{each[: inner.start()]}{one}{each[inner.end() :]}" for one in inner[1].split(",")]
        if len(found) + len(done) > MOST_ALTERNATIVES:
            raise WireloomError(f"the braces expand to more than {MOST_ALTERNATIVES} patterns: use *", path=pattern)
    return done


def hidden(name: str) -> bool:
    """Return whether a file or folder of that name is ignored, as by Spark; ``_a=1`` is a partition's folder."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def in_order(path: str, separator: str = os.sep) -> str:
    """Return the key by which paths are sorted, folder by folder. A string, as lists of the parts take more memory.

    >>> sorted(["a-b/c", "a/d"], key=lambda path: in_order(path, "/"))
    ['a/d', 'a-b/c']
    """
    return path.replace(separator, "\0")


def walk(folder: str) -> list[str]:
    """Return the files below a folder in order, without hidden ones. Raises ``WireloomError`` if it cannot be
    listed."""
    found: list[str] = []

    def fail(error: OSError) -> None:
        raise WireloomError(f"cannot be listed: {error.strerror}", path=str(error.filename))

    for parent, folders, files in os.walk(folder, onerror=fail, followlinks=False):
        folders[:] = [each for each in folders if not hidden(each)]
        found.extend(os.path.join(parent, each) for each in files if not hidden(each))
    return sorted(found, key=in_order)
