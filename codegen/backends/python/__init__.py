"""The ``python`` backend: parser and encoder classes with Kaitai's API, on ``wireloom.objects``."""

from pathlib import Path

from ..base import Backend, Output, lazy_lower
from .unsupported import check_supported

BACKEND = Backend(
    name="python",
    folder=Path(__file__).parent,
    lower=lazy_lower(__name__),
    accepts=check_supported,
    outputs=(Output("parser.py.j2", "{name}/parser.py"),),
    messages=True,
)
