"""The ingest pipeline: reads files of a format into a table of good rows and a quarantine table of damaged records."""

from ..write.commit_log import committed_files
from .job_progress import IngestProgress
from .pipeline import ingest
from .streaming_pipeline import ingest_stream
from .summary import IngestSummary

__all__ = ["IngestProgress", "IngestSummary", "committed_files", "ingest", "ingest_stream"]
