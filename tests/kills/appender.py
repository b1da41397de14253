"""The life of one appender in a separate process, which ends by a kill, or on request."""

from __future__ import annotations

import errno
import os
import random
import signal
import struct
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from wireloom.append import AppendWriter, SystemCalls, target

from .subjects import SUBJECTS, Record

NUMBER = struct.Struct("<I")


@dataclass(frozen=True)
class Life:
    """The parameters of an appender. ``tears``: in how many of 10,000 writes it kills itself after a part of the write.
    ``locks``: whether the file system has locks."""

    subject: str
    path: Path
    number: int
    seed: int
    tears: int
    locks: bool

    @property
    def acknowledged(self) -> Path:
        """Return the file of the numbers up to which this life's records were accepted, in sequence."""
        return self.path.with_suffix(f".{self.number}")


class Tearing(SystemCalls):
    """Occasionally writes only a part, and is killed there: at any byte, and often inside a delimiter."""

    def __init__(self, randomness: random.Random, tears: int) -> None:
        self._randomness = randomness
        self._tears = tears

    def write(self, descriptor: int, data: bytes) -> int:
        randomness = self._randomness
        if randomness.randrange(10_000) < self._tears:
            near = randomness.choice([0, len(data)]) + randomness.randint(-3, 3)
            size = randomness.choice([near, randomness.randrange(len(data) + 1)])
            os.write(descriptor, data[: min(max(size, 0), len(data))])
            os.kill(os.getpid(), signal.SIGKILL)
        return super().write(descriptor, data)


def no_locks(descriptor: int, operation: int) -> None:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def live(life: Life) -> None:
    """Append records, occasionally with a new writer, and note which were acknowledged."""
    stopping = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, stop)
    if not life.locks:
        target.fcntl.flock = no_locks
    randomness = random.Random(life.seed)
    subject = SUBJECTS[life.subject]
    notes = os.open(life.acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    number = 0
    while not stopping:
        buffer = randomness.choice([0, 0, 1, 3000, 100_000])
        sync = randomness.choice(["never", "always", 0.01])
        calls = Tearing(randomness, life.tears)
        with AppendWriter(life.path, subject.format, buffer=buffer, sync=sync, calls=calls) as writer:
            for _ in range(randomness.randint(1, 60)):
                writer.append(**subject.values(Record(life.number, number)))
                number += 1
                if not buffer:
                    os.write(notes, NUMBER.pack(number))
                elif randomness.random() < 0.2:
                    randomness.choice([writer.flush, writer.sync])()
                    os.write(notes, NUMBER.pack(number))
                if stopping:
                    break
        os.write(notes, NUMBER.pack(number))


def acknowledged(life: Life) -> int:
    """Return how many records of a life were acknowledged: the first ones."""
    if not life.acknowledged.exists():
        return 0
    numbers = life.acknowledged.read_bytes()
    return max((each for (each,) in NUMBER.iter_unpack(numbers)), default=0)
