meta:
  id: mysql_gtids
  title: Identifiers of transactions in MySQL's binary logs
  application: [MySQL, MariaDB, Percona Server]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
doc: |
  What the events with identifiers of transactions contain: each type is the data of an event, without its header and
  checksum.
doc-ref: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_replication_binlog_event.html
types:
  gtid:
    doc: The beginning of a transaction, or a statement of its own, of MariaDB.
    seq:
      - {id: seq_no, type: u8, doc: Number of the transaction in its domain.}
      - {id: domain_id, type: u4, doc: The domain of replication.}
      - {id: flags, type: u1, doc: 'Bits, which say among others what follows.'}
      - {id: commit_id, type: u8, if: flags & 2 != 0, doc: Those that were committed together have the same.}
      - {id: xa, type: xa, if: flags & 192 != 0, doc: Names of a distributed transaction.}
      - {id: more_flags, type: u1, if: not _io.eof, doc: 'Bits, which say what follows.'}
      - {id: engines, type: u1, if: has_more and more_flags & 1 != 0, doc: 'How many other engines took part.'}
      - {id: alter_seq_no, type: u8, if: has_more and more_flags & 12 != 0, doc: The transaction that began the alteration.}
      - {id: unused, size: '_io.pos < 19 ? 19 - _io.pos : 0', doc: Zeros up to the least size.}
    instances:
      has_more: {value: 'flags & 192 == 0 ? _io.size > (flags & 2 == 0 ? 13 : 21) : _io.size > (flags & 2 == 0 ? 13 : 21) + 6 + xa.len_global + xa.len_branch',
        doc: Whether `more_flags` are there.}
  xa:
    doc: Names of a distributed transaction.
    seq:
      - {id: format, type: u4, doc: The format of the names.}
      - {id: len_global, type: u1, doc: Size of the first one.}
      - {id: len_branch, type: u1, doc: Size of the second one.}
      - {id: names, size: len_global + len_branch, doc: The names.}
  gtid_list:
    doc: The last transaction of each domain and server of MariaDB.
    -wireloom: {trailing-bytes: refuse}
    seq:
      - {id: count, type: u4, doc: 'How many there are, and flags in bits 28 to 31.'}
      - {id: items, size: (count & 0xfffffff) * 16, doc: 'Domain, server and number of each.'}
      - {id: unused, size: '_io.pos == 4 and _io.size == 6 ? 2 : 0', doc: Zeros in an empty list.}
  previous_gtids:
    doc: The transactions of MySQL in the files before.
    -wireloom: {trailing-bytes: refuse}
    seq:
      - {id: num_sources, type: u8, doc: 'How many servers there are; in the highest byte, the format of the set.'}
      - {id: sources, type: gtid_source, repeat: expr, repeat-expr: num_sources, if: num_sources >> 56 == 0,
        doc: By server.}
      - {id: tagged, size-eos: true, if: num_sources >> 56 != 0, doc: A set with tags.}
  gtid_source:
    doc: Transactions of a server.
    seq:
      - {id: source, size: 16, doc: The UUID of the server.}
      - {id: num_intervals, type: u8, doc: How many intervals there are.}
      - {id: intervals, size: num_intervals * 16, doc: 'Begin and end of each.'}
