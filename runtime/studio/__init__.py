"""The studio: a local web page with a spec in an editor next to the bytes, fields and rows of a file.

``serving`` and ``application`` require the extra ``studio``.
"""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "arguments": "json_object json_text position_of text_of window_of",
        "completing": "completions",
        "described": "attribute_lines",
        "guard": "Guard",
        "helper": "Helper HelperError",
        "workshop": "Workshop",
    },
)
