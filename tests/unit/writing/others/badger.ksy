meta:
  id: badger
  endian: be
  -wireloom: {rows: entries, parent-columns: [key_id, iv], columns: [meta, user_meta, expires, key, value]}
seq:
  - {id: key_id, type: u8, -wireloom: {default: 0}}
  - {id: iv, size: 12, -wireloom: {default: {random: 12}}}
  - {id: entries, type: entry, repeat: eos}
types:
  varint: {-wireloom: {varint: le}}
  entry:
    seq:
      - {id: meta, type: u1}
      - {id: user_meta, type: u1}
      - {id: len_key, type: varint}
      - {id: len_value, type: varint}
      - {id: expires, type: varint}
      - {id: key, size: len_key.value}
      - {id: value, size: len_value.value}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [meta, value]}}}
