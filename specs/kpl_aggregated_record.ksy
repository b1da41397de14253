meta:
  id: kpl_aggregated_record
  title: Kinesis Producer Library aggregated record
  application: Amazon Kinesis Producer Library
  license: CC0-1.0
  ks-version: '0.11'
  -wireloom:
    # The largest record that a Kinesis stream takes is 10 MiB.
    max-record: 67108864
    message:
      at: message
      # Kinesis' own client looks for an aggregate only in records of 21 bytes and more: 4 + 1 + 16.
      least: 1
      type: aggregated_record
      rows: records
      columns: [partition_key, explicit_hash_key, sub_sequence_number, data, tags, aggregated]
      row-number: sub_sequence_number
      # What is no aggregate is a record of somebody who does not aggregate, and passes through as it is.
      otherwise:
        whole: data
        mark: aggregated
      packing: wireloom.kpl.packing:Packing
      hooks: wireloom.kpl.hash_range:Hooks
doc: |
  A record of a Kinesis stream as the Amazon Kinesis Producer Library writes it, with many records of its users.

  Four fixed bytes are followed by a protobuf message with the records and tables of their keys, and by the MD5
  of the message. A record with another layout was not aggregated: it is a row by itself, with
  `aggregated` false and all of its bytes as `data`.

  All records of an aggregate must belong to one shard: otherwise the client library drops the aggregate. A writer
  makes one aggregate per hash key, or per shard if its option `shards` names them.

  What a reader does in doubt is what the Kinesis Client Library does. A record that names a key beyond its table, or
  whose explicit hash key is no integer, ends its aggregate there: the records before it stay.
doc-ref:
  - https://github.com/awslabs/amazon-kinesis-producer/blob/master/aggregation-format.md
seq:
  - id: magic
    contents: [0xf3, 0x89, 0x9a, 0xc2]
    doc: What every aggregate begins with.
  - id: message
    type: aggregated_record
    size: _io.size - _io.pos - 16
    doc: The records and the tables of their keys.
  - id: digest
    size: 16
    doc: MD5 of `message`.
    -wireloom:
      checksum:
        algorithm: md5
        over: message
types:
  aggregated_record:
    doc: Records, and the tables in which they look up their keys. The tables may also follow the records.
    -wireloom:
      message:
        syntax: proto2
        fields:
          - id: partition_key_table
            number: 1
            type: string
            label: repeated
            doc: Every partition key once, in the order in which records first use them.
          - id: explicit_hash_key_table
            number: 2
            type: string
            label: repeated
            doc: Every explicit hash key once.
          - id: records
            number: 3
            type: record
            label: repeated
            doc: The records of the library's users.
  record:
    doc: A record of a user of the library.
    -wireloom:
      message:
        syntax: proto2
        fields:
          - id: partition_key_index
            number: 1
            type: uint64
            label: required
            doc: Place of its partition key in the table.
          - id: explicit_hash_key_index
            number: 2
            type: uint64
            label: optional
            doc: Place of its explicit hash key, where it has one.
          - id: data
            number: 3
            type: bytes
            label: required
            doc: What the user sent.
          - id: tags
            number: 4
            type: tag
            label: repeated
            doc: What the user attached to it.
    instances:
      # The client library keeps an index in 32 bits.
      partition_key:
        value: _parent.partition_key_table[partition_key_index & 0xffffffff]
        doc: Decides, by its MD5, which shard the record belongs to.
      explicit_hash_key:
        value: _parent.explicit_hash_key_table[explicit_hash_key_index & 0xffffffff]
        doc: A decimal number of 128 bits that decides about the shard in the partition key's place.
        -wireloom:
          text: integer
  tag:
    doc: A name and a value that a user attached to a record.
    -wireloom:
      message:
        syntax: proto2
        fields:
          - id: key
            number: 1
            type: string
            label: required
            doc: The tag's name.
          - id: value
            number: 2
            type: string
            label: optional
            doc: Its value, where it has one.
