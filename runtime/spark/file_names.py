"""Names of written files, generated from a pattern."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from string import Formatter

from ..base.errors import WireloomError
from ..base.text import unknown

DEFAULT = "part-{partition:05d}-{number:03d}-{job}"
FIELDS = ("partition", "number", "sequence", "batch", "job")
"""Fields of a pattern: the number of the task; of the file within its task; of the file within the job or folder; of
the batch of a stream; and an id that is unique to the job.
"""


def check_pattern(pattern: str) -> str:
    """Return the pattern. Raises ``UnknownNameError`` for an unknown field, and ``WireloomError`` if it cannot produce
    unique, valid names.
    """
    try:
        fields = [name for _, name, _, _ in Formatter().parse(pattern) if name is not None]
        for name in fields:
            if name not in FIELDS:
                raise unknown("field of option fileName", name, FIELDS)
        shown = pattern.format(partition=0, number=0, sequence=0, batch=0, job="0")
    except (ValueError, KeyError, IndexError) as error:
        raise WireloomError(f"option fileName is {pattern!r}: {error}; such as {DEFAULT!r}") from None
    if "sequence" not in fields and not {"partition", "number"} <= set(fields):
        raise WireloomError(
            f"option fileName is {pattern!r}: files would have the same name; put {{sequence}} into it, or both "
            "{partition} and {number}"
        )
    if "/" in shown or "\0" in shown or shown.startswith((".", "_")):
        raise WireloomError(
            f"option fileName is {pattern!r}: a name must not contain a slash, and readers ignore names that begin "
            "with . or _"
        )
    return pattern


def file_names(
    pattern: str, ending: str, partitions: Iterable[int], there: Collection[str], *, batch: int, job: str
) -> list[str]:
    """Return the names of a job's files. Each task in ``partitions`` has written one; ``{sequence}`` continues after
    the existing files.

    Raises ``WireloomError`` if one of them has such a name already."""
    first, counts, found = _next(pattern, ending, there), Counter[int](), []
    for index, partition in enumerate(partitions):
        number = counts[partition]
        name = pattern.format(partition=partition, number=number, sequence=first + index, batch=batch, job=job)
        found.append(name + ending)
        counts[partition] += 1
    taken = sorted(set(found) & set(there))
    if taken or len(set(found)) < len(found):
        raise WireloomError(
            f"option fileName is {pattern!r}, and there is a file {(taken or found)[0]} already: put {{job}} or "
            "{sequence} into it, or overwrite"
        )
    return found


def _next(pattern: str, ending: str, there: Collection[str]) -> int:
    """Return the sequence number after the largest existing one."""
    expression = ""
    for text, name, _, _ in Formatter().parse(pattern):
        expression += re.escape(text)
        if name is not None:
            expression += r"(?P<sequence>\d+)" if name == "sequence" and "(?P" not in expression else ".*"
    wanted = re.compile(f"{expression}{re.escape(ending)}")
    if "(?P" not in expression:
        return 0
    found = [wanted.fullmatch(each) for each in there]
    return max((int(each["sequence"]) + 1 for each in found if each is not None), default=0)
