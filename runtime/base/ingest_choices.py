"""Choices of ``ingest``, which its command lists without loading Spark."""

KINDS = ("parquet", "delta", "iceberg")
"""Kinds of tables."""
COMPRESSIONS = ("snappy", "zstd", "lz4", "gzip", "none")
"""Compressions of a table's files."""
EXISTING = ("append", "adopt", "overwrite", "error")
"""Handling of an existing table."""
REFUSE, ADD, QUARANTINE = "refuse", "add", "quarantine"
EVOLUTIONS = (REFUSE, ADD, QUARANTINE)
"""Handling of a read whose columns differ from those of the table."""
