"""File systems of addresses: of ``pyarrow.fs`` for the stores that it supports, of fsspec for all others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.fs

from ..base.addresses import S3, check_address, local_path, scheme_of
from ..base.dataclass import dataclass
from ..base.errors import MissingExtraError, NothingThereError, UnsupportedError, WireloomError
from ..base.extras import require
from ..base.shown_addresses import without_secrets
from . import s3
from .filesystems import is_fsspec
from .inputs import Location
from .refusals import refusal

WEB = ("http", "https")
GOOGLE, AZURE, HADOOP = ("gs", "gcs"), ("abfs", "abfss"), ("hdfs", "viewfs")
PATIENCE = timedelta(seconds=60)
"""Time for retries of requests to Google Cloud Storage; Arrow's default is a quarter of an hour."""
IDLE_SECONDS = 60
"""Read timeout of web servers in seconds."""


@dataclass(frozen=True)
class Store:
    """A file system and a path in it. ``files``: the file system for pyarrow; ``spec``: that of fsspec, if it is one.

    The address of a path that begins with ``base`` is ``prefix``, then the path after ``base``, then ``suffix``.
    ``flat``: it has no folders that would have to be created.
    """

    files: Any
    path: str
    prefix: str = ""
    base: str = ""
    suffix: str = ""
    spec: Any = None
    flat: bool = False

    def address(self, path: str) -> str:
        """Return the address of a path."""
        return f"{self.prefix}{path.removeprefix(self.base)}{self.suffix}"


def store_of(address: str, location: Location) -> Store:
    """Return the file system of an address, or of a path in ``location.filesystem``.

    Raises ``MissingExtraError`` if a package is not installed, and ``WireloomError`` for an address that is not one
    and for options that its store does not have.
    """
    if location.filesystem is not None:
        return _of_filesystem(location.filesystem, address)
    check_address(address)
    scheme = scheme_of(address)
    if scheme in S3:
        bucket, key = s3.split(address)
        try:
            files = s3.filesystem(location, bucket)
        except OSError as error:
            sentence = f"the object store refused the request: {refusal(error, address)}"
            raise WireloomError(sentence, path=address) from None
        return Store(files, key, f"{address.partition('://')[0]}://", flat=True)
    _check_options(address, scheme, location)
    if scheme not in (*GOOGLE, *AZURE, *HADOOP):
        return _of_fsspec(address, scheme)
    authority, _, rest = address.partition("://")[2].partition("/")
    if not authority:
        what = "host" if scheme in HADOOP else "bucket"
        raise WireloomError(f"the address has no {what}: {scheme}://{what.upper()}/PATH", path=address)
    begin = f"{address.partition('://')[0]}://{authority}"
    rest = rest.rstrip("/")
    try:
        if scheme in GOOGLE:
            store = _google(location.endpoint, location.anonymous)
            return Store(store, f"{authority}/{rest}".rstrip("/"), f"{begin}/", f"{authority}/", flat=True)
        if scheme in AZURE:
            container, _, account = authority.rpartition("@")
            container, account = (container, account) if container else (account, "")
            store = _azure(account, location.endpoint)
            return Store(store, f"{container}/{rest}".rstrip("/"), f"{begin}/", f"{container}/", flat=True)
        return Store(_hadoop(begin), f"/{rest}", begin)
    except (OSError, ValueError) as error:
        # Arrow lists all libraries that it looked for, a line each.
        raise WireloomError(f"the store cannot be reached: {str(error).partition(NEWLINE)[0]}", path=address) from None


NEWLINE = "\n"


@contextmanager
def arrow_errors() -> Iterator[None]:
    """Raise ``OSError`` for errors of a file system of pyarrow that Arrow has no class for, such as a lack of
    credentials for Azure."""
    try:
        yield
    except pa.ArrowException as error:
        if type(error) is not pa.ArrowException:
            raise
        raise OSError(str(error).partition(NEWLINE)[0]) from None


def _check_options(address: str, scheme: str, location: Location) -> None:
    """Raise ``WireloomError`` for options that a store does not have."""
    known = {"endpoint": (*GOOGLE, *AZURE), "anonymous": GOOGLE}
    for name in ("region", "profile", "endpoint", "anonymous"):
        if getattr(location, name) and scheme not in known.get(name, ()):
            raise UnsupportedError(
                f"{name} is an option of {' and '.join(('s3://', *(f'{each}://' for each in known.get(name, ()))))}:"
                f" leave it out, or give filesystem=",
                path=address,
            )


@cache
def _google(endpoint: str | None, anonymous: bool) -> Any:
    options: dict[str, Any] = {"anonymous": anonymous, "retry_time_limit": PATIENCE}
    if endpoint is not None:
        parts = urlsplit(endpoint if "://" in endpoint else f"https://{endpoint}")
        options |= {"endpoint_override": parts.netloc, "scheme": parts.scheme}
    return pyarrow.fs.GcsFileSystem(**options)


@cache
def _azure(account: str, endpoint: str | None) -> Any:
    name = account.partition(".")[0] or os.environ.get("AZURE_STORAGE_ACCOUNT_NAME", "")
    if not name:
        raise ValueError(
            "the account is missing: expected abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH, or "
            "AZURE_STORAGE_ACCOUNT_NAME in"
            " the environment"
        )
    options: dict[str, Any] = {
        "account_key": os.environ.get("AZURE_STORAGE_ACCOUNT_KEY"),
        "sas_token": os.environ.get("AZURE_STORAGE_SAS_TOKEN"),
    }
    if endpoint is not None:
        parts = urlsplit(endpoint if "://" in endpoint else f"https://{endpoint}")
        if parts.scheme == "http" and not any(options.values()):
            # Arrow would end the process.
            raise ValueError(
                "tokens are not sent over http: give the endpoint with https, or set AZURE_STORAGE_ACCOUNT_KEY or"
                " AZURE_STORAGE_SAS_TOKEN"
            )
        for kind in ("blob", "dfs"):
            options |= {f"{kind}_storage_authority": parts.netloc, f"{kind}_storage_scheme": parts.scheme}
    return pyarrow.fs.AzureFileSystem(name, **options)


@cache
def _hadoop(begin: str) -> Any:
    return pyarrow.fs.HadoopFileSystem.from_uri(f"{begin}/")


def _of_filesystem(filesystem: Any, source: str) -> Store:
    """Return the store of a path in a file system of the caller; its address is the path itself."""
    if is_fsspec(filesystem):
        return Store(_wrapped(filesystem), filesystem._strip_protocol(source), spec=filesystem)
    handler = getattr(filesystem, "handler", None)
    path = source.partition("://")[2] if scheme_of(source) not in ("", "file") else local_path(source)
    # The root is a valid path.
    return Store(filesystem, path.rstrip("/") or path, spec=getattr(handler, "fs", None))


def _of_fsspec(address: str, scheme: str) -> Store:
    require("fsspec", "http" if scheme in WEB else "fsspec", f"{scheme}://")
    import fsspec

    # No total timeout, only one between reads; logins are in ~/.netrc.
    options: dict[str, Any] = {}
    try:
        if scheme in WEB:
            fsspec.get_filesystem_class(scheme)
            import aiohttp

            timeout = aiohttp.ClientTimeout(total=None, sock_connect=IDLE_SECONDS, sock_read=IDLE_SECONDS)
            options = {"client_kwargs": {"timeout": timeout, "trust_env": True}}
        spec, path = fsspec.core.url_to_fs(address, **options)
    except ImportError as error:
        advice = "pip install 'wireloom[http]'" if scheme in WEB else without_secrets(str(error))
        raise MissingExtraError(f"{scheme}:// needs a package that is not installed: {advice}") from None
    except ValueError as error:
        if "not known" not in str(error):
            raise WireloomError(f"the address cannot be used: {error}", path=address) from None
        raise WireloomError(
            f"cannot read or write {scheme}://: neither pyarrow nor fsspec supports it; is the address misspelt?",
            path=address,
        ) from None
    except FileNotFoundError:
        # As for an archive inside of which a path is.
        raise NothingThereError(not_found(address), path=address) from None
    except Exception as error:
        # Implementations of fsspec raise exceptions of any class.
        raise WireloomError(f"the store cannot be reached: {error}", path=address) from None
    first, chain, rest = address.partition("::")
    named, suffix = (first, chain + rest) if "://" in first else (address, "")
    named = named if named.endswith(path) else named.rstrip("/")
    prefix = named[: len(named) - len(path)] if named.endswith(path) else spec.unstrip_protocol("")
    return Store(_wrapped(spec), path, prefix, suffix=suffix, spec=spec)


def not_found(address: str) -> str:
    """Return the message for an address that names nothing, with what its user can check."""
    scheme = scheme_of(address)
    if scheme in S3:
        return "no such object: check bucket, key, region and credentials"
    # The memory of the process has no credentials.
    return f"not found: check the address{'' if scheme == 'memory' else ' and the credentials'}"


def move(files: Any, source: str, target: str) -> None:
    """Move a file within a file system of pyarrow; if that cannot move files, copy it and delete the old one.

    Raises ``OSError``, and ``NotImplementedError`` if the file system is read-only.
    """
    try:
        files.move(source, target)
    except NotImplementedError:
        # pyarrow cannot move files of Azure storage accounts without a hierarchical namespace.
        files.copy_file(source, target)
        files.delete_file(source)


def _wrapped(spec: Any) -> Any:
    return pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(spec))
