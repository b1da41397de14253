"""The ``columns`` backend: the description of a format, its Arrow schema and the program that the column engine
runs."""

from pathlib import Path

from ..base import Backend, Output
from .lower import lower, parts

BACKEND = Backend(
    name="columns",
    folder=Path(__file__).parent,
    lower=lower,
    parts=parts,
    outputs=(Output("package.py.j2", "{name}/__init__.py"), Output("columns.py.j2", "{name}/columns.py", parts=False)),
    messages=True,
)
