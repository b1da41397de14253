"""Refuses outputs that would overwrite an input or another output, before anything is written."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence

from ..base.addresses import is_remote, local_path, same_for_all
from ..base.errors import WireloomError

STANDARD = "-"


def refuse_overwrite(
    outputs: Iterable[str | None],
    inputs: Sequence[str],
    format_name: str | None = None,
    *,
    folders: Iterable[str | None] = (),
) -> None:
    """Raise ``WireloomError`` if one of ``outputs`` is a file that ``inputs`` name, the spec itself, or the file of
    another output, under any name; if it is in one of ``folders``, which are written as well; or if it cannot be a
    file, since its name is that of a folder, or the folder that it is in does not exist.

    ``outputs``: paths and addresses of files, ``-`` for standard output, which may be a file. ``inputs`` are those
    given to the command: paths, globs, folders, addresses. Outputs that are not regular files, such as ``/dev/null``,
    are allowed.
    """
    wanted = [each for each in outputs if each is not None]
    read = _identities(inputs, format_name) if wanted else set()
    seen: dict[object, str] = {}
    for output in wanted:
        shown, identity = _shown(output), _identity(output)
        if identity in read:
            raise WireloomError("is an input and an output: name another file for the output", path=shown)
        if identity is not None and identity in seen:
            also = f", also as {_shown(seen[identity])}" if seen[identity] != output else ""
            raise WireloomError(f"would be written twice{also}: name another file for one of the outputs", path=shown)
        seen[identity] = output
    for output in wanted:
        for folder in folders:
            if folder is not None and _within(output, folder):
                raise WireloomError(
                    f"is inside {folder}, which is also an output: name a file outside of it", path=_shown(output)
                )
        _check_name(output)


def _check_name(output: str) -> None:
    if output == STANDARD or is_remote(output):
        return
    path = local_path(output)
    if not path or path.endswith(os.sep) or os.path.isdir(path):
        raise WireloomError("is a folder: name a file in it" if path else "the name of an output is empty", path=output)
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise WireloomError(f"cannot be written: there is no folder {folder}", path=output)


def _identities(inputs: Sequence[str], format_name: str | None) -> set[object]:
    """Return the identities of the files that are read; missing ones are reported when they are read."""
    from ..input.expansion import expand

    found: set[object] = {_identity(each) for each in inputs if is_remote(each)}
    paths = [format_name] if format_name else []
    for each in inputs:
        if each != STANDARD and not is_remote(each):
            try:
                paths += [one.path for one in expand(each) if one.path is not None]
            except WireloomError:
                continue
    found |= {_identity(each) for each in paths if _file_status(each) is not None}
    return found - {None}


def _identity(name: str) -> object | None:
    """Return an identity that is equal for all names of a file; ``None`` if it is not a regular file."""
    if is_remote(name):
        return same_for_all(name)
    status = _file_status(name)
    if status is not None:
        return status.st_dev, status.st_ino
    path = os.path.realpath(local_path(name))
    return None if name == STANDARD or os.path.lexists(path) else path


def _file_status(name: str) -> os.stat_result | None:
    """Return the status of an existing regular file; ``None`` for everything else."""
    try:
        status = os.fstat(sys.stdout.fileno()) if name == STANDARD else os.stat(local_path(name))
    except (OSError, ValueError, AttributeError):
        # Standard output may be closed, or an object of the caller without a descriptor.
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _within(output: str, folder: str) -> bool:
    if output == STANDARD or is_remote(output) != is_remote(folder):
        return False
    if is_remote(output):
        return f"{same_for_all(output)}/".startswith(f"{same_for_all(folder)}/")
    root = os.path.realpath(local_path(folder))
    return f"{os.path.realpath(local_path(output))}/".startswith(f"{root.rstrip('/')}/")


def _shown(output: str) -> str:
    return "standard output" if output == STANDARD else output
