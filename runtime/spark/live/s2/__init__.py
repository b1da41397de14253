"""``s2_stream``, the data source of Spark for streams of S2."""

from ....base.face import face

__getattr__ = face(__name__, {"options": "READ_OPTIONS WRITE_OPTIONS", "source": "S2StreamSource"})
