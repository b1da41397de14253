"""Outputs that are also inputs: a command that would replace what it reads is refused before it begins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from ..errors import WireloomError


def spare(outputs: Iterable[str | None], inputs: Sequence[str], format_name: str | None = None) -> None:
    """Raises ``WireloomError`` where one of ``outputs`` is a file that ``inputs`` name, or the spec itself.

    ``inputs`` are as the command got them: paths, globs, folders, addresses.
    """
    there = [each for each in outputs if each is not None and each != "-" and os.path.isfile(each)]
    if not there:
        return
    read = [*_files(inputs), *([format_name] if format_name and os.path.isfile(format_name) else [])]
    for output in there:
        if any(os.path.samefile(output, each) for each in read):
            raise WireloomError("is read and would be written: name another file for the output", path=output)


def _files(inputs: Sequence[str]) -> list[str]:
    """The files of this machine that the inputs name; what cannot be found is said when it is read."""
    from ..storage import expand

    found: list[str] = []
    for each in inputs:
        if each == "-" or "://" in each:
            continue
        try:
            found += [one.path for one in expand(each) if one.path is not None]
        except WireloomError:
            continue
    return [each for each in found if os.path.isfile(each)]
