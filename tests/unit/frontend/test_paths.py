"""The path of a diagnostic: its place in the tree of the file's keys, as Kaitai's compiler writes it."""

from __future__ import annotations

import pytest
from wireloom.codegen.expression import outline_of as outline
from wireloom.codegen.expression import parse_expression
from wireloom.codegen.model import analyse
from wireloom.codegen.spec import rendered

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
        ("seq: [{id: a, type: {switch-on: 1, cases: {1: nowhere}}}]", "/seq/0/type/cases/IntNum(1)"),
        ("seq: [{id: a, type: {switch-on: 1, cases: {-x: u1}}}]",
         "/seq/0/type/cases/UnaryOp(Minus,Name(identifier(x)))"),
        ("seq: [{id: a, type: {switch-on: 1, cases: {1 +: u1}}}]", "/seq/0/type/cases/1 +"),
    ],
)  # fmt: skip
def test_path(body: str, path: str) -> None:
    assert [each.path for each in diagnostics(body)] == [path]


def test_people_are_not_shown_the_tree_of_a_case() -> None:
    (found,) = diagnostics("seq: [{id: a, type: {switch-on: 1, cases: {1: nowhere}}}]")
    assert "= at /seq/0/type/cases\n" in rendered(found)


@pytest.mark.parametrize("text", ["", "a: [", "a: 1\na: 2\n"])
def test_where_there_is_no_tree(text: str) -> None:
    (found,) = analyse("x.ksy", text).diagnostics
    assert found.path in ("", "/")


def test_long_keys_are_cut_and_deep_ones_cost_nothing() -> None:
    key = "k" * 100_000
    text = HEAD + f"{key}:\n  {key}: [{'[' * 50}{'1, ' * 50_000}{']' * 50}]\n"
    (found,) = analyse("x.ksy", text).diagnostics
    assert len(found.path) < 200


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("1 + 2 * x", "BinOp(IntNum(1),Add,BinOp(IntNum(2),Mult,Name(identifier(x))))"),
        ("a and b and not c",
         "BoolOp(And,List(Name(identifier(a)), Name(identifier(b)), UnaryOp(Not,Name(identifier(c)))))"),
        ("a == 1 ? 'x' : 2.5", "IfExp(Compare(Name(identifier(a)),Eq,IntNum(1)),Str(x),FloatNum(2.5))"),
        ("::t::e::y", "EnumByLabel(identifier(e),identifier(y),typeId(true,List(t),false))"),
        ("e::y", "EnumByLabel(identifier(e),identifier(y),typeId(false,List(),false))"),
        ("[1, 2][0]", "Subscript(List(List(IntNum(1), IntNum(2))),IntNum(0))"),
        ("a.as<e[]>", "CastToType(Name(identifier(a)),typeId(false,List(e),true))"),
        ("sizeof<u4>", "ByteSizeOfType(typeId(false,List(u4),false))"),
        ('"s".to_i(16)', "Call(Attribute(Str(s),identifier(to_i)),List(IntNum(16)))"),
        ('f"x{a}"', "InterpolatedStr(List(Str(x), Name(identifier(a))))"),
        ("_root.a", "Attribute(Name(identifier(_root)),identifier(a))"),
        ("true", "Bool(true)"),
    ],
)  # fmt: skip
def test_outline(expression: str, line: str) -> None:
    assert outline(parse_expression(expression)) == line
