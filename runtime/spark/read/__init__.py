"""Batch reads: files, splits and schemas on the driver, Arrow batches in the tasks."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "partition_columns": "NULL column_types folder_values",
        "reader": "ALONE DEPTH ahead keep_imported",
        "split_planning": "EXPANSION LAST Candidate plan",
        "task_reports": "QUARANTINE_SCHEMA TaskReports merge_reports",
    },
)
