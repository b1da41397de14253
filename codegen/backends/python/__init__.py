"""The ``python`` backend: parser and encoder classes with Kaitai's API, on ``wireloom.objects``."""

from pathlib import Path

from ..base import Backend, Output
from .lower import lower

BACKEND = Backend(
    name="python",
    folder=Path(__file__).parent,
    lower=lower,
    outputs=(Output("parser.py.j2", "{name}/parser.py"),),
    messages=True,
)
