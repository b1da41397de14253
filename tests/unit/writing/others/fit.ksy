meta:
  id: fit
  endian: le
  -wireloom:
    rows: content.records
    columns: [head, definition, data]
    parent-columns: [version, profile]
seq:
  - {id: len_header, type: u1}
  - {id: header, type: header, size: len_header - 1}
  - {id: content, type: content, size: header.len_content}
  - {id: crc, type: u2, -wireloom: {checksum: {algorithm: crc-16/arc, over: [len_header, content]}}}
instances:
  version: {value: header.version}
  profile: {value: header.profile}
  sizes: {-wireloom: {variable: {keys: integer, values: integer}}}
types:
  header:
    seq:
      - {id: version, type: u1, -wireloom: {default: 32}}
      - {id: profile, type: u2, -wireloom: {default: 2134}}
      - {id: len_content, type: u4}
      - {id: magic, contents: ".FIT"}
  content:
    seq:
      - {id: records, type: record, repeat: eos}
  record:
    seq:
      - {id: head, type: u1}
      - {id: definition, type: definition, if: is_definition}
      - {id: data, size: '_root.sizes[local]', if: not is_definition}
    instances:
      is_definition: {value: head & 0xc0 == 0x40}
      local: {value: 'head >= 0x80 ? head >> 5 & 3 : head & 15'}
  definition:
    seq:
      - {id: reserved, type: u1}
      - {id: order, type: u1}
      - {id: message, type: u2}
      - {id: num_fields, type: u1}
      - {id: fields, type: field, repeat: expr, repeat-expr: num_fields}
    instances:
      end: {value: 0, -wireloom: {variable: true}}
      size: {value: end, -wireloom: {sets: '_root.sizes[_parent.local]'}}
  field:
    seq:
      - {id: number, type: u1}
      - {id: size, type: u1}
      - {id: base, type: u1}
    instances:
      end: {value: _parent.end + size, -wireloom: {sets: _parent.end}}
