"""Streams of Kinesis as a data source of Spark: ``kinesis_stream``."""

from ....base.face import face

__getattr__ = face(__name__, {"options": "READ_OPTIONS WRITE_OPTIONS", "source": "KinesisStreamSource"})
