meta:
  id: message_pack
  endian: be
  encoding: UTF-8
  -wireloom: {rows: events, columns: [seconds, pairs]}
seq:
  - {id: events, type: event, repeat: eos}
types:
  event:
    seq:
      - {id: array, contents: [0x92]}
      - {id: time_tag, contents: [0xce]}
      - {id: seconds, type: u4}
      - {id: tag, type: u1, valid: {min: 0x80, max: 0x8f}, -wireloom: {default: 0x80 | pairs.size}}
      - {id: pairs, type: pair, repeat: expr, repeat-expr: tag & 15}
  pair:
    seq:
      - {id: key, type: text}
      - {id: value, type: text}
  text:
    -wireloom: {columns: [text]}
    seq:
      - {id: tag, type: u1, -wireloom: {default: "text.to_b(\"UTF-8\").length < 32 ? 0xa0 | text.to_b(\"UTF-8\").length : text.to_b(\"UTF-8\").length < 256 ? 0xd9 : 0xda"}}
      - {id: len1, type: u1, if: tag == 0xd9}
      - {id: len2, type: u2, if: tag == 0xda}
      - {id: text, type: str, size: 'tag == 0xd9 ? len1 : tag == 0xda ? len2 : tag & 31'}
