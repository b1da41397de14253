meta:
  id: ros_bag
  endian: le
  -wireloom:
    rows: records
    columns: [header, data]
seq:
  - {id: magic, contents: "#ROSBAG V2.0\n"}
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: len_header, type: u4}
      - {id: header, type: header, size: len_header}
      - {id: len_data, type: u4}
      - id: data
        size: len_data
        type:
          switch-on: 'header.fields.has("op") ? header.fields["op"][0] : 0'
          cases: {5: chunk, 7: connection}
  inner:
    seq:
      - {id: len_header, type: u4}
      - {id: header, type: header, size: len_header}
      - {id: len_data, type: u4}
      - {id: data, size: len_data}
  header:
    seq:
      - {id: items, type: field, repeat: eos}
    instances:
      fields: {-wireloom: {variable: {keys: text, values: bytes}}}
  field:
    seq:
      - {id: len, type: u4}
      - {id: pair, type: pair, size: len}
  pair:
    seq:
      - {id: name, type: str, terminator: 0x3d, encoding: UTF-8}
      - {id: value, size-eos: true}
    instances:
      found: {value: value, -wireloom: {sets: '_parent._parent.fields[name]'}}
  chunk:
    seq:
      - {id: records, type: inner, repeat: eos}
  connection:
    seq:
      - {id: about, type: header, size-eos: true}
