meta:
  id: avro_blocks
  title: Avro object container file
  application: Apache Avro
  file-extension: avro
  license: CC0-1.0
  ks-version: '0.11'
  encoding: UTF-8
  -wireloom:
    tables:
      blocks:
        doc: The blocks, with the bytes of the objects that are in them.
        rows: blocks
        columns: [count, data]
        selectable: [size, codec, schema, sync]
      rows:
        doc: The objects, with the fields of the schema as columns.
        rows: blocks
        columns: [data]
        selectable: [count]
        decode: {data: data, by: avro, schema: schema, count: count}
      metadata:
        doc: The entries of the header, among them the schema.
        rows: metadata.entries
        columns: [key, value]
doc: |
  A header with the schema, then blocks of objects, each with their number, their size, and after them a marker of 16
  bytes that the header has as well. The content of blocks is compressed with the codec that the header names.

  `data` is what a block decompresses to: its objects, one after the other, as the schema says, which is the column
  `schema`. The table `rows` has the objects themselves: its columns are the fields of the schema of the file.

  Writers take the schema and the codec from these columns, and the marker by chance. The schema is not looked at. A file
  without objects is written as one block of none, whose row has the schema.

  Blocks of a codec that is none of those below have no rows, but the reason `unsupported`; the table `metadata` names
  the codec.

  Where the marker after a block is wrong, its bytes or its size are damaged; the next block follows the next marker.
doc-ref: https://avro.apache.org/docs/1.12.0/specification/#object-container-files
seq:
  - id: magic
    contents: [0x4f, 0x62, 0x6a, 1]
    doc: The text Obj and the version of the format.
  - id: metadata
    type: 'metadata(_index == 0 ? 0 : metadata[_index - 1].codec, _index == 0 ? "" : metadata[_index - 1].schema)'
    repeat: until
    repeat-until: _.count.value == 0
    doc: The entries, in blocks of their own; the last one is empty.
    -wireloom:
      default:
        - codec_before: 0
          schema_before: '""'
          entries:
            - {codec_before: 0, schema_before: '""', key: '"avro.schema"', value: 'schema.to_b("UTF-8")'}
            - codec_before: 0
              schema_before: schema
              key: '"avro.codec"'
              value: >-
                (codec == 0 ? "null" : codec == 1 ? "deflate" : codec == 2 ? "snappy" : codec == 3 ? "bzip2"
                : codec == 4 ? "xz" : "zstandard").to_b("ASCII")
        - {codec_before: codec, schema_before: schema, entries: []}
  - id: sync
    size: 16
    doc: The marker of the file, bytes by chance.
    -wireloom: {default: {random: 16}}
  - id: blocks
    type: block
    repeat: eos
    doc: The blocks, to the end of the file.
instances:
  codec:
    value: metadata.last.codec
    doc: The codec of all blocks; without one in the metadata they are not compressed.
    -wireloom: {default: 0}
  schema:
    value: metadata.last.schema
    doc: The schema of all objects, as JSON.
types:
  long:
    doc: A signed integer of 1 to 10 bytes.
    -wireloom: {varint: {order: le, signed: zigzag}}
  metadata:
    doc: Entries of the header.
    params:
      - id: codec_before
        type: u1
        doc: The codec that an entry before these names.
      - id: schema_before
        type: str
        doc: The schema that an entry before these is.
    seq:
      - id: count
        type: long
        doc: How many entries there are; negative, if their size stands in front of them.
        -wireloom: {default: entries.size}
      - id: size
        type: long
        if: count.value < 0
        doc: Bytes of the entries.
      - id: entries
        type: >-
          entry(_index == 0 ? codec_before : entries[_index - 1].codec,
          _index == 0 ? schema_before : entries[_index - 1].schema)
        repeat: expr
        repeat-expr: 'count.value < 0 ? -count.value : count.value'
        doc: The entries.
    instances:
      codec:
        value: 'count.value == 0 ? codec_before : entries.last.codec'
        doc: The codec as far as it is known after these entries.
      schema:
        value: 'count.value == 0 ? schema_before : entries.last.schema'
        doc: The schema, if these entries or others before them have it.
  entry:
    doc: An entry of the header.
    params:
      - id: codec_before
        type: u1
        doc: The codec that an entry before this one names.
      - id: schema_before
        type: str
        doc: The schema that an entry before this one is.
    seq:
      - id: len_key
        type: long
        doc: Size of the key in bytes.
      - id: key
        type: str
        size: len_key.value
        doc: The key; those that begin with `avro.` are Avro's own.
      - id: len_value
        type: long
        doc: Size of the value in bytes.
      - id: value
        size: len_value.value
        doc: The value; the schema is JSON.
    instances:
      name:
        value: value.to_s("ISO-8859-1")
        doc: The value, if it is the name of a codec.
      codec:
        value: >-
          key != "avro.codec" ? codec_before
          : name == "null" ? 0 : name == "deflate" ? 1 : name == "snappy" ? 2 : name == "bzip2" ? 3 : name == "xz" ? 4
          : name == "zstandard" ? 5 : 255
        doc: The codec as far as it is known after this entry.
      schema:
        value: 'key == "avro.schema" ? value.to_s("UTF-8") : schema_before'
        doc: The schema, if this entry or one before it is that.
  block:
    doc: A block of objects.
    seq:
      - id: count
        type: long
        valid: {expr: _.value >= 0}
        doc: How many objects there are.
      - id: size
        type: long
        valid: {expr: _.value >= 0}
        doc: Bytes of the objects in the file, compressed if they are.
      - id: data
        size: size.value
        doc: The objects, decompressed.
        -wireloom:
          codec:
            switch-on: _root.codec
            cases: {0: none, 1: deflate, 2: snappy-crc32, 3: bzip2, 4: xz, 5: zstd}
      - id: sync
        size: 16
        valid: _root.sync
        doc: The marker of the file.
    instances:
      codec:
        value: _root.codec
        enum: codecs
        doc: How the objects are compressed.
        -wireloom: {labels: true}
      schema:
        value: _root.schema
        doc: The schema of the objects, as JSON.
enums:
  codecs: {0: 'null', 1: deflate, 2: snappy, 3: bzip2, 4: xz, 5: zstandard}
