"""wireloom in Spark: a data source for every format, and a pipeline from files to tables.

>>> import wireloom.spark
>>> wireloom.spark.register(spark)                                   # doctest: +SKIP
>>> spark.read.format("edgemq_segment").load("s3://…/segments/")     # doctest: +SKIP

``register`` is not needed if Spark discovers data sources by itself. ``wireloom.spark.ingest`` contains the pipeline,
``wireloom.spark.session`` starts local sessions.
"""

from ..base.face import face
from .registration import register, source_of, sources

__all__ = ["register", "source_of", "sources"]

__getattr__ = face(__name__, {"mapping": "map_batches"})
