"""``wireloom ingest`` for ``spark-submit``: the same arguments, on the cluster that the job is submitted to.

``spark-submit --master yarn --archives environment.tar.gz#environment job.py FORMAT INPUT --table OUT``

The master, executors and memory are those that ``spark-submit`` was told, not a session on this machine.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the session, runs the command, and ends with its exit code."""
    from wireloom.command import main as command
    from wireloom.spark.session import session_elsewhere

    spark = session_elsewhere("wireloom ingest")
    try:
        command(["ingest", *(sys.argv[1:] if arguments is None else arguments)])
    finally:
        # Where Java has gone, the exit code is to say what happened.
        with suppress(Exception):
            spark.stop()


if __name__ == "__main__":
    main()
