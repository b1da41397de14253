"""The demonstration that ``make demo`` runs: sample logs on disk, some of them damaged, and how they are processed."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "samples": "Sample event_table make_samples sample",
    },
)
