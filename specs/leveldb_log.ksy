meta:
  id: leveldb_log
  title: Log of LevelDB and RocksDB
  application: [LevelDB, RocksDB, Pebble]
  file-extension: log
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  -wireloom:
    tables:
      records:
        doc: The records.
        rows: blocks.records
        columns: [data]
        selectable: [kind, log_number, compression, synced_offset]
        fragments:
          kind: piece
          data: data
          full: 1
          first: 2
          middle: 3
          last: 4
          skip: [9, 10, 11, 130, 131]
          log: log_number
          block: 32768
          codec: {switch-on: compression, cases: {0: none, 7: zstd}}
      changes:
        doc: The changes that a write-ahead log is about, of which a record has a batch.
        rows: blocks.records.data.as<batch>.updates.changes
        unit: blocks.records
        columns: [sequence, type, column_family, key, value]
        selectable: [xid, tag, num_updates]
    max-record: 1073741824
    preallocated: true
doc: |
  The write-ahead log of LevelDB and of the stores that come from it, also their MANIFEST: blocks of 32 KiB. A record
  that does not fit into the rest of a block is written in pieces.

  A record of a write-ahead log is a batch of changes, which have a table of their own. In a MANIFEST it is an edit of
  the version.

  RocksDB and Pebble write kinds 5 to 8, and Pebble also 9 to 12, with the number of the log, into files that they use
  again. Numbers only grow: the log of the file has the largest one of its first block. It ends with its last valid
  piece, or with a damaged one whose header has its number. What follows is left of an older log, or the trailer with
  which Pebble ends a log, and has neither rows nor damage. Whatever is between two pieces of the log is damage, also
  valid pieces of an older log. If pieces of a newer log follow, they are rows, and damage is reported before them.
  Records of other kinds are about the log itself and have no rows.
  With `wal_compression` one of them, at the beginning, says that the others are compressed.

  Zeros from the end of a record to the end of the file are space that was allocated and not written. LevelDB's and
  RocksDB's readers skip a header of zeros, with the rest of its block, without a report, Pebble's ends there. Zeros
  before other records are reported here.
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
        repeat-until: '_io.size == 32768 ? _io.size - _io.pos < _.len_header : _io.eof'
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
        -wireloom: {default: data.size}
      - id: kind
        type: u1
        valid: {min: 1}
        doc: >-
          Whether it is all of a record (1, 5, 9), or its first (2, 6, 10), a middle (3, 7, 11) or its last piece (4, 8,
          12). Kinds from 9 on that are not of this form are about RocksDB's log itself.
        -wireloom: {default: piece}
      - {id: rest_at_full, type: rest, if: kind == 9, doc: What follows.}
      - {id: rest_at_first, type: rest, if: kind == 10, doc: What follows.}
      - id: log_number
        type: u4
        if: is_recyclable
        doc: Number of the log to which it belongs, in RocksDB's kinds 5 to 8 and in those of Pebble.
      - id: synced_offset
        type: u8
        if: is_wal_sync
        doc: Offset up to which Pebble's log had reached the disk before.
      - id: compression
        type: u4
        if: len_compression > 0
        doc: How RocksDB compresses the records after this one; 7 is zstd.
      - id: data
        size: len_data - len_compression
        doc: The record; in a piece, a part of it.
    instances:
      is_wal_sync:
        value: >-
          kind == 9 ? len_data != 4 or rest_at_full.size + 7 < _io.size
          : kind == 10 ? rest_at_first.size == 12 + len_data : kind == 11 ? len_data == 32749 : kind == 12
        doc: >-
          Whether it is a chunk of Pebble's "WAL sync" format. RocksDB has kinds 9 to 11 too: a log may begin with one of
          4 bytes that names the compression, and others list the sizes of timestamps, 6 bytes each, while a first or
          middle piece fills its block.
      is_recyclable:
        value: is_wal_sync or kind >= 5 and kind <= 8 or kind == 11 or kind == 131
        doc: Whether the number of the log is there.
      len_header:
        value: 'is_wal_sync ? 19 : is_recyclable ? 11 : 7'
        doc: Bytes before `data` (and `compression`); what is left of a block is zeros if it has fewer.
      piece:
        value: 'is_wal_sync ? kind - 8 : kind >= 5 and kind <= 8 ? kind - 4 : kind'
        doc: 'The same of all forms: all of a record (1), its first (2), a middle (3) or its last piece (4).'
      len_compression:
        value: 'kind == 9 and not is_wal_sync ? 4 : 0'
        doc: Size of `compression`.
  rest:
    doc: The rest of a block after the kind of a record.
    instances:
      size: {value: _io.size - _io.pos, doc: Its size in bytes.}
  varint:
    -wireloom: {varint: le}
  batch:
    doc: Changes that are made together.
    seq:
      - {id: first_sequence, type: u8, doc: Sequence number of the first change.}
      - {id: num_updates, type: u4, doc: How many sequence numbers the changes take.}
      - id: updates
        type: update(_index)
        if: num_updates > 0 or not _io.eof
        repeat: until
        repeat-until: _io.eof and _index + 1 >= num_updates
        doc: The changes, by their sequence numbers; marks may follow the last one.
  update:
    doc: What has one sequence number; a change, after anything else.
    params:
      - {id: index, type: s4, doc: Number in the batch.}
    seq:
      - id: changes
        type: change
        repeat: until
        repeat-until: _.has_key or (_io.eof and index >= _parent.num_updates)
        doc: What is there.
  change:
    doc: A change, or a mark between changes.
    seq:
      - id: tag
        type: u1
        valid: {expr: _ <= 25 and _ != 20}
        doc: What it is. RocksDB has tags of their own for changes of a column family that is not the default one.
      - {id: family, type: varint, if: has_column_family, doc: 'Number of the column family, with such a tag.'}
      - id: len_key
        type: varint
        if: has_key
        valid: {expr: _parent.index < _parent._parent.num_updates}
        doc: Size of the key. There are as many of them as `num_updates` says.
      - {id: key, size: len_key.value, if: has_key, doc: 'The key; of a range, the first one.'}
      - {id: len_value, type: varint, if: has_value, doc: Size of the value.}
      - id: value
        size: len_value.value
        if: has_value
        doc: The value; of a range that is deleted, the key at which it ends; of log_data, these data.
      - {id: len_xid, type: varint, if: has_xid, doc: Size of the name.}
      - {id: xid, size: len_xid.value, if: has_xid, doc: 'Name of a transaction, in marks of it.'}
    instances:
      has_column_family:
        value: tag >= 4 and tag <= 6 or tag == 8 or tag == 14 or tag == 16 or tag == 23 or tag == 25
      has_key:
        value: tag <= 2 or tag >= 4 and tag <= 8 or tag >= 14 and tag <= 17 or tag >= 22
      has_value:
        value: tag != 0 and tag != 4 and tag != 7 and tag != 8 and has_key or tag == 3 or tag == 21
      has_xid:
        value: tag >= 10 and tag <= 12 or tag == 21
      column_family:
        value: 'has_column_family ? family.value : 0'
        if: has_key
        doc: Number of the column family; 0 is the default one, and the only one of LevelDB.
      sequence:
        value: _parent._parent.first_sequence + _parent.index
        doc: Sequence number of the change; of a mark, that of the change after it.
      type:
        value: >-
          tag >= 4 and tag <= 6 ? tag - 4 : tag == 8 ? 7 : tag == 14 ? 15 : tag == 16 ? 17 : tag == 23 ? 22
          : tag == 25 ? 24 : tag
        enum: types
        doc: What it is, whatever the column family.
        -wireloom: {labels: true}
enums:
  types:
    0: delete
    1: put
    2: merge
    3: log_data
    7: single_delete
    9: begin_prepare
    10: end_prepare
    11: commit
    12: rollback
    13: noop
    15: delete_range
    17: blob_index
    18: begin_persisted_prepare
    19: begin_unprepare
    21: commit_with_timestamp
    22: wide_column_entity
    24: put_preferred_seqno
