"""The studio: a spec in an editor beside the bytes, fields and rows of a file, as a page on this machine.

``serving`` and ``application`` need the extra ``studio``.
"""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "attribute_lines": "attribute_lines",
        "completing": "completions",
        "guard": "Guard",
        "helper": "Helper HelperError",
        "workshop": "Workshop",
    },
)
