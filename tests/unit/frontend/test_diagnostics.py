"""Mistakes that authors make: what is said, and where it points."""

from __future__ import annotations

import pickle

import pytest
from wireloom.codegen.model.load import analyse, load
from wireloom.codegen.spec.diagnostics import MAX_DIAGNOSTICS, InvalidSpecError
from wireloom.errors import SpecError

from tests.unit.frontend.specs import said

SEQ = "seq:\n  - id: a\n    type: u1\n"
"""Three lines with an attribute, to which a case adds keys."""


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        # Keys and kinds of values
        (SEQ + "    repaet: eos\n", ["4:5: error: unknown key 'repaet' in an attribute; did you mean 'repeat'?"]),
        ("seqs: []\n", ["1:1: error: unknown key 'seqs' in the spec; did you mean 'seq'?"]),
        (
            "types: {t: {zzz: 1}}\n",
            [
                "1:13: error: unknown key 'zzz' in a type; expected doc, doc-ref, enums, instances, meta, params, seq,"
                " to-string or types"
            ],
        ),
        ("seq: {a: u1}\n", ["1:6: error: expected a list, found a mapping"]),
        ("seq: [u1]\n", ["1:7: error: expected an attribute as a mapping, found the text 'u1'"]),
        ("seq:\n", ["1:5: error: expected a list, found nothing"]),
        ("types: [a]\n", ["1:8: error: expected a mapping with a key for each type, found a list"]),
        ("instances: {a: 1}\n", ["1:16: error: expected an instance as a mapping, found the number 1"]),
        ("enums: {e: [a]}\n", ["1:12: error: expected an enum as a mapping from integers to names, found a list"]),
        ("enums: {e: {one: 1}}\n", ["1:13: error: expected an integer as an enum's value, found the text 'one'"]),
        ("enums: {e: {true: a}}\n", ["1:13: error: expected an integer as an enum's value, found the boolean true"]),
        ("doc: [a]\n", ["1:6: error: expected text, found a list"]),
        ("doc-ref: {a: 1}\n", ["1:10: error: expected text, found a mapping"]),
        (SEQ + "    terminator: 256\n", ["4:17: error: expected an integer from 0 to 255, found the number 256"]),
        (SEQ + "    terminator: -1\n", ["4:17: error: expected an integer from 0 to 255, found the number -1"]),
        (SEQ + "    pad-right: x\n", ["4:16: error: expected an integer from 0 to 255, found the text 'x'"]),
        (SEQ + "    size-eos: yes\n", ["4:15: error: expected true or false, found the text 'yes'"]),
        (SEQ + "    repeat: forever\n", ["4:13: error: expected eos, expr or until, found the text 'forever'"]),
        (SEQ + "    repeat: untill\n", ["4:13: error: expected eos, expr or until, found the text 'untill'; did you mean 'until'?"]),
        (SEQ + "    if: [1]\n", ["4:9: error: expected an expression, found a list"]),
        (SEQ + "    if:\n", ["4:8: error: expected an expression, found nothing"]),
        ("seq:\n  - {id: a, type: 'u1 u2'}\n", ["2:23: error: expected '(' or the end of the type's name, found 'u2'"]),
        ("seq:\n  - {id: a, contents: [256]}\n", ["2:24: error: expected a byte (0 to 255) or text, found the number 256"]),
        ("seq:\n  - {id: a, contents: 5}\n", ["2:23: error: expected text or a list of bytes and texts, found the number 5"]),
        ("seq:\n  - {id: a, size: 1, process: 'xor'}\n", ["2:31: error: 'xor' takes 1 argument, found 0"]),
        ("seq:\n  - {id: a, size: 1, process: 'xor(1 +)'}\n", ["2:39: error: expected a value, found the end of the expression"]),
        ("seq:\n  - {id: a, size: 1, process: 'Zlib'}\n", ["2:31: error: expected zlib, xor(key), rol(bits), ror(bits) or the name of a routine, found the text 'Zlib'"]),
        (SEQ + "    valid: [1]\n", ["4:12: error: expected an expression, or a mapping with eq, min, max, any-of, in-enum or expr, found a list"]),
        (SEQ + "    valid: {less: 1}\n", ["4:13: error: unknown key 'less' in valid; expected any-of, eq, expr, in-enum, max or min"]),
        # Names
        ("seq:\n  - {id: BAD, type: u1}\n", ["2:10: error: expected a name of lower-case letters, digits and underscores that begins with a letter, found the text 'BAD'"]),
        ("seq:\n  - {id: _a, type: u1}\n", ["2:10: error: expected a name of lower-case letters, digits and underscores that begins with a letter, found the text '_a'"]),
        ("types: {Bad: {}}\n", ["1:9: error: 'Bad' is no name for a type: lower-case letters, digits and underscores, beginning with a letter"]),
        ("instances: {_x: {value: 1}}\n", ["1:13: error: '_x' is no name for an instance: lower-case letters, digits and underscores, beginning with a letter"]),
        ("enums: {e: {1: 101dogs}}\n", ["1:16: error: expected a name of lower-case letters, digits and underscores that begins with a letter, found the text '101dogs'"]),
        ("enums: {e: {1: null}}\n", ["1:16: error: expected a name of lower-case letters, digits and underscores that begins with a letter, found nothing"]),
        ("types: {u4: {}}\n", ["1:9: error: 'u4' is the name of a built-in type"]),
        (SEQ + "  - id: a\n    type: u2\n", ["4:9: error: the name 'a' is already that of an attribute in line 6"]),
        (SEQ + "instances:\n  a: {value: 1}\n", ["5:3: error: the name 'a' is already that of an attribute in line 6"]),
        ("params: [{id: p, type: u1}]\nseq: [{id: p, type: u1}]\n", ["2:12: error: the name 'p' is already that of a parameter in line 5"]),
        ("enums: {e: {1: a, 2: a}}\n", ["1:22: error: the name 'a' is already given in line 5"]),
        ("enums: {e: {1: a, 0x1: b}}\n", ["1:19: error: the value 1 is already named in line 5"]),
        ("seq: [{id: a, type: piont}]\ntypes: {point: {}}\n", ["1:21: error: unknown type 'piont'; did you mean 'point'?"]),
        ("seq: [{id: a, type: u3}]\n", ["1:21: error: unknown type 'u3'; integers have 1, 2, 4 or 8 bytes, other widths are bits: b24"]),
        ("seq: [{id: a, type: uint32}]\n", ["1:21: error: unknown type 'uint32'; did you mean 'u4'?"]),
        ("seq: [{id: a, type: inner}]\ntypes: {o: {types: {inner: {}}}}\n", ["1:21: error: unknown type 'inner'; did you mean 'o::inner'?"]),
        ("seq: [{id: a, type: u1, enum: anmals}]\nenums: {animals: {1: cat}}\n", ["1:31: error: unknown enum 'anmals'; did you mean 'animals'?"]),
        ("seq: [{id: a, type: u1, enum: t::x}]\ntypes: {t: {}}\n", ["1:31: error: unknown enum 't::x'"]),
        ("params: [{id: p, type: u9}]\n", ["1:24: error: unknown type 'u9'; integers have 1, 2, 4 or 8 bytes, other widths are bits: b24"]),
        # Types and their keys
        ("seq: [{id: a}]\n", ["1:7: error: it has no end: expected size, size-eos, terminator or a type"]),
        ("seq: [{id: a, type: str}]\n", ["1:7: error: it has no end: expected size, size-eos, terminator or a type"]),
        ("seq: [{id: a, type: u1le}]\n", ["1:21: error: one byte has no byte order: write 'u1' for 'u1le'"]),
        ("seq: [{id: a, type: b0}]\n", ["1:21: error: bits have a width from 1 to 64, found 0"]),
        ("seq: [{id: a, type: b65}]\n", ["1:21: error: bits have a width from 1 to 64, found 65"]),
        ("seq: [{id: a, type: u4, size: 4}]\n", ["1:25: error: 'size' cannot stand here: the type u4 has its own size"]),
        ("seq: [{id: a, type: u4, encoding: UTF-8}]\n", ["1:25: error: 'encoding' cannot stand here: the type u4 has its own size"]),
        ("seq: [{id: a, size: 4, encoding: UTF-8}]\n", ["1:24: error: 'encoding' cannot stand here: without a type it is bytes"]),
        ("seq: [{id: a, size: 4, enum: e}]\nenums: {e: {1: x}}\n", ["1:24: error: 'enum' cannot stand here: without a type it is bytes"]),
        ("seq: [{id: a, type: t, enum: e}]\ntypes: {t: {}}\nenums: {e: {1: x}}\n", ["1:24: error: 'enum' cannot stand here: 't' is a type of the spec"]),
        ("seq: [{id: a, type: f4, enum: e}]\nenums: {e: {1: x}}\n", ["1:31: error: an enum names integers, this is a float"]),
        ("seq: [{id: a, type: t, process: zlib}]\ntypes: {t: {}}\n", ["1:24: error: 'process' needs size, size-eos or terminator beside it"]),
        ("seq: [{id: a, size: 4, size-eos: true}]\n", ["1:24: error: 'size' and 'size-eos' cannot be used together"]),
        ("seq: [{id: a, contents: x, valid: 1}]\n", ["1:28: error: 'contents' and 'valid' cannot be used together"]),
        ("seq: [{id: a, contents: x, type: u1}]\n", ["1:28: error: 'contents' and 'type' cannot be used together"]),
        ("seq: [{id: a, contents: x, size: 2}]\n", ["1:34: error: the contents have 1 bytes; 'size' can go"]),
        ("seq: [{id: a, type: u1, repeat: expr}]\n", ["1:33: error: repeat: expr needs the key 'repeat-expr'"]),
        ("seq: [{id: a, type: u1, repeat: until}]\n", ["1:33: error: repeat: until needs the key 'repeat-until'"]),
        ("seq: [{id: a, type: u1, repeat-expr: 3}]\n", ["1:25: error: 'repeat-expr' goes with repeat: expr"]),
        ("seq: [{id: a, type: strz, encoding: UFT-8}]\n", ["1:37: error: unknown encoding 'UFT-8'; did you mean 'UTF-8'?"]),
        ("seq: [{id: a, type: u1(3)}]\n", ["1:21: error: 'u1' takes no arguments"]),
        ("seq: [{id: a, type: t(3)}]\ntypes: {t: {}}\n", ["1:21: error: 't' takes 0 arguments, found 1"]),
        ("seq: [{id: a, type: t}]\ntypes: {t: {params: [{id: p, type: u1}]}}\n", ["1:21: error: 't' takes 1 argument, found 0"]),
        ("seq: [{id: a, type: t('x')}]\ntypes: {t: {params: [{id: p, type: u1}]}}\n", ["1:23: error: the parameter 'p' is u1, found text"]),
        ("instances: {a: {value: 1, type: u1}}\n", ["1:27: error: 'type' cannot stand beside 'value'; expected doc, doc-ref, enum or if"]),
        ("instances: {a: {value: 1.5, enum: e}}\nenums: {e: {1: x}}\n", ["1:35: error: an enum names integers, this is a float"]),
        # Expressions
        ("seq: [{id: a, size: len}]\n", ["1:21: error: unknown name 'len' in demo"]),
        ("seq: [{id: len, type: u1}, {id: a, size: lne}]\n", ["1:42: error: unknown name 'lne' in demo; did you mean 'len'?"]),
        ("seq: [{id: a, size: 1.5}]\n", ["1:21: error: 'size' must be an integer, found a float"]),
        ("seq: [{id: a, size: 'x'}]\n", ["1:22: error: unknown name 'x' in demo"]),
        ('seq: [{id: a, size: "\'x\'"}]\n', ["1:22: error: 'size' must be an integer, found text"]),
        ("seq: [{id: a, size: -1}]\n", ["1:21: error: 'size' must not be negative, found -1"]),
        ("seq: [{id: a, size: 3 - 4}]\n", ["1:21: error: 'size' must not be negative, found -1"]),
        (SEQ + "    if: 1 + 1\n", ["4:9: error: 'if' must be a boolean, found an integer"]),
        (SEQ + "    repeat: expr\n    repeat-expr: true\n", ["5:18: error: 'repeat-expr' must be an integer, found a boolean"]),
        (SEQ + "    repeat: until\n    repeat-until: _\n", ["5:19: error: 'repeat-until' must be a boolean, found u1"]),
        ("seq: [{id: a, size: b}, {id: b, type: u1}]\n", ["1:21: error: 'size' needs an attribute that is read later: 'b'"]),
        ("seq: [{id: a, type: u1, if: a == 1}]\n", ["1:29: error: 'if' needs itself: 'a'"]),
        ("instances: {a: {pos: true, type: u1}}\n", ["1:22: error: 'pos' must be an integer, found a boolean"]),
        ("instances: {a: {pos: 1, io: _root, type: u1}}\n", ["1:29: error: 'io' must be a stream, found the type demo"]),
        ("to-string: 1 + 2\n", ["1:12: error: 'to-string' must be text, found an integer"]),
        ("seq: [{id: a, size: 1, process: rol('x')}]\n", ["1:37: error: 'rol' takes an integer, found text"]),
        ("seq: [{id: a, size: 1, process: xor('x')}]\n", ["1:37: error: 'xor' takes an integer or bytes, found text"]),
        ("seq: [{id: a, type: t, parent: 1 + 1}]\ntypes: {t: {}}\n", ["1:32: error: 'parent' must be an object, found an integer"]),
        # valid
        (SEQ + "    valid: '\"x\"'\n", ["4:13: error: cannot compare u1 with text"]),
        (SEQ + "    valid: {min: true}\n", ["4:18: error: cannot compare u1 with a boolean"]),
        (SEQ + "    valid: {any-of: [1, true]}\n", ["4:25: error: cannot compare u1 with a boolean"]),
        (SEQ + "    valid: {expr: _ + 1}\n", ["4:19: error: 'expr' must be a boolean, found an integer"]),
        (SEQ + "    valid: {eq: 1, max: 2}\n", ["4:12: error: these keys of 'valid' do not go together; expected eq, min and max, any-of, in-enum or expr"]),
        (SEQ + "    valid: {}\n", ["4:12: error: 'valid' says nothing; expected eq, min and max, any-of, in-enum or expr"]),
        (SEQ + "    valid: {in-enum: true}\n", ["4:22: error: 'in-enum' needs the key 'enum' beside 'valid'"]),
        (SEQ + "    valid: {in-enum: false}\n", ["4:22: error: expected true, found the boolean false"]),
        # Switches
        ("seq:\n  - id: a\n    type: {cases: {1: u1}}\n", ["3:11: error: a switch has no key 'switch-on'"]),
        ("seq:\n  - id: a\n    type: {switch-on: 1}\n", ["3:11: error: a switch has no key 'cases'"]),
        ("seq:\n  - id: a\n    type: {switch-on: 1, cases: {}}\n", ["3:33: error: a switch needs at least one case"]),
        ("seq:\n  - id: a\n    type: {switch-on: 1, cases: [u1]}\n", ["3:33: error: expected a mapping with a key for each case, found a list"]),
        ("seq:\n  - id: a\n    type: {switch-on: 42/, cases: {1: u1}}\n", ["3:26: error: expected a value, found the end of the expression"]),
        ("seq:\n  - id: a\n    type: {switch-on: 1, cases: {'\"x\"': u1}}\n", ["3:34: error: this case can never be: cannot compare an integer with text"]),
        ("seq:\n  - id: a\n    type: {switch-on: 1, cases: {^x: u1}}\n", ["3:34: error: expected a value, found '^'"]),
        ("seq:\n  - id: a\n    type: {switch-on: 1, cases: {1: nowhere}}\n", ["3:37: error: unknown type 'nowhere'"]),
        ("seq:\n  - id: a\n    type: {switch-on: 1, cases: {1: strz}}\n    encoding: UTF-8\n", ["4:5: error: 'encoding' cannot stand here: the type is a switch"]),
        # Parents
        ("types: {t: {instances: {a: {value: _parent.x}}}}\n", ["1:36: error: nothing holds demo::t, so that the type of its _parent is not known"]),
        (
            "seq: [{id: len, type: u1}, {id: b, type: t}]\ntypes: {t: {seq: [{id: a, size: len}]}}\n",
            ["2:33: error: unknown name 'len' in demo::t; did you mean '_root.len'?"],
        ),
        # Circles
        (
            "instances:\n  a: {value: b + 1}\n  b: {value: c}\n  c: {value: a}\n",
            ["2:14: error: 'a' stands on itself: a → b → c → a"],
        ),
    ],
)  # fmt: skip
def test_mistakes(body: str, messages: list[str]) -> None:
    assert said(body) == messages


@pytest.mark.parametrize(
    ("head", "messages"),
    [
        ("a: 1\n", ["1:1: error: the spec has no key 'meta'", "1:1: error: unknown key 'a' in the spec"]),
        ("meta: 1\n", ["1:7: error: expected meta as a mapping, found the number 1"]),
        ("- meta\n", ["1:1: error: a spec is a mapping with the key 'meta', found a list"]),
        ("text\n", ["1:1: error: a spec is a mapping with the key 'meta', found the text 'text'"]),
        ("meta: {title: x}\n", ["1:7: error: meta has no key 'id'"]),
        ("meta: {id: ñ}\n", ["1:12: error: expected a name of lower-case letters, digits and underscores"]),
        ("meta: {id: x, endian: bad}\n", ["1:23: error: expected le or be, found the text 'bad'"]),
        (
            "meta: {id: x, endian: [le]}\n",
            ["1:23: error: expected le, be, or a mapping with switch-on and cases, found"],
        ),
        ("meta: {id: x, endian: {switch-on: y, cases: {1: le}}}\n", ["1:35: error: unknown name 'y' in x"]),
        (
            "meta: {id: x, endian: {switch-on: 1, cases: {1: me}}}\n",
            ["1:49: error: expected le or be, found the text 'me'"],
        ),
        ("meta: {id: x, bit-endian: bad}\n", ["1:27: error: expected le or be, found the text 'bad'"]),
        ("meta: {id: x, encoding: foo}\n", ["1:25: error: unknown encoding 'foo'"]),
        (
            "meta: {id: x, ks-version: 99.1}\n",
            ["1:27: error: the versions 0.6 to 0.11 of the language are known, not 99.1"],
        ),
        (
            "meta: {id: x, ks-version: 0.10}\n",
            ["1:27: error: write '0.10' in quotes: without them it is the number 0.1"],
        ),
        ("meta: {id: x, ks-version: new}\n", ["1:27: error: expected a version such as 0.11, found the text 'new'"]),
        ("meta: {id: x, imports: [nowhere]}\n", ["1:25: error: cannot find the import 'nowhere.ksy' beside this file"]),
        (
            "meta: {id: x, imports: /nowhere}\n",
            ["1:24: error: cannot find the import '/nowhere.ksy' in the import paths"],
        ),
        ("meta: {id: x, imports:}\n", ["1:23: error: expected a list, found nothing"]),
        ("meta: {id: x}\nseq: [{id: a, type: u2}]\n", ["2:21: error: 'u2' needs a byte order: write 'u2le' or 'u2be'"]),
        (
            "meta: {id: x}\nseq: [{id: a, type: strz}]\n",
            ["2:21: error: text needs an encoding: give it or meta the key"],
        ),
        ("meta: {id: x, -wirelom: {}}\n", ["1:15: warning: the key '-wirelom' is ignored; did you mean '-wireloom'?"]),
        ("meta: {id: x, -webide: {}}\n", []),
        ("meta: {id: x}\ntypes: {t: {-wireloom: {}}}\n", ["2:13: error: a type takes no key '-wireloom'"]),
    ],
)
def test_mistakes_in_meta(head: str, messages: list[str]) -> None:
    found = said(head, "")
    assert len(found) == len(messages)
    for one, wanted in zip(found, messages, strict=True):
        assert one.startswith(wanted)


def test_all_are_raised_together() -> None:
    text = "meta: {id: x}\nseq:\n  - {id: a, tpye: u1}\n  - {id: b, size: 1 +}\n"
    with pytest.raises(SpecError) as caught:
        load("dir/x.ksy", text, display_name="x.ksy")
    assert isinstance(caught.value, InvalidSpecError)
    assert str(caught.value).split("\n") == [
        "x.ksy:3:13: error: unknown key 'tpye' in an attribute; did you mean 'type'?",
        "x.ksy:4:22: error: expected a value, found the end of the expression",
    ]
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.column, first.severity) == ("x.ksy", 3, 13, "error")


def test_the_errors_survive_pickling() -> None:
    with pytest.raises(InvalidSpecError) as caught:
        load("x.ksy", "meta: {}\n")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.diagnostics == caught.value.diagnostics


def test_no_more_than_a_hundred() -> None:
    lines = "".join(f"  - {{id: a{n}, typo: u1}}\n" for n in range(500))
    result = analyse("x.ksy", f"meta: {{id: x}}\nseq:\n{lines}")
    assert result.spec is None
    assert len(result.diagnostics) == MAX_DIAGNOSTICS


def test_warnings_do_not_hide_errors() -> None:
    lines = "".join(f"  - {{id: a{n}, type: strz, encoding: utf8}}\n" for n in range(200))
    result = analyse("x.ksy", f"meta: {{id: x}}\nseq:\n{lines}  - {{id: z, size: nothing}}\n")
    assert result.spec is None
    assert sum(each.severity == "error" for each in result.diagnostics) == 1


def test_hostile_text_stays_on_its_line() -> None:
    (found,) = said('"bad\\nkey\\e[31m": 1\n')
    assert found.startswith("1:1: error: unknown key 'bad\\x0akey\\x1b[31m' in the spec")
