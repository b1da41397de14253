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
        selectable: [size, codec, sync]
      metadata:
        doc: The entries of the header, among them the schema.
        rows: metadata.entries
        columns: [key, value]
doc: |
  A header with the schema, then blocks of objects, each with their number, their size, and after them a marker of 16
  bytes that the header has as well. The content of blocks is compressed with the codec that the header names.

  `data` is what a block decompresses to: its objects, one after the other, as the schema says. Readers of Avro take them
  by the schema, which is the entry `avro.schema` of the table `metadata`.

  Where the marker after a block is wrong, its bytes or its size are damaged; the next block follows the next marker.
doc-ref: https://avro.apache.org/docs/1.12.0/specification/#object-container-files
seq:
  - id: magic
    contents: [0x4f, 0x62, 0x6a, 1]
    doc: The text Obj and the version of the format.
  - id: metadata
    type: 'metadata(_index == 0 ? 0 : metadata[_index - 1].codec)'
    repeat: until
    repeat-until: _.count.value == 0
    doc: The entries, in blocks of their own; the last one is empty.
  - id: sync
    size: 16
    doc: The marker of the file, bytes by chance.
  - id: blocks
    type: block
    repeat: eos
    doc: The blocks, to the end of the file.
instances:
  codec:
    value: metadata.last.codec
    doc: The codec of all blocks; without one in the metadata they are not compressed.
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
    seq:
      - id: count
        type: long
        doc: How many entries there are; negative, if their size stands in front of them.
      - id: size
        type: long
        if: count.value < 0
        doc: Bytes of the entries.
      - id: entries
        type: 'entry(_index == 0 ? codec_before : entries[_index - 1].codec)'
        repeat: expr
        repeat-expr: 'count.value < 0 ? -count.value : count.value'
        doc: The entries.
    instances:
      codec:
        value: 'count.value == 0 ? codec_before : entries.last.codec'
        doc: The codec as far as it is known after these entries.
  entry:
    doc: An entry of the header.
    params:
      - id: codec_before
        type: u1
        doc: The codec that an entry before this one names.
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
enums:
  codecs: {0: 'null', 1: deflate, 2: snappy, 3: bzip2, 4: xz, 5: zstandard}
