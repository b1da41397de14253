"""Modules with the API of Kaitai's own compiler: one per spec, side by side in a folder."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "generate": "generate:generate_modules",
        "modules": "modules:modules_of",
    },
)
