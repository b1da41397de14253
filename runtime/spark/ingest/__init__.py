"""The ingest pipeline: files of a format to a table of the good rows and a quarantine table of the damaged records."""

from .batches import ingest
from .committed import committed_files
from .job_progress import IngestProgress
from .stream import ingest_stream
from .summary import IngestSummary

__all__ = ["IngestProgress", "IngestSummary", "committed_files", "ingest", "ingest_stream"]
