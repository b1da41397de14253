"""Helpers of the front end's tests: specs from a few lines, and their diagnostics."""

from __future__ import annotations

from textwrap import dedent

from wireloom.codegen.model.load import analyse, load
from wireloom.codegen.passes import with_facts
from wireloom.codegen.spec.diagnostic import Diagnostic
from wireloom.codegen.tree import Attribute, Instance, Spec, Struct

from tests.unit.frontend.trees import written

HEAD = "meta:\n  id: demo\n  endian: le\n  encoding: UTF-8\n"
"""Four lines before the body of each spec."""


def compiled(body: str, head: str = HEAD) -> Spec:
    return load("demo.ksy", head + dedent(body).lstrip("\n"), display_name="demo.ksy")


def root(body: str) -> Struct:
    return compiled(body).root


def attribute(body: str, name: str) -> Attribute:
    found = root(body).attribute(name)
    assert found is not None
    return found


def instance(body: str, name: str) -> Instance:
    found = root(body).instance(name)
    assert found is not None
    return found


def solved(spec: Spec) -> dict[str, str]:
    """Return the attributes that a writer solves for, in all types, and the expressions of their values."""
    fills = (fill for struct in with_facts(spec).structs for fill in struct.fills)
    return {each.id: written(each.value) for each in fills if each.how == "solved" and each.value is not None}


def diagnostics(body: str, head: str = HEAD) -> tuple[Diagnostic, ...]:
    return analyse("demo.ksy", head + dedent(body).lstrip("\n"), display_name="demo.ksy").diagnostics


def said(body: str, head: str = HEAD) -> list[str]:
    """Return every diagnostic as ``line:column: severity: text``, with lines counted from the first of ``body``."""
    shift = head.count("\n")
    return [f"{d.line - shift}:{d.column}: {d.severity}: {d.message}" for d in diagnostics(body, head)]
