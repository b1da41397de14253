"""The content of a compressed file, which the page shows in place of the stored bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import codecs
from ..base.errors import WireloomError
from ..format.description import Format
from ..input.inputs import Input
from ..input.stored import Stored
from ..input.window import DirectBlocks, StreamWindow


def codec_of(source: Input, format: Format | None, options: Mapping[str, Any]) -> str:
    """Return the codec of a file as its readers find it; without a format, by its content alone. Raises
    ``WireloomError`` for a file that is named as compressed and is not."""
    codec: str = options.get("codec", codecs.AUTO)
    if codec != codecs.AUTO:
        return codec
    stored = Stored(source.open(), source.size)
    try:
        usual, own = (format.codec, format.own_magic) if format is not None else ("none", b"")
        return codecs.detect(stored.peek(codecs.HEAD), source.name, usual, own)
    finally:
        stored.close()


def unpack(
    source: Input, codec: str, options: Mapping[str, Any], path: Path, most: int
) -> tuple[int, str | None, bool]:
    """Write the decompressed content to ``path``, at most about ``most`` bytes. Return its size, the error that ended
    it, and whether it is complete."""
    stored = Stored(source.open(), source.size)
    try:
        most_window = options.get("max_window", codecs.MAX_WINDOW)
        window = StreamWindow(DirectBlocks(codecs.decoder(codec, stored, max_window=most_window)))
    except WireloomError as error:
        stored.close()
        return 0, str(error), False
    size = 0
    try:
        with path.open("wb") as out:
            while size < most:
                size += out.write(window.view[window.begin :])
                window.begin = len(window.view)
                if not window.extend():
                    break
        return size, str(window.error) if window.error is not None else None, window.error is None and window.at_end
    finally:
        window.close()
        stored.close()
