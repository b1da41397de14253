"""Streaming reads: offsets, files that grow or are rotated, and the content of each micro-batch."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "file_identity": "original",
        "incremental_listing": "IncrementalListing",
        "listing": "check_paths local_folder",
        "offset": "FilePart FileProgress GIVEN_UP OlderFiles StreamOffset fingerprint",
    },
)
