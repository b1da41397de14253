"""The base of every format's Spark data source. Importing it does no work: Spark does so to look for sources."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructField, StructType

from ..base.errors import WireloomError
from ..format.description import Format
from .errors import Brief

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .read.reader import FormatReader
    from .stream.reader import FormatStreamReader
    from .write.writer import FormatStreamWriter, FormatWriter


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

    def _table(self, given: Mapping[str, str]) -> tuple[Format, StructType]:
        """The format and all its columns; with several kinds of message, those of the one that the options choose."""
        from .options import kind_of

        format = kind_of(self.described, given)
        if format is self.described:
            return format, self.wire_schema
        wire: StructType = importlib.import_module(f"{format.module}.spark").SCHEMA
        return format, wire

    def schema(self) -> StructType:
        """The columns of option ``columns``, by default those of the format and of the folders that are named
        ``key=value``; those of a table of the catalog carry its options. Raises ``WireloomError``."""
        from .options import read_options
        from .read.catalog_tables import carrying, options_of_new
        from .read.file_listing import encoded, list_inputs, partition_fields
        from .read.schema import chosen_schema, known_columns
        from .read.workers import keep_imported

        with Brief():
            new = options_of_new(self.options)
            given = self.options if new is None else new
            format, wire = self._table(given)
            options = read_options(self.described, given)
            known = known_columns(format, wire, options.corrupt_record, narrow=options.narrow)

            def partitions() -> list[StructField]:
                if options.partition_columns == "off":
                    return []
                try:
                    inputs = list_inputs(options)
                except WireloomError:
                    # The reader raises it; a stream may wait.
                    return []
                # Kept with this instance, which Spark sends to the process that plans the read.
                self.options["listedFiles"] = encoded(inputs)
                return partition_fields(inputs, options, known)

            schema = chosen_schema(format, known, options.scan.columns, partitions)
            if new is not None:
                schema = carrying(schema, new)
        keep_imported()
        return schema

    def reader(self, schema: StructType) -> FormatReader:
        """What reads the columns of ``schema``, which may be a part of the format's. Raises ``WireloomError``."""
        from .options import read_options
        from .read.catalog_tables import reading
        from .read.reader import FormatReader
        from .read.schema import known_columns, targets

        with Brief():
            given = reading(self.options, schema)
            format, wire = self._table(given)
            options = read_options(self.described, given)
            known = known_columns(format, wire, options.corrupt_record, narrow=options.narrow)
            return FormatReader(self.described, targets(schema, known, options.corrupt_record), options, tuple(known))

    def streamReader(self, schema: StructType) -> FormatStreamReader:  # noqa: N802
        """What reads these columns as a stream; ``options.STREAM_OPTIONS`` come on top. Raises ``WireloomError``."""
        from ..reading.options import COMPLETE
        from .read.catalog_tables import reading
        from .stream.options import stream_options
        from .stream.reader import FormatStreamReader

        with Brief():
            given = reading(self.options, schema)
            reader, stream = self.reader(schema), stream_options(self._table(given)[0], given)
            # A file that is cut off while it is read is lost data, and what then happens has an option of its own.
            reader.ends_where_storage_fails |= not stream.fail_on_data_loss
            # What the tasks are given of a file that grows are complete rows; the others are read once. The session's
            # settings for files that are missing are those of batch reads.
            known = reader.options
            reader.options = replace(
                known,
                scan=replace(known.scan, tail=COMPLETE),
                ignore_missing=bool(known.ignore_missing),
                ignore_corrupt=bool(known.ignore_corrupt),
                listed_files=None,
            )
            return FormatStreamReader(reader, stream)

    def streamWriter(self, schema: StructType, overwrite: bool) -> FormatStreamWriter:  # noqa: N802
        """What writes the batches of a stream, each once. Raises ``WireloomError``."""
        from .options import write_options
        from .read.catalog_tables import check_writing
        from .write.writer import FormatStreamWriter

        with Brief():
            check_writing(self.options, schema)
            options = write_options(self.described, self.options)
            return FormatStreamWriter(self.described, schema, options, overwrite)

    def writer(self, schema: StructType, overwrite: bool) -> FormatWriter:
        """What writes rows as files of the format. Raises ``WireloomError``."""
        from .options import write_options
        from .read.catalog_tables import check_writing
        from .write.writer import FormatWriter

        with Brief():
            check_writing(self.options, schema)
            options = write_options(self.described, self.options)
            return FormatWriter(self.described, schema, options, overwrite)
