"""Where Spark finds ``kinesis_stream`` by itself: it looks for packages named ``pyspark_…``."""

from wireloom.spark.live.kinesis.source import KinesisStreamSource as DefaultSource

__all__ = ["DefaultSource"]
