"""Plain values → the YAML of a spec, in the usual layout of specs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from ..spec.tree import plain_value

Value = str | int | float | bool | Sequence["Value"] | Mapping[str, "Value"]

_PLAIN = re.compile(r"[A-Za-z0-9_:](?:[A-Za-z0-9_ ./()'-]|:(?=[^ ]))*(?<! )(?<!:)")
_KEY = re.compile(r"-?[0-9]+|-[a-z]+")
_LITERAL = re.compile(r"[\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]+")


def yaml_text(value: Mapping[str, Value]) -> str:
    """Return the YAML document of a mapping.

    >>> print(yaml_text({"a": {"b": [{"c": 1, "d": "x: y"}], "e": [1, 2]}, "f": "one\\ntwo"}), end="")
    a:
      b:
        - c: 1
          d: "x: y"
      e: [1, 2]
    f: |
      one
      two
    """
    return "".join(f"{line}\n" for line in _mapping(value))


def _mapping(value: Mapping[str, Value]) -> Iterator[str]:
    for key, inner in value.items():
        name = key if _KEY.fullmatch(key) else _scalar(key)
        if isinstance(inner, Mapping) and inner:
            yield f"{name}:"
            yield from _indented(_mapping(inner))
        elif items := _mappings(inner):
            yield f"{name}:"
            for each in items:
                first, *rest = _mapping(each)
                yield f"  - {first}"
                yield from (f"    {line}" if line else "" for line in rest)
        elif isinstance(inner, str) and "\n" in inner and _is_literal(inner):
            yield f"{name}: |"
            yield from _indented(inner.split("\n"))
        else:
            yield f"{name}: {_flow(inner)}"


def _indented(lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    return (f"  {line}" if line else "" for line in lines)


def _mappings(value: Value) -> list[Mapping[str, Value]]:
    """Return the items of a list of mappings; empty for any other value."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return []
    return [each for each in value if isinstance(each, Mapping)]


def _is_literal(text: str) -> bool:
    """Return whether the text can be written unchanged, indented."""
    lines = text.split("\n")
    tidy = all(line == line.rstrip() for line in lines) and bool(lines[0]) and bool(lines[-1])
    return tidy and not lines[0][0].isspace() and _LITERAL.fullmatch(text) is not None


def _flow(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _scalar(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    return "[" + ", ".join(_flow(each) for each in value) + "]"


def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and isinstance(plain_value(text), str):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(each if _LITERAL.fullmatch(each) else _escape(each) for each in quoted)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
