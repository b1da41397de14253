"""Messages about requests that an object store refused: the first sentence of a cloud library's error, which may have
hundreds of characters about the library and its requests, and what to set."""

from __future__ import annotations

import re

_DUMP = re.compile(r"\s*(?:: curlCode|; Details:|error_info=|No response body|Request ?ID:|\n).*", re.DOTALL)
"""What is about the library and its requests."""
LONGEST = 240
_ADVICE = (
    (
        r"ACCESS_DENIED|SIGNATURE|INVALID_ACCESS_KEY|credential|HTTP status 40[13]",
        "check the credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the option profile; for public data "
        "set the option anonymous",
    ),
    (r"configured region|HTTP status 30|PermanentRedirect", "set the option region or AWS_REGION to the bucket's"),
    (r"NETWORK_CONNECTION|curlCode|timed? ?out", "check the network, and the option endpoint or AWS_ENDPOINT_URL"),
    (r"NO_SUCH_BUCKET|HTTP status 4", "check the bucket, and the option endpoint or AWS_ENDPOINT_URL"),
)
"""Patterns of errors of Amazon S3, and what to set."""


def refusal(error: Exception, address: str) -> str:
    """Return the first sentence of a library's error about a request to ``address``, and what to set.

    >>> refusal(OSError("AWS Error UNKNOWN (HTTP status 301) during HeadObject: No response body."), "s3://bucket/key")
    "AWS Error UNKNOWN (HTTP status 301) during HeadObject; set the option region or AWS_REGION to the bucket's"
    """
    text = str(error)
    sentence = _DUMP.sub("", text).rstrip(" .:;,")
    if len(sentence) > LONGEST:
        sentence = f"{sentence[:LONGEST]}…"
    if not address.startswith("s3"):
        return sentence
    # Not the names of bucket and key, which are before it.
    kind = text.rpartition("AWS Error")[2]
    advice = next((f"; {advice}" for pattern, advice in _ADVICE if re.search(pattern, kind, re.IGNORECASE)), "")
    return sentence + advice
