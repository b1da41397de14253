"""Options that the sources of all services have, and the readers that have them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader

from ...base.options import FLAG, NAMES, NUMBER, check_options, option

if TYPE_CHECKING:
    from ..read.schema import TargetColumn
    from .stream import StreamPlanning


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
    """The batch reader of a service. It is pickled to be sent to the tasks, without credentials."""

    def __init__(self, options: Any, targets: Sequence[TargetColumn]) -> None:
        self.options = options
        self.targets = tuple(targets)

    @abstractmethod
    def planning(self) -> StreamPlanning:
        """Return the planning of a streaming query that has just begun or is continued."""
