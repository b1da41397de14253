"""``wireloom ingest`` for ``spark-submit``: the same arguments, run on the cluster to which the job is submitted.

``spark-submit --master yarn --archives environment.tar.gz#environment job.py FORMAT INPUT --table OUT``

The master, executors and memory are those given to ``spark-submit``; no local session is started.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> None:
    """Create the session, run the command, and exit with its exit code."""
    from wireloom.command import main as command
    from wireloom.spark.session import session_elsewhere

    spark = session_elsewhere("wireloom ingest")
    try:
        command(["ingest", *(sys.argv[1:] if arguments is None else arguments)])
    finally:
        # If Java has died, the exit code still has to report what happened.
        with suppress(Exception):
            spark.stop()


if __name__ == "__main__":
    main()
