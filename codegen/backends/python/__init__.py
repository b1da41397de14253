"""The ``python`` backend: parser and encoder classes with Kaitai's API, on ``wireloom.objects``."""

from pathlib import Path

from ..base import Backend, Output, lowering
from .unsupported import is_supported

BACKEND = Backend(
    name="python",
    folder=Path(__file__).parent,
    lower=lowering(__name__),
    accepts=is_supported,
    outputs=(Output("parser.py.j2", "{name}/parser.py"),),
    messages=True,
)
