"""Streams of other services as data sources of Spark, one folder each."""
