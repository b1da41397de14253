"""Columns of messages in Spark: `from_wire`, `to_wire` and `explode_wire`, and the same in SQL."""

from .columns import explode_wire, from_wire, to_wire

__all__ = ["explode_wire", "from_wire", "to_wire"]
