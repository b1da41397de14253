"""Identifies the process of a Spark application, so that other processes can tell whether it has ended."""

from __future__ import annotations

import hashlib
import os
import socket
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")
MOST_PARENTS = 16


def driver_process() -> str:
    """Return the Java process above this one, or this process if there is none, as ``MACHINE.PROCESS.START``."""
    found = process = os.getpid()
    for _ in range(MOST_PARENTS):
        status = _status(process)
        if status is None:
            break
        name, parent, _ = status
        if name == "java":
            found = process
            break
        process = parent
    status = _status(found)
    return f"{_machine()}.{found}.{status[2] if status is not None else 0}"


def has_ended(name: str) -> bool:
    """Return whether that process is known to have ended; nothing is known of other machines."""
    machine, _, rest = name.partition(".")
    process, _, start = rest.partition(".")
    if machine != _machine() or not process.isdecimal() or start in ("", "0"):
        return False
    status = _status(int(process))
    return status is None or status[2] != start


def _machine() -> str:
    """Return a digest of this machine's name and boot time."""
    boot = ""
    with suppress(OSError):
        boot = (PROCESSES / "sys" / "kernel" / "random" / "boot_id").read_text()
    return hashlib.blake2b(f"{socket.gethostname()} {boot}".encode(), digest_size=4).hexdigest()


def _status(process: int) -> tuple[str, int, str] | None:
    """Return the name, parent and start time of a process; ``None`` if it does not exist or cannot be examined."""
    try:
        text = (PROCESSES / str(process) / "stat").read_text()
    except OSError:
        return None
    # The name is in parentheses and may contain spaces and parentheses itself.
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return name, int(fields[1]), fields[19]
