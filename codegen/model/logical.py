"""Logical types: what a value means besides being a number or text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timestamp:
    """Logical type of an integer: ``unit`` is ``s``, ``ms``, ``us`` or ``ns`` since the Unix epoch; ``zone`` is ``UTC``
    or ``None`` for local time without a zone."""

    unit: str
    zone: str | None


@dataclass(frozen=True)
class Labels:
    """Logical type of an enum: its labels as text (a dictionary in Arrow); unknown values as their number's text."""


@dataclass(frozen=True)
class IntegerText:
    """Logical type of a value instance of a message type (``-wireloom: {text: integer}``): its text is a decimal
    integer, an optional sign and digits. Other text is damage (reason ``value``)."""


Logical = Timestamp | Labels | IntegerText
