"""``kinesis_stream``, the data source of Spark for streams of Kinesis."""

from ....base.face import face

__getattr__ = face(__name__, {"options": "READ_OPTIONS WRITE_OPTIONS", "source": "KinesisStreamSource"})
