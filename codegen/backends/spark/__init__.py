"""The ``spark`` backend: a format's Spark schema, its data source, and the package by which Spark discovers it."""

from pathlib import Path

from ...tree import Spec
from ..base import Backend, Output, lazy_lower


def _has_table(spec: Spec) -> bool:
    """Return whether a spec has rows. The backend ``columns`` refuses those that no column can show."""
    return spec.units is not None or spec.rows is not None


BACKEND = Backend(
    name="spark",
    folder=Path(__file__).parent,
    lower=lazy_lower(__name__),
    accepts=_has_table,
    outputs=(
        Output("spark.py.j2", "{name}/spark.py"),
        Output("discovery.py.j2", "{name}/pyspark_{name}/__init__.py"),
    ),
    messages=True,
)
