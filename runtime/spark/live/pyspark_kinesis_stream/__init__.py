"""Lets Spark discover ``kinesis_stream``: Spark looks for packages named ``pyspark_…``."""

from wireloom.spark.live.kinesis.source import KinesisStreamSource as DefaultSource

__all__ = ["DefaultSource"]
