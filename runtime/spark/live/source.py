"""The base classes of the sources of all services. Spark imports this module to discover sources, so importing it
does no work."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.types import StructField, StructType

from ...base.dataclass import dataclass
from ...base.options import FLAG, NAMES, NUMBER, check_options, option
from ..errors import HideTraceback

if TYPE_CHECKING:
    from ..read.schema import TargetColumn
    from .stream import LiveStreamReader, StreamPlanning


@dataclass(frozen=True, kw_only=True)
class LiveReadOptions:
    """The checked options of a read that all services have."""

    columns: tuple[str, ...] | None = option(None, "Names of columns, separated by commas; default: all.", NAMES)
    max_records_per_trigger: int | None = option(
        None,
        "Maximum number of records per batch of a streaming read, divided among the streams; default: no limit.",
        NUMBER,
    )
    fail_on_data_loss: bool = option(
        True,
        "The query fails if records that were to be read, or a stream, no longer exist.",
        FLAG,
        off="This is logged, and reading continues after them.",
    )

    def __post_init__(self) -> None:
        check_options(self)


class LiveBatchReader(DataSourceReader):
    """The batch reader of a service. It is pickled to be sent to the tasks, without credentials. ``computed``: names of
    columns that are not taken from a record."""

    computed: ClassVar[tuple[str, ...]] = ()

    def __init__(self, options: Any, targets: Sequence[TargetColumn]) -> None:
        self.options = options
        self.targets = tuple(targets)

    @abstractmethod
    def planning(self) -> StreamPlanning:
        """Return the planning of a streaming query that has just begun or is continued."""


FOREIGN = ("path", "paths", "checkpointLocation", "queryWatermark", "queryName")
"""Options that Spark may add by itself."""


class LiveSource(DataSource):
    """A data source for the streams of a service, for ``spark.read``, ``readStream``, ``df.write`` and ``writeStream``.

    Subclasses import the functions and classes of their service only when they are asked for them. ``other_names``:
    alternative names of options, in lower case.
    """

    other_names: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def option_classes(self) -> tuple[type[LiveReadOptions], type[Any]]:
        """Return the classes of the options of reads and of writes."""

    def read_options(self) -> Any:
        """Return the checked options of a read. Raises ``UnknownNameError`` and ``WireloomError``."""
        return self._parsed(self.option_classes()[0])

    def write_options(self) -> Any:
        """Return the checked options of a write. Raises ``UnknownNameError`` and ``WireloomError``."""
        return self._parsed(self.option_classes()[1])

    def _parsed(self, kind: type[Any]) -> Any:
        from ..option_values import documentation, parsed, usual_names

        names, what = documentation(kind), f"option of {self.name()}"
        return kind(**parsed(kind, usual_names(self.options, names, FOREIGN, other_names=self.other_names, what=what)))

    @abstractmethod
    def columns(self) -> dict[str, StructField]:
        """Return all columns that can be read, by name. Raises ``UnknownNameError`` and ``WireloomError``."""

    def default_columns(self) -> Iterable[str]:
        """Return the names of the columns that are read by default."""
        return self.columns()

    @abstractmethod
    def reader_class(self) -> type[LiveBatchReader]:
        """Return the class of the batch reader."""

    @abstractmethod
    def writer_classes(self) -> tuple[type[Any], type[Any]]:
        """Return the classes of the writers of a data frame and of the batches of a stream."""

    def schema(self) -> StructType:
        """Return the columns of option ``columns``, or the default ones. Raises ``WireloomError``."""
        with HideTraceback():
            known, chosen = self.columns(), self.read_options().columns or self.default_columns()
            self._check(chosen)
            return StructType([known[name] for name in chosen])

    def reader(self, schema: StructType) -> LiveBatchReader:
        """Return the reader of these columns. Raises ``WireloomError``, and ``UnknownNameError`` for a column that
        records do not have."""
        from ..read.schema import targets

        with HideTraceback():
            options = self.read_options()
            self._check(schema.names, folded=True)
            kind = self.reader_class()
            known = {name: each for name, each in self.columns().items() if name not in kind.computed}
            return kind(options, targets(schema, known, ""))

    def streamReader(self, schema: StructType) -> LiveStreamReader:  # noqa: N802
        """Return the streaming reader of these columns. Raises ``WireloomError``."""
        from ...base.errors import WireloomError
        from ..versions import check_streams

        with HideTraceback():
            check_streams()
            # Versions of PySpark without such streams do not have its base class.
            from .stream import LiveStreamReader

            reader = self.reader(schema)
            if reader.options.end is not None:
                raise WireloomError("option end applies only to batch reads: leave it out")
            return LiveStreamReader(reader)

    def writer(self, schema: StructType, overwrite: bool) -> Any:
        """Return the writer of a data frame. Raises ``WireloomError``."""
        with HideTraceback():
            return self.writer_classes()[0](self.write_options(), schema, overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> Any:  # noqa: N802
        """Return the writer of the batches of a stream. Raises ``WireloomError``."""
        with HideTraceback():
            return self.writer_classes()[1](self.write_options(), schema, overwrite)

    def _check(self, names: Iterable[str], *, folded: bool = False) -> None:
        from ...base.text import unknown

        known = self.columns()
        there = {each.lower() for each in known} if folded else set(known)
        for name in names:
            if (name.lower() if folded else name) not in there:
                raise unknown(f"column of {self.name()}", name, known)
