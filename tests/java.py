"""Java, and sessions of Spark, that start quickly in separate processes."""

import os
from pathlib import Path

QUICK_JAVA = {"JDK_JAVA_OPTIONS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"}
"""An environment in which Java does not optimise short-lived code."""

PRELOADING = str(Path(__file__).with_name("spark") / "preloading")
"""The folder of the ``sitecustomize`` of Spark's Python processes."""

QUICK_SPARK = {**QUICK_JAVA, "PYTHONPATH": os.pathsep.join(filter(None, [PRELOADING, os.environ.get("PYTHONPATH")]))}
"""The same; in addition, Spark's Python processes import what they need before they are forked."""
