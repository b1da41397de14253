"""The base class of every format's Spark data source. Spark imports this module to discover sources, so importing it
does no work.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructField, StructType

from ..base.errors import WireloomError
from ..format.description import Format
from .errors import HideTraceback

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .options import ReadOptions
    from .read.reader import FormatReader
    from .stream.reader import FormatStreamReader
    from .write.writer import FilesWriter, FormatStreamWriter, FormatWriter

Writer = TypeVar("Writer", bound="FilesWriter")


class FormatSource(DataSource):
    """The data source of a format, for ``spark.read.format(NAME)`` and ``df.write.format(NAME)``.

    Subclasses are generated; they define the format (``described``) and its columns (``wire_schema``). The options are
    ``options.READ_OPTIONS`` and ``options.WRITE_OPTIONS``. Spark itself does not support the write modes ``error`` (its
    default) and ``ignore`` for Python sources: use ``append`` or ``overwrite``.
    """

    described: ClassVar[Format]
    wire_schema: ClassVar[StructType]

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return cls.described.name

    def _columns(self, given: Mapping[str, str]) -> tuple[Format, ReadOptions, dict[str, StructField]]:
        """Return the format (or the selected table, if there are several), the options, and all readable columns."""
        from .options import read_options, table_of
        from .read.casting import METADATA, METADATA_TYPE
        from .read.file_listing import table_of_files
        from .read.schema import known_columns, wire_schema

        format = table_of(self.described, given)
        options = read_options(self.described, given)
        format = table_of_files(format, options)
        wire = self.wire_schema if format is self.described else wire_schema(format)
        known = known_columns(format, wire, options.column_name_of_corrupt_record, options.types)
        known.setdefault(METADATA, StructField(METADATA, METADATA_TYPE))
        return format, options, known

    def schema(self) -> StructType:
        """Return the columns of option ``columns``, by default those of the format and of folders named ``key=value``.
        The columns of a table of the catalog carry its options. Raises ``WireloomError``.
        """
        from .read.catalog_tables import options_of_new, with_options
        from .read.file_listing import encoded, list_inputs, partition_fields
        from .read.reader import keep_imported
        from .read.schema import chosen_schema

        with HideTraceback():
            new = options_of_new(self.options)
            given = self.options if new is None else new
            format, options, known = self._columns(given)

            def partitions() -> list[StructField]:
                if options.partition_columns == "off":
                    return []
                try:
                    inputs = list_inputs(options)
                except WireloomError:
                    # The reader raises it; a stream may wait for files.
                    return []
                # Stored in this instance, which Spark sends to the process that plans the read.
                self.options["listedFiles"] = encoded(inputs)
                return partition_fields(inputs, options, known)

            schema = chosen_schema(format, known, options.scan.columns, partitions)
            if new is not None:
                schema = with_options(schema, new)
        keep_imported()
        return schema

    def reader(self, schema: StructType) -> FormatReader:
        """Return the reader of the columns of ``schema``, which may be a subset of the format's. Raises
        ``WireloomError``.
        """
        from .options import check_batch_options

        with HideTraceback():
            check_batch_options(self.options)
        return self._reader(schema)

    def _reader(self, schema: StructType) -> FormatReader:
        from .read.catalog_tables import options_of_read
        from .read.reader import FormatReader
        from .read.schema import targets

        with HideTraceback():
            format, options, known = self._columns(options_of_read(self.options, schema))
            return FormatReader(
                format, targets(schema, known, options.column_name_of_corrupt_record), options, tuple(known)
            )

    def streamReader(self, schema: StructType) -> FormatStreamReader:  # noqa: N802
        """Return the streaming reader of these columns, which also accepts ``options.STREAM_OPTIONS``. Raises
        ``WireloomError``.
        """
        from ..reading.options import COMPLETE
        from .options import table_of
        from .read.catalog_tables import options_of_read
        from .versions import check_streams

        with HideTraceback():
            check_streams()
        from .options import stream_options
        from .stream.reader import FormatStreamReader

        with HideTraceback():
            given = options_of_read(self.options, schema)
            reader = self._reader(schema)
            stream = stream_options(table_of(self.described, given), reader.columns, given)
            # A file that is truncated while it is read is lost data, for which there is a separate option.
            reader.ends_where_storage_fails |= not stream.fail_on_data_loss
            # Tasks receive only complete rows of a growing file; other files are read once. The session's settings for
            # missing files apply to batch reads only.
            known = reader.options
            reader.options = replace(
                known,
                scan=replace(known.scan, tail=COMPLETE),
                ignore_missing_files=bool(known.ignore_missing_files),
                ignore_corrupt_files=bool(known.ignore_corrupt_files),
                listed_files=None,
            )
            return FormatStreamReader(reader, stream)

    def streamWriter(self, schema: StructType, overwrite: bool) -> FormatStreamWriter:  # noqa: N802
        """Return the writer of the batches of a stream, which writes each exactly once. Raises ``WireloomError``."""
        from .write.writer import FormatStreamWriter

        return self._writer(FormatStreamWriter, schema, overwrite)

    def writer(self, schema: StructType, overwrite: bool) -> FormatWriter:
        """Return the writer of rows as files of the format. Raises ``WireloomError``."""
        from .write.writer import FormatWriter

        return self._writer(FormatWriter, schema, overwrite)

    def _writer(self, kind: type[Writer], schema: StructType, overwrite: bool) -> Writer:
        from .options import write_options
        from .read.catalog_tables import check_writing

        with HideTraceback():
            check_writing(self.options, schema)
            return kind(self.described, schema, write_options(self.described, self.options), overwrite)
