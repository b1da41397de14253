"""The ``python`` backend: parser and encoder classes with Kaitai's API, on ``wireloom.objects``."""

from pathlib import Path

from ....base.face import face
from ..base import Backend, Output
from .lower import lower

BACKEND = Backend(
    name="python",
    folder=Path(__file__).parent,
    lower=lower,
    outputs=(Output("parser.py.j2", "{name}/parser.py"),),
    messages=True,
)

__getattr__ = face(
    __name__,
    {
        "annotations": "Annotations",
        "api": "Api",
        "expressions": "Translator",
        "lower": "lower_module",
        "module": "Module",
        "names": "class_name",
    },
)
