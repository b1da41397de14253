"""How the Python processes of Spark start in the tests: as forks of one that has imported what they need.

Spark starts a process for each stream, and one for each kind of work, which is forked for each table that is planned
or written. Each would import pyspark, pyarrow and wireloom anew, which takes far longer than what it does then. Each
would also compile pyspark, since the archive of it that Spark puts first on the path holds no compiled code.

Where a ``fork_server`` runs, such a process is forked from it; otherwise it imports before it is forked itself.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules

FORK_SERVER = "WIRELOOM_FORK_SERVER"
"""The variable that holds the server's address, a socket."""
DAEMON, STREAM = "pyspark.daemon", "pyspark.sql.streaming.python_streaming_source_runner"
PACKAGES = (
    "pyspark.sql.worker",
    "wireloom.spark.read",
    "wireloom.spark.stream",
    "wireloom.spark.write",
    "wireloom.spark.live.kinesis",
    "wireloom.spark.live.s2",
)
MODULES = (
    "pyarrow.compute",
    "pyspark.worker",
    "wireloom.format.in_memory",
    "wireloom.formats.cobs_log.spark",
    "wireloom.input.remote_listing",
    "wireloom.rows.engine_reader",
    "wireloom.rows.object_rows",
)


def preload() -> None:
    """Import what Spark's processes need."""
    # numpy's threads do not survive a fork.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for package in PACKAGES:
        for each in iter_modules(import_module(package).__path__):
            # Older versions of pyspark lack what some import.
            with suppress(ImportError):
                import_module(f"{package}.{each.name}")
    for module in MODULES:
        import_module(module)


def without_archives(path: list[str]) -> list[str]:
    """Return the entries that are not archives of pyspark."""
    return [each for each in path if not each.endswith(("/pyspark.zip", "-src.zip"))]


def fork(address: str) -> None:
    """Have this process's work done by a fork of the server; it ends when the fork ends."""
    import json
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [b"\0"], [0, 1, 2])
        request = {"arguments": sys.orig_argv[2:], "environment": dict(os.environ), "folder": os.getcwd()}
        server.sendall(json.dumps(request).encode())
        server.shutdown(socket.SHUT_WR)
        code = server.recv(1)
    os._exit(code[0] if code else 1)


if sys.orig_argv[1:2] == ["-m"] and sys.orig_argv[2:3] in ([DAEMON], [STREAM]):
    if FORK_SERVER in os.environ:
        fork(os.environ[FORK_SERVER])
    sys.path[:] = without_archives(sys.path)
    if sys.orig_argv[2] == DAEMON:
        preload()
