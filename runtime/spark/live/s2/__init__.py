"""Streams of S2 as a data source of Spark: ``s2_stream``."""

from ....base.face import face

__getattr__ = face(__name__, {"options": "READ_OPTIONS WRITE_OPTIONS", "source": "S2StreamSource"})
