"""Retries of requests to a service that fails, or cannot be reached, for a while."""

from __future__ import annotations

import math
import random
import time

from .errors import WireloomError

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Initial and maximum number of seconds before a request is retried."""


def pause(attempt: int) -> float:
    """Return the seconds to wait after failed attempt ``attempt``, counted from 1: they double, with a random part so
    that clients do not retry simultaneously."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt - 1, 10)) * random.uniform(0.5, 1.0)


class Retries:
    """The attempts at one request. ``patience``: seconds for which failures are retried, from the end of the first one,
    which may itself have taken long; ``attempt``: the number of the current attempt, from 1."""

    def __init__(self, patience: float) -> None:
        self.attempt = 1
        self._patience = patience
        self._until = math.inf

    def wait(self, failure: WireloomError) -> None:
        """Wait after a failed attempt. Raises ``failure`` if it is to be the last one."""
        if self.attempt == 1:
            self._until = time.monotonic() + self._patience
        if time.monotonic() >= self._until:
            raise failure
        time.sleep(pause(self.attempt))
        self.attempt += 1
