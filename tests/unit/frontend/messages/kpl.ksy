meta:
  id: kpl
  title: Aggregated record of the Kinesis Producer Library
  -wireloom:
    message:
      at: message
      least: 1
      framing: whole
      packing: wireloom.kpl:Packing
      hooks: wireloom.kpl:Hooks
      type: aggregated_record
      rows: records
      columns: [partition_key, explicit_hash_key, sub_sequence_number, data, tags, aggregated]
      selectable: [partition_key_index, explicit_hash_key_index, partition_key_table]
      row-number: sub_sequence_number
      otherwise: {whole: data, mark: aggregated}
seq:
  - {id: magic, contents: [0xf3, 0x89, 0x9a, 0xc2]}
  - {id: message, type: aggregated_record, size: _io.size - 20}
  - id: digest
    size: 16
    -wireloom: {checksum: {algorithm: md5, over: message}}
types:
  aggregated_record:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: partition_key_table, number: 1, type: string, label: repeated}
          - {id: explicit_hash_key_table, number: 2, type: string, label: repeated}
          - {id: records, number: 3, type: record, label: repeated}
  record:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: partition_key_index, number: 1, type: uint64, label: required}
          - {id: explicit_hash_key_index, number: 2, type: uint64}
          - {id: data, number: 3, type: bytes, label: required}
          - {id: tags, number: 4, type: tag, label: repeated}
    instances:
      partition_key:
        value: _parent.partition_key_table[partition_key_index & 0xffffffff]
      explicit_hash_key:
        value: _parent.explicit_hash_key_table[explicit_hash_key_index & 0xffffffff]
        -wireloom:
          text: integer
  tag:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: key, number: 1, type: string, label: required}
          - {id: value, number: 2, type: string}
