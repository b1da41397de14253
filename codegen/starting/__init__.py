"""``wireloom new``: a small complete package around a first spec."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "package": "start suggestion",
    },
)
