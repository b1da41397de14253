"""Batch and streaming writes: files of a format, committed together."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "commit_log": "CommitLog LOG_FOLDER staging",
        "driver_process": "driver_process:this_driver has_ended",
        "files": "ending write_empty write_files",
        "partitions": "by_folder",
        "writer": "FormatStreamWriter FormatWriter",
    },
)
