meta:
  id: mysql_binlog
  title: Binary log of MySQL and MariaDB
  application: [MySQL, MariaDB, Percona Server]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  -wireloom:
    rows: events
    columns: [timestamp, type, server_id, event_size, log_pos, flags, data]
    selectable: [crc]
    max-record: 1073741824
doc: |
  The log of changes that a server of MySQL (version 5.0 and later) or MariaDB writes for its replicas and for
  recovery: events, one after the other.

  The first event describes the others. It says whether each of them ends with a checksum, which is verified and is not
  part of `data`; the checksum of this event itself does not hold while the server writes the file (bit 0 of its
  `flags`), and is not verified then. What `data` holds depends on the type; compressed events and rows are as they are
  in the file.

  A server writes a new file when it starts, and when a file has become too large; its last event names the next file.
doc-ref: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_replication_binlog_event.html
seq:
  - id: magic
    contents: [0xfe, bin]
    doc: A byte and the text bin.
  - id: events
    type: event
    repeat: eos
    doc: The events, to the end of the file.
instances:
  first_size:
    pos: 13
    type: u4
    doc: Size of the first event, which describes the format.
  first_algorithm:
    pos: 4 + first_size - 5
    type: u1
    doc: How the checksums of the events are computed, if the first event says that.
  algorithm:
    value: 'first_size > 108 ? first_algorithm : 0'
    doc: How they are computed. Servers before 5.6.1, and MariaDB's before 5.3, know fewer types of events.
types:
  event:
    doc: An event.
    seq:
      - id: timestamp
        type: u4
        doc: When the statement began; 0 in events that the server makes up.
        -wireloom: {timestamp: s}
      - id: type
        type: u1
        enum: types
        doc: What kind of event it is.
        -wireloom: {labels: true}
      - id: server_id
        type: u4
        doc: Number of the server on which the event came about.
      - id: event_size
        type: u4
        valid: {min: 19}
        doc: Size of the event in bytes.
      - id: log_pos
        type: u4
        doc: Where the next event begins in the log in which this one was first written.
      - id: flags
        type: u2
        doc: Bits, 1 in the first event of a file that is in use, 0x20 in events that the server made up for a replica.
      - id: data
        size: 'event_size - (has_crc ? 23 : 19)'
        doc: What the event says.
      - id: crc
        type: u4
        if: has_crc and not is_in_use
        doc: CRC-32 of all bytes before it.
        -wireloom: {checksum: {algorithm: crc32, over: [timestamp, data]}}
      - id: crc_in_use
        type: u4
        if: has_crc and is_in_use
        doc: The CRC-32 that the event will have when the file is closed.
    instances:
      has_crc:
        value: 'type == types::format_description ? event_size > 108 : _root.algorithm == 1'
      is_in_use:
        value: type == types::format_description and flags & 1 != 0
enums:
  types:
    1: start_v3
    2: query
    3: stop
    4: rotate
    5: intvar
    6: load
    7: slave
    8: create_file
    9: append_block
    10: exec_load
    11: delete_file
    12: new_load
    13: rand
    14: user_var
    15: format_description
    16: xid
    17: begin_load_query
    18: execute_load_query
    19: table_map
    20: pre_ga_write_rows
    21: pre_ga_update_rows
    22: pre_ga_delete_rows
    23: write_rows_v1
    24: update_rows_v1
    25: delete_rows_v1
    26: incident
    27: heartbeat
    28: ignorable
    29: rows_query
    30: write_rows
    31: update_rows
    32: delete_rows
    33: gtid_log
    34: anonymous_gtid
    35: previous_gtids
    36: transaction_context
    37: view_change
    38: xa_prepare
    39: partial_update_rows
    40: transaction_payload
    41: heartbeat_v2
    42: gtid_tagged_log
    160: annotate_rows
    161: binlog_checkpoint
    162: gtid
    163: gtid_list
    164: start_encryption
    165: query_compressed
    166: write_rows_compressed_v1
    167: update_rows_compressed_v1
    168: delete_rows_compressed_v1
    169: write_rows_compressed
    170: update_rows_compressed
    171: delete_rows_compressed
