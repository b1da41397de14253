"""The ``spark`` backend: a format's Spark schema, its data source, and the package by which Spark discovers it."""

from pathlib import Path

from ..base import Backend, Output
from .lower import lower

BACKEND = Backend(
    name="spark",
    folder=Path(__file__).parent,
    lower=lower,
    outputs=(
        Output("spark.py.j2", "{name}/spark.py"),
        Output("discovery.py.j2", "{name}/pyspark_{name}/__init__.py"),
    ),
    messages=True,
)
