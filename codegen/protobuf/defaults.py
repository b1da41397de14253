"""Defaults in descriptors → values of the dialect."""

from __future__ import annotations

from .yaml_text import Value


def default_of(kind: str, text: str) -> Value:
    """Return the value of the key ``default`` for a field of a scalar type.

    >>> default_of("bool", "true"), default_of("int32", "-5"), default_of("float", "1e+20"), default_of("double", "inf")
    (True, -5, 1e+20, 'inf')
    >>> default_of("bytes", r"a\\001"), default_of("bytes", r"\\377")
    ('a\\x01', [255])
    """
    if kind == "bool":
        return text == "true"
    if kind == "string":
        return text
    if kind == "bytes":
        return _bytes(text)
    if kind in ("float", "double"):
        return text if text in ("inf", "-inf", "nan") else float(text)
    return int(text)


def _bytes(text: str) -> Value:
    from google.protobuf.text_encoding import CUnescape

    data: bytes = CUnescape(text)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return list(data)
