"""Data sources of Spark for streams of other services, with a subpackage for each service."""
