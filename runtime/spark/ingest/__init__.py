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
        "failures": "failure",
        "conversion": "cast_exactly",
        "iceberg": "IcebergCatalog",
        "job_progress": "unwrap_task_errors",
        "layout": "FileLayout COMPRESSIONS",
        "ledger": "Shape compact_ledger",
        "lock": "locked",
        "metrics": "file_metrics totals",
        "quarantine": "write_quarantine",
        "request": "IngestRequest",
        "prometheus": "PrometheusMetrics",
        "table_files": "GROUP_BYTES OPEN_FILES WrittenFile write_table_files",
        "task_source": "TaskWriting",
        "tables": "BatchAttempt IngestTables StreamBatch open_tables",
    },
)
