meta:
  id: etcd_wal
  title: Write-ahead log of etcd
  application: etcd
  file-extension: wal
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  -wireloom:
    preallocated: {sector: 512, header: 8}
    tables:
      entries:
        doc: Entries of the Raft log. A later entry with the same index takes the place of an earlier one and of all after that.
        rows: frames.entry
        columns: [term, index, type, data]
      records:
        doc: All records as they are written.
        rows: frames
        columns: [type, crc, data]
        selectable: [len_record, len_padding]
      states:
        doc: "The state that Raft keeps on disk (`HardState`); the last one counts."
        rows: frames.state
        columns: [term, vote, commit]
      snapshots:
        doc: Snapshots that have been taken; those themselves are files of their own.
        rows: frames.snapshot
        columns: [index, term]
      metadata:
        doc: What is said about the log as a whole, once in each file; of etcd the numbers of the member and its cluster.
        rows: frames
        where: record.type == 1
        columns: [data]
doc: |
  A segment of the write-ahead log of etcd: `SEQUENCE-INDEX.wal`, where `SEQUENCE` is the number of the segment and
  `INDEX` that of its first entry, both in hexadecimal digits.

  Each record is a protobuf message after a number with its length, and is padded to 8 bytes. Its CRC-32C is that of the
  data of all records so far, those of earlier segments too. So a segment begins with a record that has the CRC
  at the end of the one before.

  Segments are allocated before they are written, with 64 MB of zeros, and end where these begin. If the last record
  does not hold and has a sector of 512 bytes that are all zeros, it was not written to its end, and is none.

  A segment has no split points, since each checksum continues the one before; with 64 MB it is no more than a task reads.
doc-ref: https://github.com/etcd-io/etcd/tree/main/server/storage/wal
seq:
  - {id: frames, type: frame, repeat: eos, doc: The records with their lengths.}
types:
  frame:
    doc: A record, with the length before it and the padding after it.
    seq:
      - id: frame_size
        type: u8
        valid: {expr: '_ > 0 and (len_padding == 0 or (len_record + len_padding) % 8 == 0)'}
        doc: The length of the record; in the highest byte, if there is padding, 128 and the length of that.
      - {id: record, type: record, size: len_record, doc: The record.}
      - id: padding
        size: len_padding
        valid: {expr: record.type >= 1 and record.type <= 5}
        doc: Zeros. Records of other types are refused here, as by etcd, since their lengths come first.
      - {id: entry, type: entry, if: 'record.type == 2', doc: 'The data of an entry.', -wireloom: {within: record.data}}
      - {id: state, type: hard_state, if: 'record.type == 3', doc: 'The data of a state.', -wireloom: {within: record.data}}
      - {id: snapshot, type: snapshot, if: 'record.type == 5', doc: 'The data of a snapshot.', -wireloom: {within: record.data}}
    instances:
      len_record: {value: frame_size & 0xffffffffffffff, doc: Length of the record in bytes.}
      len_padding: {value: 'frame_size >> 63 == 1 ? frame_size >> 56 & 7 : 0', doc: Length of the padding in bytes.}
      type: {value: record.type, doc: "What the record is: metadata (1), an entry (2), a state (3), a CRC (4), a snapshot (5)."}
      crc: {value: record.crc, doc: CRC-32C of the data of all records so far.}
      data: {value: record.data, doc: The bytes of the record.}
  record:
    doc: A record (`walpb.Record`).
    -wireloom:
      message:
        fields:
          - {id: type, number: 1, type: int64, doc: What the record is.}
          - id: crc
            number: 2
            type: uint32
            checksum: {algorithm: crc32c, over: data, continues: 'type == 4 and _ == 0 ? crc : _'}
            doc: CRC-32C of the data of all records so far. In a record that is only a CRC, what the log goes on from.
          - {id: data, number: 3, type: bytes, doc: What the record contains.}
  entry:
    doc: An entry of the Raft log (`raftpb.Entry`).
    -wireloom:
      message:
        fields:
          - {id: type, number: 1, type: int32, doc: "A request (0), or a change of the members (1, 2)."}
          - {id: term, number: 2, type: uint64, doc: The term in which it was made.}
          - {id: index, number: 3, type: uint64, doc: Its number.}
          - {id: data, number: 4, type: bytes, doc: "A request, or a change of the members, as a message; empty where a leader begins its term."}
  hard_state:
    doc: What a member must not forget (`raftpb.HardState`).
    -wireloom:
      message:
        fields:
          - {id: term, number: 1, type: uint64, doc: The latest term.}
          - {id: vote, number: 2, type: uint64, doc: The member that got this one's vote in that term.}
          - {id: commit, number: 3, type: uint64, doc: The latest entry that is committed.}
  snapshot:
    doc: A snapshot that was taken (`walpb.Snapshot`).
    -wireloom:
      message:
        fields:
          - {id: index, number: 1, type: uint64, doc: The last entry that it has.}
          - {id: term, number: 2, type: uint64, doc: The term of that entry.}
          - {id: conf_state, number: 3, type: conf_state, doc: "The members; not before etcd 3.5."}
  conf_state:
    doc: The members of a cluster (`raftpb.ConfState`).
    -wireloom:
      message:
        fields:
          - {id: voters, number: 1, type: uint64, label: repeated, packed: false, doc: Members that vote.}
          - {id: learners, number: 2, type: uint64, label: repeated, packed: false, doc: Members that do not vote.}
          - {id: voters_outgoing, number: 3, type: uint64, label: repeated, packed: false, doc: Members that vote until a change of the members is complete.}
          - {id: learners_next, number: 4, type: uint64, label: repeated, packed: false, doc: Members that do not vote any more after that.}
          - {id: auto_leave, number: 5, type: bool, doc: Whether the change is completed by itself.}
