"""Specs of compressed blocks, and functions that make inputs of them."""

from __future__ import annotations

import struct
import zlib

import crc32c
from wireloom.codecs import BLOCK_CODECS

CODECS = list(BLOCK_CODECS)
CASES = ", ".join(f"{number}: {name}" for number, name in enumerate(CODECS))
ROWS = f"""
meta: {{id: made, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
      - {{id: kind, type: u1}}
      - {{id: len, type: u2}}
      - {{id: len_content, type: u4}}
      - {{id: crc, type: u4, -wireloom: {{checksum: {{algorithm: crc32c, over: body}}}}}}
      - id: body
        size: len
        -wireloom:
          codec:
            switch-on: kind
            cases: {{{CASES}}}
            size-decompressed: len_content
            max-expanded: 100000
      - {{id: after, type: u1}}
"""
UNITS = f"""
meta: {{id: made, endian: be, -wireloom: {{rows: batches.body.records, columns: [shard, number, text]}}}}
seq: [{{id: batches, type: batch, repeat: eos}}]
types:
  batch:
    seq:
      - {{id: magic, contents: B}}
      - {{id: len, type: u4}}
      - {{id: crc, type: u4, -wireloom: {{checksum: {{algorithm: crc32, over: [kind, body]}}}}}}
      - {{id: kind, type: u1}}
      - {{id: shard, type: u2}}
      - {{id: num, type: u2}}
      - {{id: len_content, type: u4}}
      - id: body
        size: len
        type: body(num)
        -wireloom: {{codec: {{switch-on: kind, cases: {{{CASES}}}, size-decompressed: len_content}}}}
  body:
    params: [{{id: num, type: u2}}]
    seq: [{{id: records, type: record, repeat: expr, repeat-expr: num}}]
  record:
    seq:
      - {{id: number, type: u4, valid: {{max: 1000}}}}
      - {{id: len_text, type: u2}}
      - {{id: text, size: len_text, type: str, encoding: UTF-8}}
"""
CONTENT = b"content" * 9


def row(codec: str, content: bytes, *, size: int | None = None, block: bytes | None = None, crc: int = 0) -> bytes:
    body = BLOCK_CODECS[codec].compress(content) if block is None else block
    size = len(content) if size is None else size
    head = struct.pack("<BHII", CODECS.index(codec), len(body), size, crc32c.crc32c(body) ^ crc)
    return head + body + b"!"


def record(number: int, text: bytes) -> bytes:
    return struct.pack(">IH", number, len(text)) + text


def batch(codec: str, shard: int, *records: bytes, num: int | None = None, block: bytes | None = None) -> bytes:
    content = b"".join(records)
    body = BLOCK_CODECS[codec].compress(content) if block is None else block
    kind = CODECS.index(codec)
    covered = struct.pack(">BHHI", kind, shard, len(records) if num is None else num, len(content)) + body
    return b"B" + struct.pack(">II", len(body), zlib.crc32(covered)) + covered


def records(shard: int) -> list[bytes]:
    return [record(10 * shard + number, b"text %d" % number * 20) for number in range(3)]
