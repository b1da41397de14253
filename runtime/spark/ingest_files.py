"""Public module of `committed_files`."""

from .ingest import committed_files

__all__ = ["committed_files"]
