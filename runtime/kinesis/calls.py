"""Calls of Kinesis through boto3, retried with increasing pauses for a limited time if that may help."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

from ..base.dataclass import dataclass
from ..base.errors import TemporaryError, WireloomError
from ..base.extras import require
from ..base.retries import Retries

LOG = logging.getLogger(__name__)

PATIENCE = 60.0
"""Seconds of continuous failures after which a call raises an error."""
CONNECT_SECONDS, ANSWER_SECONDS = 5, 30

TEMPORARY = frozenset(
    {
        "InternalFailure",
        "InternalFailureException",
        "InternalServerError",
        "KMSThrottlingException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
"""Codes of temporary errors."""


class CallError(WireloomError):
    """An error response of Kinesis. ``code``: such as ``ResourceNotFoundException``."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Calls:
    """Calls for one stream, which is given by its name or ARN. Instances can be pickled; each process creates its own
    client.

    ``region`` and ``endpoint_url`` are by default those of the environment; credentials are always taken from it.
    ``patience``: seconds of continuous failures after which ``TemporaryError`` is raised.
    """

    stream: str
    region: str | None = None
    endpoint_url: str | None = None
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        require("boto3", "kinesis", "reading and writing streams of Kinesis")
        if not isinstance(self.stream, str) or not self.stream.strip():
            raise WireloomError("name the stream: its name or its ARN")
        if self.stream.startswith("arn:") and ":stream/" not in self.stream:
            raise WireloomError(
                f"{self.stream!r:.100} is not the ARN of a stream: arn:aws:kinesis:REGION:ID:stream/NAME"
            )

    @property
    def name(self) -> str:
        """Return the name of the stream, without the rest of an ARN."""
        return self.stream.rpartition(":stream/")[2]

    @property
    def shown(self) -> str:
        """Return the name of the stream for messages."""
        return f"kinesis://{self.name}"

    def __call__(self, operation: str, *, named: bool = True, **parameters: Any) -> dict[str, Any]:
        """Call an operation, such as ``list_shards``. ``named``: whether the stream's name is passed. Raises
        ``CallError`` for an error response, and ``TemporaryError`` after ``patience`` seconds of other failures."""
        from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError

        client = self._client()
        if self.stream.startswith("arn:"):
            parameters["StreamARN"] = self.stream
        elif named:
            parameters["StreamName"] = self.stream
        retries = Retries(self.patience)
        while True:
            try:
                answer: dict[str, Any] = getattr(client, operation)(**parameters)
                return answer
            except ClientError as error:
                found = error.response.get("Error", {})
                code, said = str(found.get("Code", "")), str(found.get("Message", ""))
                status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
                if code not in TEMPORARY and status < 500:
                    raise CallError(f"{self.shown}: {operation}: {code}: {said:.300}", code=code) from None
                reason = f"{code}: {said:.300}"
            except (HTTPClientError, ConnectionError) as error:
                reason = f"{error!s:.300}"
            except (BotoCoreError, ValueError) as error:
                # No region, no credentials or an invalid address: another attempt does not help.
                raise WireloomError(f"{self.shown}: {operation}: {error!s:.300}") from None
            LOG.warning("%s: %s: %s: attempt %d", self.shown, operation, reason, retries.attempt)
            retries.wait(TemporaryError(f"{self.shown}: {operation}: {reason}, for {self.patience:.0f} seconds"))

    def _client(self) -> Any:
        region = self.region
        if region is None and self.stream.startswith("arn:"):
            region = self.stream.split(":")[3] or None
        try:
            settings = tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith("AWS_")))
            return _client(region, self.endpoint_url, settings)
        except Exception as error:
            from botocore.exceptions import BotoCoreError, NoRegionError

            if isinstance(error, NoRegionError):
                raise WireloomError(
                    f"{self.shown}: the region is not known: name it (region), give the stream's ARN, or set "
                    "AWS_DEFAULT_REGION in the environment"
                ) from None
            if self.endpoint_url and "://" not in self.endpoint_url:
                raise WireloomError(
                    f"{self.shown}: the endpoint {self.endpoint_url!r:.100} is not an address: expected one such as "
                    "http://localhost:4566"
                ) from None
            if isinstance(error, BotoCoreError | ValueError):
                raise WireloomError(f"{self.shown}: {error!s:.300}") from None
            raise


@cache
def _client(region: str | None, endpoint_url: str | None, settings: tuple[tuple[str, str], ...]) -> Any:
    """Return a client. ``settings``: the environment variables that boto3 reads; different ones need another client."""
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=ANSWER_SECONDS,
        # Retries are made here, where their total time is limited.
        retries={"total_max_attempts": 1},
    )
    return boto3.session.Session().client(
        "kinesis", region_name=region, endpoint_url=endpoint_url or None, config=config
    )


def time_of_answer(answer: Mapping[str, Any]) -> datetime:
    """Return the time of a response by the server's clock, with which positions in time are compared."""
    headers = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    try:
        found = parsedate_to_datetime(headers["date"])
    except (KeyError, TypeError, ValueError):
        return datetime.now(UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
