"""MCAP, beyond its records: the indexes of chunks and messages that a writer creates."""

from .indexing import ChunkIndexer

__all__ = ["ChunkIndexer"]
