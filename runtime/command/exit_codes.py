"""Exit codes of the commands."""

from __future__ import annotations

import signal

FAILED = 1
"""A failure that may succeed when it is tried again."""
UNUSABLE = 2
"""A wrong option, or an input that cannot be used at all."""
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
PIPE_CLOSED = 141
"""What a shell reports for a process ended by the signal."""
