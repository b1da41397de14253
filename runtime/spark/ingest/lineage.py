"""Events of OpenLineage about a run: what it reads, what it writes, how many rows, and what was damaged.

They are emitted where the package ``openlineage-python`` is installed, by its client, and the client's settings say
where they go (``OPENLINEAGE_URL``, ``openlineage.yml``). Without settings there are none.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from ...base.addresses import is_remote, local_path, same_for_all
from ...base.report import FileReport
from ...input.inputs import WILDCARDS
from ..read.task_reports import count_by_reason
from .request import IngestRequest
from .summary import IngestSummary

LOG = logging.getLogger(__name__)
DAMAGE = "wireloom_damage"
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/InputDatasetFacet"
"""That of any facet of an input, of which this one is an extension."""
MOST_FILES = 100
"""Maximum number of damaged files that an event names."""


class Lineage:
    """The events of one run. Does nothing without the package, or without its settings."""

    def __init__(self, request: IngestRequest) -> None:
        self._request = request
        self._client: Any = None
        self._run: Any = None
        try:
            from openlineage.client import OpenLineageClient
            from openlineage.client.transport.noop import NoopConfig, NoopTransport
            from openlineage.client.uuid import generate_new_uuid

            # Asked for its own transport, a client without settings would warn that it prints the events.
            settings = OpenLineageClient(transport=NoopTransport(NoopConfig())).config.transport or {}
            if settings.get("type") or os.environ.get("OPENLINEAGE_URL"):
                self._client, self._run = OpenLineageClient(), str(generate_new_uuid())
        except ModuleNotFoundError:
            return
        except Exception as error:
            # The table has priority, as over all monitoring.
            LOG.warning("no events of OpenLineage: %s", error)

    @contextmanager
    def run(self) -> Iterator[None]:
        """Tell of the beginning of the run that the block represents, and of its failure."""
        self._emit("START")
        try:
            yield
        except Exception as error:
            self._emit("FAIL", error=error)
            raise
        except BaseException:
            self._emit("ABORT")
            raise

    def completed(self, summary: IngestSummary) -> IngestSummary:
        """Tell of the end of the run; return its summary."""
        self._emit("COMPLETE", summary)
        return summary

    def _emit(self, state: str, summary: IngestSummary | None = None, error: Exception | None = None) -> None:
        if self._client is None:
            return
        try:
            self._client.emit(self._event(state, summary, error))
        except Exception as failure:
            LOG.warning("the event %s of OpenLineage is not emitted: %s", state, failure)

    def _event(self, state: str, summary: IngestSummary | None, error: Exception | None) -> Any:
        from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
        from openlineage.client.facet_v2 import error_message_run as failure
        from openlineage.client.facet_v2 import output_statistics_output_dataset as written

        request = self._request
        paths = [_dataset(each) for each in json.loads(request.options["paths"])]
        inputs = {each: {} for each in paths} if summary is None else _read(paths, summary)
        # The reports of a stream's files are not all kept.
        batches = () if summary is None else summary.batches
        outputs = []
        for place, rows in ((request.table, "rows"), (request.quarantine, "quarantined")):
            if place is not None:
                statistics = written.OutputStatisticsOutputDatasetFacet(sum(each[rows] for each in batches))
                facets: dict[str, Any] = {} if summary is None else {"outputStatistics": statistics}
                outputs.append(OutputDataset(*_named(place.address), outputFacets=facets))
        failed: dict[str, Any] = (
            {} if error is None else {"errorMessage": failure.ErrorMessageRunFacet(str(error), "PYTHON")}
        )
        return RunEvent(
            eventType=RunState[state],
            eventTime=datetime.now(UTC).isoformat(),
            run=Run(self._run, failed),
            job=Job(os.environ.get("OPENLINEAGE_NAMESPACE", "default"), f"wireloom ingest {outputs[0].name}"),
            producer=_producer(),
            inputs=[InputDataset(*each, inputFacets=facets) for each, facets in inputs.items()],
            outputs=outputs,
        )


def _producer() -> str:
    return f"pkg:pypi/wireloom@{version('wireloom')}"


def _dataset(address: str) -> tuple[str, str]:
    """Return the namespace and the name of a dataset, as OpenLineage has them. That of a pattern is the folder before
    it."""
    parts = address.split("/")
    end = next((at for at, each in enumerate(parts) if not WILDCARDS.isdisjoint(each)), len(parts))
    return _named("/".join(parts[:end]))


def _named(address: str) -> tuple[str, str]:
    if not is_remote(address):
        return "file", os.path.abspath(local_path(address))
    scheme, _, rest = same_for_all(address).partition("://")
    bucket, _, name = rest.partition("/")
    return f"{scheme}://{bucket}", name or "/"


def _read(inputs: Sequence[tuple[str, str]], summary: IngestSummary) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the facets of each input: what was read from it, and what was damaged. A file belongs to the longest of
    the inputs that contain it."""
    from openlineage.client.facet_v2 import input_statistics_input_dataset as statistics

    files: dict[tuple[str, str], list[FileReport]] = {each: [] for each in inputs}
    for file in summary.report.files:
        namespace, name = _named(file.path or "")
        containing = [each for each in files if each[0] == namespace and f"{name}/".startswith(f"{each[1]}/")]
        if containing:
            files[max(containing, key=lambda each: len(each[1]))].append(file)
    return {
        each: {
            "inputStatistics": statistics.InputStatisticsInputDatasetFacet(
                sum(file.rows for file in read), sum(file.bytes for file in read), len(read)
            ),
            DAMAGE: _damage(read),
        }
        for each, read in files.items()
    }


def _damage(files: Sequence[FileReport]) -> dict[str, Any]:
    """Return the damage of some files as a facet."""
    reasons = {file.path: count_by_reason(file) for file in files if not file.clean and file.tail != "unread"}
    totals: Counter[str] = Counter()
    for each in reasons.values():
        totals.update(each)
    named = [{"path": path, "reasons": each} for path, each in reasons.items()]
    return {
        "_producer": _producer(),
        "_schemaURL": SCHEMA,
        "ranges": totals.total(),
        "reasons": dict(sorted(totals.items())),
        "files": named[:MOST_FILES],
    }
