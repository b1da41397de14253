"""The path of a diagnostic: its place in the tree of the file's keys."""

from __future__ import annotations

import pytest
from wireloom.codegen.model.load import analyse
from wireloom.codegen.spec.diagnostics import rendered

from tests.unit.frontend.specs import HEAD, diagnostics


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("seqs: []", "/seqs"),
        ("seq: 1", "/seq"),
        ("seq: [{id: a, type: nowhere}]", "/seq/0/type"),
        ("seq: [{id: a, type: u1}, {id: b, size: 1 + c}]", "/seq/1/size"),
        ("seq: [{id: a}]", "/seq/0"),
        ("types: {t: {seq: [{id: a, type: u1, valid: {any-of: [1, x]}}]}}", "/types/t/seq/0/valid/any-of/1"),
        ("instances: {a: {value: b}}", "/instances/a/value"),
        ("instances: {A: {value: 1}}", "/instances/A"),
        ("enums: {e: {1: a, 2: a}}", "/enums/e/2"),
        ("seq: [{id: a, type: u1, -wireloom: {labels: 1}}]", "/seq/0/-wireloom/labels"),
        ("seq: [&x {id: a, size: b}]", "/seq/0/size"),
        ("seq: [{id: a, type: {switch-on: 1, cases: {1: nowhere}}}]", "/seq/0/type/cases/1"),
        ("seq: [{id: a, type: {switch-on: 1, cases: {-x: u1}}}]", "/seq/0/type/cases/-x"),
        ("seq: [{id: a, type: {switch-on: 1, cases: {1 +: u1}}}]", "/seq/0/type/cases/1 +"),
    ],
)  # fmt: skip
def test_path(body: str, path: str) -> None:
    assert [each.path for each in diagnostics(body)] == [path]


def test_people_are_shown_the_path() -> None:
    (found,) = diagnostics("seq: [{id: a, type: {switch-on: 1, cases: {1: nowhere}}}]")
    assert "= at /seq/0/type/cases/1\n" in rendered(found)


@pytest.mark.parametrize("text", ["", "a: [", "a: 1\na: 2\n"])
def test_where_there_is_no_tree(text: str) -> None:
    (found,) = analyse("x.ksy", text).diagnostics
    assert found.path in ("", "/")


def test_long_keys_are_cut_and_deep_ones_cost_nothing() -> None:
    key = "k" * 100_000
    text = HEAD + f"{key}:\n  {key}: [{'[' * 50}{'1, ' * 50_000}{']' * 50}]\n"
    (found,) = analyse("x.ksy", text).diagnostics
    assert len(found.path) < 200
