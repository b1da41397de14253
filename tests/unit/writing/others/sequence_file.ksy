meta:
  id: sequence_file
  endian: be
  -wireloom:
    rows: records
    parent-columns: [marker]
    columns: [len, sync, key, value]
seq:
  - {id: magic, contents: SEQ}
  - {id: version, type: u1, -wireloom: {default: 6}}
  - {id: key_class, type: 'text("org.apache.hadoop.io.IntWritable")'}
  - {id: value_class, type: 'text("org.apache.hadoop.io.Text")'}
  - {id: is_compressed, type: u1, -wireloom: {default: 0}}
  - {id: is_block, type: u1, -wireloom: {default: 0}}
  - {id: num_metadata, type: u4, -wireloom: {default: 0}}
  - {id: marker, size: 16, -wireloom: {default: {random: 16}}}
  - {id: records, type: record, repeat: eos}
types:
  text:
    params: [{id: name, type: str}]
    seq:
      - {id: len, type: vint}
      - {id: text, size: len.value, type: str, encoding: UTF-8, -wireloom: {default: name}}
  vint:
    seq:
      - {id: first, type: s1, -wireloom: {default: 'value < 128 ? value : value < 256 ? -113 : -114'}}
      - {id: one, type: u1, if: first == -113}
      - {id: two, type: u2, if: first == -114}
    instances:
      value: {value: 'first == -113 ? one : first == -114 ? two : first'}
  record:
    seq:
      - {id: len, type: s4}
      - {id: sync, size: 16, if: len == -1}
      - {id: len_key, type: u4, if: len != -1}
      - {id: key, size: len_key, if: len != -1}
      - {id: value, size: len - len_key, if: len != -1}
