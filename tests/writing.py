"""Logs that tests write."""

from __future__ import annotations

import io
from typing import Any

import wireloom


def bytes_of(format: Any, rows: Any, **options: Any) -> bytes:
    """Return what ``wireloom.write`` writes."""
    log = io.BytesIO()
    wireloom.write(format, rows, log, **options)
    return log.getvalue()
