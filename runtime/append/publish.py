"""Publishes logs atomically: they appear under their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..format.description import Format
from ..writing.output import replacing
from .target import open_for_append, path_of, refuse_name
from .writer import AppendWriter


@contextmanager
def publish(
    path: str | os.PathLike[str], format: str | Format = "word_stuffed_log", **options: Any
) -> Iterator[AppendWriter]:
    """Yield an ``AppendWriter`` for a new file that gets its name when the block ends: readers see all of it or
    nothing.

    An existing file of that name is replaced. If the block raises, nothing is left. The content is on the disk before
    the file gets its name. Options: those of ``AppendWriter``. Raises ``WireloomError`` if the file cannot be written.
    """
    shown = path_of(path)
    refuse_name(shown)
    with (
        replacing(shown) as temporary,
        open_for_append(str(temporary), published=shown) as file,
        AppendWriter(file.fileno(), format, **options) as writer,
    ):
        yield writer
        writer.sync()
