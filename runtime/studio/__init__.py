"""The studio: a spec in an editor beside the bytes, fields and rows of a file, as a page on this machine."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "application": "Studio application editor_folder",
        "attribute_lines": "attribute_lines",
        "completing": "completions",
        "guard": "Guard",
        "helper": "Helper HelperError",
        "serving": "serve",
        "workshop": "Workshop",
    },
)
