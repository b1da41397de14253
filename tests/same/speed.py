"""``python -m tests.same.speed``: prints the CPU time of some reads, in seconds by format, as JSON."""

from __future__ import annotations

import json
import random
import sys
import time

from ..bench.data import frames, stuffed_log
from ..campaigns.subjects import SUBJECTS
from ..unit.reading.running import read

SIZE = 8_000_000
"""Number of bytes of each input, about."""
REPEATED = ("tfrecord", "kafka_log", "otlp_logs")
"""Campaigns whose content may be repeated: files of consecutive records."""
TIMES = 3


def main() -> None:
    """Read each input some times, and print the shortest time of each."""
    inputs = {"edgemq_segment": frames(SIZE), "word_stuffed_log": stuffed_log(SIZE)}
    for name in REPEATED:
        content = SUBJECTS[name].sample(random.Random(f"speed {name}")).content
        inputs[name] = content * (SIZE // len(content))
    found: dict[str, float] = {}
    for name, data in inputs.items():
        for _ in range(TIMES):
            begin = time.process_time()
            read("columns", name, data)
            taken = time.process_time() - begin
            found[name] = min(found.get(name, taken), taken)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
