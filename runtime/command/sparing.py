"""What a command would destroy: inputs that it writes over, and outputs that are one file. It is refused before it
begins."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence

from ..base.addresses import local_path, scheme_of
from ..base.errors import WireloomError
from ..input.inputs import REMOTE_SCHEMES

STANDARD = "-"


def spare(
    outputs: Iterable[str | None],
    inputs: Sequence[str],
    format_name: str | None = None,
    *,
    folders: Iterable[str | None] = (),
) -> None:
    """Raises ``WireloomError`` where one of ``outputs`` is a file that ``inputs`` name, the spec itself, or the file of
    another output, by whatever name; or where it lies in one of ``folders``, which are written as well.

    ``outputs``: paths and addresses of files, ``-`` for standard output, which may be a file. ``inputs`` are as the
    command got them: paths, globs, folders, addresses. What is no regular file, as ``/dev/null``, takes all.
    """
    wanted = [each for each in outputs if each is not None]
    _refuse_inputs(wanted, inputs, format_name)
    seen: dict[object, str] = {}
    for output in wanted:
        identity = _identity(output)
        if identity is not None:
            other = seen.get(identity)
            if other is not None:
                raise WireloomError(
                    f"would be written twice{_spelled(output, other)}: name another file for one of the outputs",
                    path=_shown(output),
                )
            seen[identity] = output
    places = [each for each in folders if each is not None]
    for output in wanted:
        for folder in places:
            if _within(output, folder):
                raise WireloomError(
                    f"lies in {folder}, which is written as well: name a file outside of it", path=_shown(output)
                )


def _refuse_inputs(outputs: Sequence[str], inputs: Sequence[str], format_name: str | None) -> None:
    remote = {_address(each): each for each in outputs if _is_remote(each)}
    there = {each: status for each in outputs if (status := _file_status(each)) is not None}
    read = [*_files(inputs), *([format_name] if format_name else [])] if there else []
    found = [each for each in inputs if _is_remote(each) and _address(each) in remote]
    for output, status in there.items():
        for each in read:
            other = _file_status(each)
            if other is not None and os.path.samestat(status, other):
                found.append(output)
    if found:
        raise WireloomError("is read and would be written: name another file for the output", path=_shown(found[0]))


def _identity(output: str) -> object | None:
    """What two names of one file have in common; ``None`` of what is no regular file."""
    if _is_remote(output):
        return _address(output)
    status = _file_status(output)
    if status is not None:
        return status.st_dev, status.st_ino
    path = os.path.realpath(local_path(output))
    return None if output == STANDARD or os.path.lexists(path) else path


def _file_status(output: str) -> os.stat_result | None:
    """Of a regular file that is there; ``None`` of everything else."""
    try:
        status = os.fstat(sys.stdout.fileno()) if output == STANDARD else os.stat(local_path(output))
    except (OSError, ValueError, AttributeError):
        # Standard output may be closed, or an object of the caller without a descriptor.
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _within(output: str, folder: str) -> bool:
    if output == STANDARD or _is_remote(output) != _is_remote(folder):
        return False
    if _is_remote(output):
        return f"{_address(output)}/".startswith(f"{_address(folder)}/")
    root = os.path.realpath(local_path(folder))
    return f"{os.path.realpath(local_path(output))}/".startswith(f"{root.rstrip('/')}/")


def _is_remote(name: str) -> bool:
    return scheme_of(name) in REMOTE_SCHEMES


def _address(name: str) -> str:
    """Bucket and key: the schemes of object stores are spellings of one."""
    return name.partition("://")[2].rstrip("/")


def _shown(output: str) -> str:
    return "standard output" if output == STANDARD else output


def _spelled(output: str, other: str) -> str:
    """How the file is named as well."""
    return f", also as {_shown(other)}" if other != output else ""


def _files(inputs: Sequence[str]) -> list[str]:
    """The files of this machine that the inputs name; what cannot be found is said when it is read."""
    from ..input.expansion import expand

    found: list[str] = []
    for each in inputs:
        if each == STANDARD or _is_remote(each):
            continue
        try:
            found += [one.path for one in expand(each) if one.path is not None]
        except WireloomError:
            continue
    return found
