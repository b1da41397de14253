"""PySpark 4.0 and 4.1 lack what streams and functions of columns need. Everything else works without it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
from unittest.mock import MagicMock

import pyspark
import pyspark.sql.datasource
import pyspark.sql.functions
import pyspark.sql.pandas.functions

pyspark.__version__ = "4.0.0"
# What is new in 4.1 and 4.2.
sys.modules["pyspark.sql.streaming.datasource"] = None
for module in (pyspark.sql.functions, pyspark.sql.pandas.functions):
    vars(module).pop("arrow_udf", None)
    vars(module).pop("arrow_udtf", None)

import pytest
import wireloom.command.ingest
import wireloom.spark.ingest
import wireloom.spark.session
from wireloom import UnsupportedError
from wireloom.spark.functions import explode_wire

spark = MagicMock()
wireloom.spark.register(spark)
found = {each.args[0] for each in spark.dataSource.register.call_args_list}
assert {"edgemq_segment", "s2_stream", "kinesis_stream"} <= {each.name() for each in found}
# What Spark discovers by itself.
names = [each.name for each in pkgutil.iter_modules() if each.name.startswith("pyspark_")]
assert {importlib.import_module(name).DefaultSource for name in names} <= found
for source in found:
    with pytest.raises(UnsupportedError, match="streams need PySpark 4.2"):
        source({"path": "x"}).streamReader(None)
"""


def test_versions_without_streams_and_functions() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
