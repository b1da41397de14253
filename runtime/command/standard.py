"""The process: standard input and output as binary files, and its exit codes."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import BinaryIO, TextIO


def standard_output() -> BinaryIO:
    """Return standard output for blocks of bytes, after flushing text that was printed before.

    It is not buffered: a buffer writes several times in a row without Python looking at signals. One that arrived in
    between would be noticed when a reader that has stalled goes on.
    """
    sys.stdout.flush()
    return getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)


def standard_input() -> BinaryIO:
    """Return standard input for bytes."""
    return sys.stdin.buffer


def wants_colours(stream: TextIO) -> bool:
    """Return whether a file is a terminal whose user wants colours (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_json(path: str, value: object) -> None:
    """Write ``value`` as indented JSON to the file ``path``, or to standard output for ``-``."""
    from ..writing import opened

    with opened(standard_output() if path == "-" else path) as file:
        file.write(json.dumps(value, indent=2).encode() + b"\n")
        file.flush()


FAILED = 1
"""A failure that may succeed when it is tried again."""
UNUSABLE = 2
"""A wrong option, or an input that cannot be used at all."""
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
PIPE_CLOSED = 141
"""What a shell reports for a process ended by the signal."""
