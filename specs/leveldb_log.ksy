meta:
  id: leveldb_log
  title: Log of LevelDB and RocksDB
  application: [LevelDB, RocksDB, Pebble]
  file-extension: log
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  -wireloom:
    rows: blocks.records
    columns: [data]
    selectable: [kind, log_number]
    fragments:
      kind: kind
      data: data
      full: [1, 5]
      first: [2, 6]
      middle: [3, 7]
      last: [4, 8]
      skip: [9, 10, 11, 130, 131]
      block: 32768
    max-record: 1073741824
doc: |
  The write-ahead log of LevelDB and of the stores that come from it, also their MANIFEST: blocks of 32 KiB. A record
  that does not fit into the rest of a block is written in pieces.

  A record of a write-ahead log is a batch of changes: a sequence number, how many there are, and each with its kind, key
  and value. In a MANIFEST it is an edit of the version.

  RocksDB writes kinds 5 to 8, with the number of the log, into files that it uses again: what is left of the old log
  after the new one has another `log_number`. Its records of other kinds are about the log itself and have no rows. With
  `wal_compression` the data is compressed.
doc-ref: https://github.com/google/leveldb/blob/main/doc/log_format.md
seq:
  - id: blocks
    type: block
    size: '_io.size - _io.pos < 32768 ? _io.size - _io.pos : 32768'
    repeat: eos
    doc: The blocks; only the last one may be shorter.
types:
  block:
    doc: A block of 32 KiB.
    seq:
      - id: records
        type: record
        repeat: until
        repeat-until: '_io.size == 32768 ? _io.size - _io.pos < (_.is_recyclable ? 11 : 7) : _io.eof'
        doc: Pieces of records, as long as there is space for the header of another one.
      - id: padding
        size-eos: true
        doc: Zeros.
  record:
    doc: A record, or a piece of one.
    seq:
      - id: crc
        type: u4
        doc: Masked CRC-32C of all that follows `len_data`.
        -wireloom:
          checksum: {algorithm: crc32c, over: [kind, data], stored: (_ >> 15 | _ << 17) + 0xa282ead8}
      - id: len_data
        type: u2
        doc: Size of `data` in bytes.
      - id: kind
        type: u1
        valid: {min: 1}
        doc: Whether it is all of a record (1, 5), or its first (2, 6), a middle (3, 7) or its last piece (4, 8).
      - id: log_number
        type: u4
        if: is_recyclable
        doc: Number of the log to which it belongs, in RocksDB's kinds 5 to 8.
      - id: data
        size: len_data
        doc: The record; in a piece, a part of it.
    instances:
      is_recyclable:
        value: kind >= 5 and kind <= 8 or kind == 11 or kind == 131
        doc: Whether the number of the log is there.
