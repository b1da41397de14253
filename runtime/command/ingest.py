"""``wireloom ingest``: the Spark pipeline."""
