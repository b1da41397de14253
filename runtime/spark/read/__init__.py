"""Batch reads: files, splits and schemas on the driver, Arrow batches in the tasks."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "partition_columns": "NULL column_types folder_values",
        "prefetch": "ALONE DEPTH ahead",
        "split_planning": "Candidate EXPANSION LAST plan",
        "task_reports": "QUARANTINE_SCHEMA TaskReports merge_reports",
        "workers": "keep_imported",
    },
)
