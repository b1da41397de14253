"""What the Python processes of the session of the tests import before they are forked; their ``sitecustomize``.

Spark forks one for each table that is planned or written, from a process that has imported next to nothing: each would
import pyspark, pyarrow and wireloom anew, which takes far longer than what it does then. Each would also compile
pyspark, since the archive of it that Spark puts first on the path holds no compiled code.
"""

import os
import sys
from importlib import import_module
from pkgutil import iter_modules

PACKAGES = (
    "wireloom.spark.read",
    "wireloom.spark.stream",
    "wireloom.spark.write",
    "wireloom.spark.live.kinesis",
    "wireloom.spark.live.s2",
)
MODULES = (
    "pyarrow.compute",
    "wireloom.format.explored",
    "wireloom.formats.cobs_log.spark",
    "wireloom.input.remote_listing",
    "wireloom.rows.engine_reader",
    "wireloom.rows.object_rows",
)

if " ".join(sys.orig_argv[1:3]).startswith("-m pyspark."):
    sys.path[:] = [each for each in sys.path if not each.endswith(("/pyspark.zip", "-src.zip"))]
if sys.orig_argv[1:3] == ["-m", "pyspark.daemon"]:
    # numpy's threads do not survive a fork.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for package in PACKAGES:
        for each in iter_modules(import_module(package).__path__):
            import_module(f"{package}.{each.name}")
    for module in (*sys.orig_argv[3:], *MODULES):
        import_module(module)
