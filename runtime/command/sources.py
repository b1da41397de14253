"""The arguments ``[FORMAT] INPUT…``: FORMAT may be left out where the first input shows it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ..base.addresses import is_remote
from ..base.errors import WrongFormatError
from ..base.text import printable, unknown
from ..input.inputs import WILDCARDS
from . import shell_completion
from .parameters import location_of

if TYPE_CHECKING:
    from ..reading.identification import Identification

Function = TypeVar("Function", bound=Callable[..., Any])
STREAM = "s2://"
TRIED = 16
"""Number of inputs of which the first ones may be empty, or no logs."""


def source_arguments(*, several: bool = True) -> Callable[[Function], Function]:
    """Add the arguments ``[FORMAT] INPUT…``, or one INPUT if not ``several``. They are passed as ``format_name`` and
    ``inputs``; if FORMAT is left out, the former is the name of the format of the first input. The address of a stream
    is passed as ``format_name``, without inputs."""
    metavar = "[FORMAT] INPUT..." if several else "[FORMAT] INPUT"

    def decorate(function: Function) -> Function:
        @wraps(function)
        def divided(*arguments: Any, words: tuple[str, ...], options: Mapping[str, Any], **others: Any) -> Any:
            name, inputs = _divided(words, options)
            if not several and len(inputs) > 1:
                context = click.get_current_context()
                raise click.UsageError(
                    f"Got unexpected extra argument{'s' * (len(inputs) > 2)} ({' '.join(inputs[1:])})", context
                )
            return function(*arguments, format_name=name, inputs=inputs, options=options, **others)

        add = click.argument("words", metavar=metavar, nargs=-1, shell_complete=shell_completion.formats_and_files)
        return cast("Function", add(divided))

    return decorate


def _divided(words: tuple[str, ...], options: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return FORMAT and the inputs among the words of a command."""
    from ..format.registry import formats

    if not words:
        raise click.MissingParameter(param_hint="'INPUT...'", param_type="argument", ctx=click.get_current_context())
    first, *rest = words
    if first.startswith(STREAM):
        return first, tuple(rest)
    known = formats()
    named = [each for each in words if each.endswith(".ksy") or each in known]
    if first in named:
        if not rest:
            raise click.MissingParameter(
                param_hint="'INPUT...'", param_type="argument", ctx=click.get_current_context()
            )
        return first, tuple(rest)
    if named and is_input(first):
        _note(f"FORMAT comes first: reading {first} as {named[0]}")
        return named[0], tuple(each for each in words if each != named[0])
    if not is_input(first):
        raise unknown("format", first, known)
    return format_name_of(first, options), words


def is_input(word: str) -> bool:
    """Return whether a word names an input, or looks as if it was to name one."""
    looks_so = word == "-" or os.sep in word or "." in word or not WILDCARDS.isdisjoint(word) or is_remote(word)
    return looks_so or os.path.exists(word)


def format_name_of(source: str, options: Mapping[str, Any], how: str = "name FORMAT before INPUT") -> str:
    """Return the name of the format of the first input of ``source`` that shows it, which a note names. Raises
    ``WrongFormatError`` if none of the first ``TRIED`` does, which says ``how`` to name it."""
    from ..input.expansion import expand
    from ..reading.identification import identify_input

    undecided: list[Identification] = []
    for each in expand(source, location_of(options))[:TRIED]:
        found = identify_input(each)
        if found.format is not None:
            break
        undecided.append(found)
    else:
        raise _undecided(next((each for each in undecided if each.matches), undecided[0]), how)
    _note(f"reading {source} as {found.format.name}")
    return found.format.name


def _undecided(found: Identification, how: str) -> WrongFormatError:
    """Return the error for an input whose format has to be named."""
    names = [each.format.name for each in found.matches]
    what = f"it may be {' or '.join(names)}" if names else f"the format is not known ({found.description})"
    is_spec = (found.path or "").endswith((".yaml", ".yml"))
    hint = "" if names else "; the name of a spec ends in .ksy" if is_spec else "; 'wireloom formats' lists the formats"
    return WrongFormatError(f"{what}: {how}{hint}", path=found.path)


def _note(sentence: str) -> None:
    click.echo(f"wireloom: note: {printable(sentence)}", err=True)
