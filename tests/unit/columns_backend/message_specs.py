"""Specs of messages for the tests."""

from __future__ import annotations

AGGREGATE = """
meta:
  id: aggregate
  -wireloom:
    message:
      at: message
      least: 1
      type: batch
      rows: records
      columns: [key, hash, number, data, tags, whole]
      selectable: [key_index, size, text]
      row-number: number
      otherwise: {whole: data, mark: whole}
seq:
  - {id: magic, contents: [1, 2]}
  - {id: message, type: batch, size: _io.size - _io.pos - 16}
  - id: digest
    size: 16
    -wireloom: {checksum: {algorithm: md5, over: message}}
types:
  batch:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: keys, number: 1, type: string, label: repeated}
          - {id: hashes, number: 2, type: string, label: repeated}
          - {id: records, number: 3, type: record, label: repeated}
  record:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: key_index, number: 1, type: uint64, label: required}
          - {id: hash_index, number: 2, type: uint64}
          - {id: data, number: 3, type: bytes, label: required}
          - {id: tags, number: 4, type: tag, label: repeated}
    instances:
      key: {value: '_parent.keys[key_index & 0xffffffff]'}
      hash: {value: '_parent.hashes[hash_index]', -wireloom: {text: integer}}
      size: {value: data.length}
      text: {value: data.to_s("UTF-8"), if: data.length < 3}
  tag:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: key, number: 1, type: string, label: required}
          - {id: value, number: 2, type: string}
"""

STREAM = """
meta:
  id: stream
  -wireloom:
    message:
      framing: varint
      option: message
      default: batch
      kinds:
        batch: {type: batch, rows: records, columns: [seq_num, at, headers, command], unit-columns: [tail, next]}
        ack: {type: ack, columns: [start, tail], selectable: [start_seq_num]}
types:
  position:
    -wireloom:
      message:
        fields:
          - {id: seq_num, number: 1, type: uint64}
          - {id: timestamp, number: 2, type: uint64}
  header:
    -wireloom:
      message:
        fields:
          - {id: name, number: 1, type: bytes}
          - {id: value, number: 2, type: bytes}
  record:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: seq_num, number: 1, type: uint64, doc: Its number.}
          - {id: time, number: 2, type: uint64, label: optional}
          - {id: headers, number: 3, type: header, label: repeated}
    instances:
      at: {value: time, -wireloom: {timestamp: ms}}
      command:
        if: headers.size == 1 and headers[0].name.length == 0
        value: headers[0].value.to_s("UTF-8")
  batch:
    -wireloom:
      message:
        max-depth: 5
        fields:
          - {id: records, number: 1, type: record, label: repeated}
          - {id: tail, number: 2, type: position}
          - {id: next, number: 3, type: uint64, label: optional}
  ack:
    -wireloom:
      message:
        fields:
          - {id: start, number: 1, type: position}
          - {id: tail, number: 3, type: position}
    instances:
      start_seq_num: {value: start.seq_num}
"""

KINDS = """
meta:
  id: all_kinds
  -wireloom:
    message: {type: all, columns: []}
enums:
  color: {0: red, 1: green, 7: blue}
types:
  all:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: a_double, number: 1, type: double}
          - {id: a_float, number: 2, type: float}
          - {id: a_int64, number: 3, type: int64}
          - {id: a_uint64, number: 4, type: uint64, default: 7}
          - {id: a_int32, number: 5, type: int32}
          - {id: a_fixed64, number: 6, type: fixed64}
          - {id: a_fixed32, number: 7, type: fixed32}
          - {id: a_bool, number: 8, type: bool}
          - {id: a_string, number: 9, type: string, default: x}
          - {id: a_message, number: 11, type: part}
          - {id: a_bytes, number: 12, type: bytes}
          - {id: a_uint32, number: 13, type: uint32}
          - {id: a_enum, number: 14, type: color}
          - {id: a_label, number: 15, type: color, labels: true}
          - {id: a_sfixed32, number: 16, type: sfixed32}
          - {id: a_sfixed64, number: 17, type: sfixed64}
          - {id: a_sint32, number: 18, type: sint32}
          - {id: a_sint64, number: 19, type: sint64}
          - {id: numbers, number: 20, type: int32, label: repeated, packed: true}
          - {id: texts, number: 21, type: string, label: repeated}
          - {id: parts, number: 22, type: part, label: repeated}
          - {id: by_name, number: 23, type: part, map-key: string}
          - {id: by_number, number: 24, type: color, map-key: sint32}
          - {id: one, number: 25, type: uint32, oneof: choice}
          - {id: other, number: 26, type: part, oneof: choice}
          - {id: time, number: 27, type: int64, timestamp: us}
          - {id: class, number: 28, type: bytes}
  part:
    -wireloom:
      message:
        fields:
          - {id: from, number: 1, type: uint32}
          - {id: at, number: 2, type: uint64, label: optional, timestamp: s}
          - {id: colors, number: 3, type: color, label: repeated}
"""

COMPUTED = """
meta:
  id: computed
  -wireloom:
    message: {type: sample, columns: [], framing: u4le}
enums:
  color: {0: red, 1: green, 7: blue}
types:
  part:
    -wireloom:
      message:
        fields:
          - {id: n, number: 1, type: uint64}
          - {id: data, number: 2, type: bytes}
          - {id: small, number: 3, type: int32, label: optional}
  sample:
    -wireloom:
      message:
        fields:
          - {id: a, number: 1, type: uint32}
          - {id: b, number: 2, type: sint32, label: optional}
          - {id: large, number: 3, type: uint64}
          - {id: signed, number: 4, type: int64, label: optional}
          - {id: flag, number: 5, type: bool}
          - {id: x, number: 6, type: double}
          - {id: name, number: 7, type: string}
          - {id: data, number: 8, type: bytes, label: optional}
          - {id: parts, number: 9, type: part, label: repeated}
          - {id: numbers, number: 10, type: int32, label: repeated}
          - {id: part, number: 11, type: part}
          - {id: hue, number: 12, type: color}
          - {id: words, number: 13, type: bytes, label: repeated}
          - {id: y, number: 14, type: float, label: optional}
          - {id: singles, number: 15, type: float, label: repeated}
    instances:
"""

EXPRESSIONS = {
    "sum": "a + b",
    "difference": "a - b * 3",
    "half": "a / 2",
    "rest": "a % 7",
    "bits": "(a & 0xff) | (b ^ 1) << 4",
    "shifted": "large >> 60",
    "inverted": "~b",
    "minus": "-b",
    "huge": "large",
    "above": "large > 9223372036854775807",
    "negative": "signed < 0 or b < 0",
    "negated": "not flag",
    "both_flags": "flag and b > 0",
    "either_flag": "flag or b > 0",
    "nested": "flag and (a > 5 or b == 3) and not (large == 0)",
    "chosen": "flag ? a : b",
    "text_of": "flag ? name : 'none'",
    "is_blue": "hue == color::blue",
    "hue_number": "hue.to_i + 1",
    "flag_number": "flag.to_i",
    "name_size": "name.length",
    "data_size": "data.length",
    "part_count": "parts.size",
    "first_number": "numbers[0]",
    "third_number": "numbers[2] * 2",
    "first_is_seven": "numbers[0] == 7",
    "first_part": "parts[0].n",
    "first_small": "parts.first.small",
    "first_data": "parts[0].data.to_s('UTF-8')",
    "part_number": "part.n",
    "part_data_size": "part.data.size",
    "part_small": "part.small + 1",
    "data_text": "data.to_s('UTF-8')",
    "is_data": "data == [1, 2]",
    "is_name": "name == 'ab' or name > 'b'",
    "guarded": "parts.size == 2 and parts[1].data.length == 0",
    "unguarded": "parts[1].data.length == 0",
    "quotient": "b / 2",
    "of_part": "a / part.n",
    "power": "1 << a",
    "wide": "large + b",
    "indexed": "numbers[a]",
    "byte": "data[1]",
    "largest": "numbers.max",
    "last_part": "parts.last.n % (b - 1)",
    "is_word": "words[1] == [97]",
    "text_of_word": "words[1].to_s('UTF-8')",
    "flagged": "if_flag * 2",
    "word": "words[1]",
    "through": "first_number + 1",
    "scaled": "a * 0.1",
    "float_sum": "x + y",
    "float_quotient": "large / (x - 1.5)",
    "float_rest": "y % x",
    "is_above": "x > large",
    "is_single": "y == 0.5",
    "whole": "(x < 1e18 and x > -1e18 ? x : y).to_i",
    "first_single": "singles[0] - 1",
    "some_float": "flag ? y : b",
}

CONDITIONAL = {
    "if_flag": ("flag", "a + 1"),
    "if_there": ("parts.size > 0 and parts[0].data.length == 1", "parts[0].data.to_s('UTF-8')"),
    "if_small": ("part.small > 0", "part.small"),
    "if_present": ("b != 0", "data"),
}


def computed_spec() -> str:
    """Return a spec with an instance for each expression."""
    plain = [f"      {name}: {{value: {_quoted(text)}}}\n" for name, text in EXPRESSIONS.items()]
    conditional = [
        f"      {name}: {{if: {_quoted(condition)}, value: {_quoted(text)}}}\n"
        for name, (condition, text) in CONDITIONAL.items()
    ]
    return COMPUTED + "".join(plain + conditional)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
