"""wireloom in Spark: every format as a data source, and a pipeline from files to tables.

>>> import wireloom.spark
>>> wireloom.spark.register(spark)                                   # doctest: +SKIP
>>> spark.read.format("edgemq_segment").load("s3://…/segments/")     # doctest: +SKIP

Where Spark finds data sources by itself, ``register`` is not needed. ``wireloom.spark.ingest`` holds the pipeline,
``wireloom.spark.session`` makes a session on this machine.
"""

from ..base.face import face
from .registration import register, source_of, sources

__all__ = ["register", "source_of", "sources"]

__getattr__ = face(__name__, {"mapping": "map_batches"})
