"""The ingest pipeline: reads files of a format into a table of good rows and a quarantine table of damaged records."""

from ..write.commit_log import committed_files
from .batches import ingest
from .job_progress import IngestProgress
from .stream import ingest_stream
from .summary import IngestSummary

__all__ = ["IngestProgress", "IngestSummary", "committed_files", "ingest", "ingest_stream"]
