"""The effects of a change of a spec on readers: columns, bytes, checks, settings."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "change": "Level level_of",
        "compare": "compare:compare_specs",
    },
)
