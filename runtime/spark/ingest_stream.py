"""Public module of `ingest_stream`."""

from .ingest import ingest_stream

__all__ = ["ingest_stream"]
