"""The ingest pipeline: reads files of a format into a table of good rows and a quarantine table of damaged records."""

from ...base.face import face
from .batches import ingest
from .committed import committed_files
from .job_progress import IngestProgress
from .stream import ingest_stream
from .summary import IngestSummary

__all__ = ["IngestProgress", "IngestSummary", "committed_files", "ingest", "ingest_stream"]

__getattr__ = face(
    __name__,
    {
        "catalogs": "catalog_of",
        "conversion": "cast_exactly",
        "failures": "failure",
        "iceberg": "IcebergCatalog",
        "job_progress": "unwrap_task_errors",
        "layout": "FileLayout",
        "lock": "locked",
        "ledger": "Shape compact_ledger",
        "prometheus": "PrometheusMetrics file_metrics totals",
        "request": "IngestRequest",
        "table_files": "GROUP_BYTES OPEN_FILES WrittenFile write_table_files",
        "tables": "BatchAttempt IngestTables StreamBatch open_tables write_quarantine",
        "task_source": "TaskWriting",
    },
)
