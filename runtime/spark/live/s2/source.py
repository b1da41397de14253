"""The data source ``s2_stream``. Spark imports this module to discover sources, so importing it does no work."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql.types import StringType, StructField

from ..source import LiveSource

if TYPE_CHECKING:
    from .options import S2ReadOptions, S2WriteOptions
    from .reader import S2Reader
    from .writer import S2StreamWriter, S2Writer


class S2StreamSource(LiveSource):
    """The data source of streams of S2. The options are ``options.READ_OPTIONS`` and ``options.WRITE_OPTIONS``."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return "s2_stream"

    def option_classes(self) -> tuple[type[S2ReadOptions], type[S2WriteOptions]]:
        """Return the classes of the options."""
        from .options import S2ReadOptions, S2WriteOptions

        return S2ReadOptions, S2WriteOptions

    def write_options(self) -> S2WriteOptions:
        """Return the checked options of a write. Raises ``WireloomError``."""
        found: S2WriteOptions = super().write_options()
        checkpoint = next((value for name, value in self.options.items() if name.lower() == "checkpointlocation"), None)
        if found.state_location or not checkpoint:
            return found
        return replace(found, state_location=f"{checkpoint.rstrip('/')}/s2_stream")

    def columns(self) -> dict[str, StructField]:
        """Return all columns by name: those of a record, and the name of its stream."""
        from ....format.registry import get
        from ...read.schema import narrowed, wire_schema
        from .reader import STREAM

        kinds = {each.name: each.dataType for each in wire_schema(get("s2_session"))}
        if self.read_options().unsigned64 == "long":
            kinds = {name: narrowed(kind) for name, kind in kinds.items()}
        return {name: StructField(name, kind) for name, kind in {**kinds, STREAM: StringType()}.items()}

    def reader_class(self) -> type[S2Reader]:
        """Return the class of the batch reader."""
        from .reader import S2Reader

        return S2Reader

    def writer_classes(self) -> tuple[type[S2Writer], type[S2StreamWriter]]:
        """Return the classes of the writers."""
        from .writer import S2StreamWriter, S2Writer

        return S2Writer, S2StreamWriter
