# Record batches of version 2, as Kafka stores them, without compression.
meta:
  id: kafka_batches
  endian: be
  -wireloom:
    rows: batches.body.content.records.body
    columns: [offset, timestamp, key, value, headers]
seq:
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: base_offset, type: s8}
      - {id: len, type: s4}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: leader_epoch, type: s4}
      - {id: magic, type: s1, valid: 2}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, initial: 0xffffffff, final-xor: 0xffffffff, over: content}}}
      - {id: content, type: content, size: _parent.len - 9}
  content:
    seq:
      - {id: attributes, type: u2, valid: {expr: _ % 8 == 0}}
      - {id: last_offset_delta, type: s4}
      - {id: base_timestamp, type: s8}
      - {id: max_timestamp, type: s8}
      - {id: producer_id, type: s8}
      - {id: producer_epoch, type: s2}
      - {id: base_sequence, type: s4}
      - {id: count, type: s4}
      - {id: records, type: record, repeat: expr, repeat-expr: count}
  record:
    seq:
      - {id: len, type: varint}
      - {id: body, type: record_body, size: len.value}
  record_body:
    seq:
      - {id: attributes, type: s1}
      - {id: timestamp_delta, type: varint}
      - {id: offset_delta, type: varint}
      - {id: len_key, type: varint}
      - {id: key, size: len_key.value, if: len_key.value >= 0}
      - {id: len_value, type: varint}
      - {id: value, size: len_value.value, if: len_value.value >= 0}
      - {id: count, type: varint}
      - {id: headers, type: header, repeat: expr, repeat-expr: count.value}
    instances:
      offset: {value: _parent._parent._parent._parent.base_offset + offset_delta.value}
      timestamp: {value: _parent._parent.base_timestamp + timestamp_delta.value, -wireloom: {timestamp: ms}}
  header:
    seq:
      - {id: len_key, type: varint}
      - {id: key, size: len_key.value, type: str, encoding: UTF-8}
      - {id: len_value, type: varint}
      - {id: value, size: len_value.value, if: len_value.value >= 0}
  varint: {-wireloom: {varint: {order: le, signed: zigzag}}}
