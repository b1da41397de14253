"""Appends records to a stream over the network, each at a given sequence number, so that existing records are not
appended twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..base.errors import TemporaryError, WireloomError
from ..base.retries import Retries
from .client import client_of, refusal
from .commands import ValidationError
from .endpoint import encryption_key
from .errors import error_from_json
from .messages import AppendAck, AppendInput, AppendRecord
from .metering import MAX_METERED, MAX_RECORDS, check_record
from .reading import StreamReading
from .requests import append_unary
from .streams import READ_PATIENCE, end_or_beginning

PRECONDITION_FAILED = 412


class Appender:
    """Appends to a stream that has no other writer at the same time.

    ``next_seq_num``: the sequence number for the next record, by default the end of the stream. If the stream already
    has records from there on, from an earlier attempt, they are compared with those to be appended, and are not
    appended again. An ``Appender`` that begins at the same number with the same records thus appends each of them
    exactly once, however often it is run. ``fencing_token``: the stream's token, which the server compares. The other
    arguments are those of ``wireloom.s2.scan``.
    """

    def __init__(
        self,
        basin: str,
        stream: str,
        next_seq_num: int | None = None,
        *,
        fencing_token: str | None = None,
        endpoint: str | None = None,
        patience: float = READ_PATIENCE,
    ) -> None:
        self._client = client_of(basin, endpoint)
        self._basin, self._stream, self._endpoint = basin, stream, endpoint
        self._token, self._patience = fencing_token, patience
        if next_seq_num is None:
            next_seq_num = end_or_beginning(basin, stream, endpoint=endpoint, patience=patience)
        self.next_seq_num = next_seq_num

    def append(self, records: Iterable[AppendRecord]) -> int:
        """Append the records in batches that the server accepts, and return their number.

        Raises ``ValidationError`` for a record that does not fit any batch, after appending those before it;
        ``S2Error`` if the server refuses a batch; ``WireloomError`` if the stream has other records at these numbers;
        ``TemporaryError`` if the server cannot be reached.
        """
        count = 0
        for batch in batches(records):
            count += len(batch)
            self._append(batch)
        return count

    def _append(self, batch: list[AppendRecord]) -> None:
        retries = Retries(self._patience)
        while batch:
            failure: WireloomError
            try:
                status, body = self._client.ask(self._request(batch))
                if 200 <= status < 300:
                    self._acknowledged(AppendAck.from_bytes(body), len(batch))
                    return
                error = error_from_json(status, body)
                failure = refusal(self._name, error, "appending to")
                found = error.expected_seq_num
                if status == PRECONDITION_FAILED and found is not None and found > self.next_seq_num:
                    there = self._compared(batch, min(len(batch), found - self.next_seq_num))
                    batch = batch[there:]
                    self.next_seq_num += there
                    continue
                if not error.retryable:
                    raise failure
            except TemporaryError as problem:
                failure = TemporaryError(f"appending to {self._name}: {problem.message}")
            # Whether or not the batch was received, its sequence numbers are known.
            retries.wait(failure)

    def _request(self, batch: list[AppendRecord]) -> Any:
        return append_unary(
            self._stream,
            AppendInput(records=batch, match_seq_num=self.next_seq_num, fencing_token=self._token),
            basin=self._client.endpoint.basin,
            encryption_key=encryption_key(),
        )

    def _acknowledged(self, ack: AppendAck, count: int) -> None:
        start = ack.start.seq_num if ack.start is not None else None
        if start != self.next_seq_num:
            raise WireloomError(
                f"appending to {self._name}: the server says that the batch begins at {start}, but it was expected "
                "to begin at "
                f"{self.next_seq_num}"
            )
        self.next_seq_num += count

    def _compared(self, batch: list[AppendRecord], count: int) -> int:
        """Compare the next records of the stream with those of the batch; return how many there are. Raises
        ``WireloomError`` if they differ."""
        begin = self.next_seq_num
        with StreamReading(
            self._basin,
            self._stream,
            begin,
            end=begin + count,
            columns=["headers", "body"],
            endpoint=self._endpoint,
            patience=self._patience,
        ) as reading:
            there = [row for found in reading for row in found.to_pylist()]
        for number, (row, record) in enumerate(zip(there, batch, strict=False), begin):
            headers = [(each["name"], each["value"]) for each in row["headers"]]
            if row["body"] != record.body or headers != [(each.name, each.value) for each in record.headers]:
                raise WireloomError(
                    f"record {number} is not the expected one: the stream has another writer, "
                    "or the rows changed when they were written again",
                    path=self._name,
                )
        return len(there)

    @property
    def _name(self) -> str:
        return f"s2://{self._basin}/{self._stream}"


def batches(records: Iterable[AppendRecord]) -> Iterator[list[AppendRecord]]:
    """Yield batches of at most 1000 records and 1 MiB metered size. Raises ``ValidationError``, with the number of the
    record, for one that does not fit any batch."""
    pending: list[AppendRecord] = []
    metered = 0
    for number, record in enumerate(records, 1):
        try:
            size, _ = check_record(record)
        except ValidationError as error:
            if pending:
                yield pending
            error.record = number
            raise
        if pending and (len(pending) == MAX_RECORDS or metered + size > MAX_METERED):
            yield pending
            pending, metered = [], 0
        pending.append(record)
        metered += size
    if pending:
        yield pending
