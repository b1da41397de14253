"""Logs that appear under their name only when they are complete."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..format import Format
from .target import open_for_append, path_of, refuse_name
from .writer import AppendWriter


@contextmanager
def publish(
    path: str | os.PathLike[str], format: str | Format = "word_stuffed_log", **options: Any
) -> Iterator[AppendWriter]:
    """An ``AppendWriter`` on a new file that gets its name when the block ends: readers see all of it or nothing.

    A file of that name is replaced. Where the block raises, nothing is left. The content is on the disk before the file
    gets its name. Options: those of ``AppendWriter``.
    """
    shown = path_of(path)
    refuse_name(shown)
    final = Path(os.path.realpath(shown))
    temporary = final.with_name(f".{final.name}.{secrets.token_hex(4)}.tmp")
    try:
        with (
            open_for_append(str(temporary), new=True) as file,
            AppendWriter(file.fileno(), format, **options) as writer,
        ):
            yield writer
            writer.sync()
        os.replace(temporary, final)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise
