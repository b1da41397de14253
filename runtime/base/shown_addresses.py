"""Addresses in displayed form, without secrets."""

from __future__ import annotations

import re

_LOGIN = re.compile(r"(?<!github:)//[^/?#\s]*:[^/?#\s@]*@")
"""A user and a password before a host; in GitHub's addresses, an owner and a repository."""
_QUERY = re.compile(r"(https?://[^?\s'\"<>]*)\?[^\s'\"<>]*")
"""The query of a web address, which may contain signatures and tokens."""


def has_password(address: str) -> bool:
    """Return whether an address has a password before its host.

    >>> has_password("https://me:secret@host/a"), has_password("sftp://me@host/a")
    (True, False)
    """
    return _LOGIN.search(address) is not None


def without_secrets(text: str) -> str:
    """Return a text without the passwords and queries of the addresses in it.

    >>> without_secrets("403: https://me:secret@host/a.log?sig=abc")
    '403: https://…@host/a.log'
    """
    if "://" not in text or ("@" not in text and "?" not in text):
        # Fast for the usual case, since there may be a million paths.
        return text
    return _QUERY.sub(r"\1", _LOGIN.sub("//…@", text))
