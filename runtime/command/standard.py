"""Standard input and output as binary files."""

from __future__ import annotations

import sys
from typing import BinaryIO


def standard_output() -> BinaryIO:
    """Standard output for bytes; what was printed before comes first."""
    sys.stdout.flush()
    return sys.stdout.buffer


def standard_input() -> BinaryIO:
    """Standard input for bytes."""
    return sys.stdin.buffer
