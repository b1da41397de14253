"""The ``columns`` backend: the description of a format, its Arrow schema and the program that the column engine
runs."""

from operator import attrgetter
from pathlib import Path

from ..base import Backend, Output
from .lower import lower
from .modules import columns_text, package_text

BACKEND = Backend(
    name="columns",
    folder=Path(__file__).parent,
    lower=lower,
    parts=attrgetter("parts"),
    outputs=(Output(package_text, "{name}/__init__.py"), Output(columns_text, "{name}/columns.py", parts=False)),
    messages=True,
)
