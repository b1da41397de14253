"""The base of every format's Spark data source. Importing it does no work: Spark does so to look for sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from ..format import Format
from .brief import Brief

if TYPE_CHECKING:
    from .reader import FormatReader
    from .writer import FormatWriter


class FormatSource(DataSource):
    """``spark.read.format(NAME)`` and ``df.write.format(NAME)`` of one format.

    Subclasses are generated; they say which format it is (``described``) and what its columns are (``wire_schema``).
    ``options.READ_OPTIONS`` and ``options.WRITE_OPTIONS`` say what can be asked for. Spark itself refuses to write in
    the modes ``error`` (its default) and ``ignore`` to a source like this: say ``append`` or ``overwrite``.
    """

    described: ClassVar[Format]
    wire_schema: ClassVar[StructType]

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return cls.described.name

    def schema(self) -> StructType:
        """The columns of option ``columns``, by default those of the format. Raises ``WireloomError``."""
        from .options import read_options
        from .schema import chosen_schema, known_columns

        with Brief():
            options = read_options(self.described, self.options)
            known = known_columns(self.described, self.wire_schema, options.corrupt_record, narrow=options.narrow)
            return chosen_schema(self.described, known, options.columns)

    def reader(self, schema: StructType) -> FormatReader:
        """What reads the columns of ``schema``, which may be a part of the format's. Raises ``WireloomError``."""
        from .options import read_options
        from .reader import FormatReader
        from .schema import known_columns, targets

        with Brief():
            options = read_options(self.described, self.options)
            known = known_columns(self.described, self.wire_schema, options.corrupt_record, narrow=options.narrow)
            return FormatReader(self.described, targets(schema, known, options.corrupt_record), options)

    def writer(self, schema: StructType, overwrite: bool) -> FormatWriter:
        """What writes rows as files of the format. Raises ``WireloomError``."""
        from .options import write_options
        from .writer import FormatWriter

        with Brief():
            options = write_options(self.described, self.options)
            return FormatWriter(self.described, schema, options, overwrite)
