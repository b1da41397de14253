"""Lets Spark discover ``s2_stream``: Spark looks for packages named ``pyspark_…``."""

from wireloom.spark.live.s2.source import S2StreamSource as DefaultSource

__all__ = ["DefaultSource"]
