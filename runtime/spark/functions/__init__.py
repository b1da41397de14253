"""Spark functions for columns of messages: `from_wire`, `to_wire` and `explode_wire`, and their SQL equivalents."""

from .columns import explode_wire, from_wire, to_wire

__all__ = ["explode_wire", "from_wire", "to_wire"]
