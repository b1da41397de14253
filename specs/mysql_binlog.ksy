meta:
  id: mysql_binlog
  title: Binary log of MySQL and MariaDB
  application: [MySQL, MariaDB, Percona Server]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  imports: [mysql_events, mysql_gtids]
  -wireloom:
    max-record: 1073741824
    advice: a file that begins with fd 62 69 6e is encrypted
    tables:
      events:
        doc: All events.
        rows: events
        columns: [timestamp, type, server_id, event_size, log_pos, flags, data]
        selectable: [crc]
      queries:
        doc: |
          Statements. The default database begins in `data` at `ofs_schema`, the statement a byte after its end. That of
          the type `query_compressed` is a byte with the number of bytes of its size in bits 0 to 2, its size
          (big-endian), and a zlib stream.
        rows: events
        where: type == types::query or type == types::query_compressed
        unsupported: &payload type == types::transaction_payload
        columns: [timestamp, server_id, log_pos, thread_id, execution_time, error_code, ofs_schema, len_schema, data, type]
        selectable: [event_size, flags, crc]
      table_maps:
        doc: Tables, by the number that the events with rows after them have; their names and columns are in `data`.
        rows: events
        where: type == types::table_map
        unsupported: *payload
        columns: [timestamp, server_id, log_pos, table_id, data]
        selectable: [type, event_size, flags, crc]
      rows:
        doc: |
          Rows of one table that were written, updated or deleted, as they are in the file: those of the types that end
          with `compressed` begin, after the bits of the columns, like the statements of `query_compressed`.
        rows: events
        where: >-
          type.to_i >= 20 and type.to_i <= 25 or type.to_i >= 30 and type.to_i <= 32 or type == types::partial_update_rows
          or type.to_i >= 166 and type.to_i <= 171
        unsupported: *payload
        columns: [timestamp, type, server_id, log_pos, table_id, row_flags, data]
        selectable: [event_size, flags, crc]
      gtids:
        doc: Global identifiers of MariaDB's transactions.
        rows: events
        where: type == types::gtid
        columns: [timestamp, server_id, log_pos, domain_id, seq_no]
        selectable: [type, event_size, flags, data, crc]
      xids:
        doc: The ends of transactions in storage engines with transactions.
        rows: events
        where: type == types::xid
        unsupported: *payload
        columns: [timestamp, server_id, log_pos, xid]
        selectable: [type, event_size, flags, data, crc]
doc: |
  The log of changes that a server of MySQL (version 5.0 and later) or MariaDB writes for its replicas and for
  recovery: events, one after the other.

  A `format_description` says whether each event after it ends with a checksum, which is verified and is not part of
  `data`. The first event is one; the relay log of a replica has a second one, which came from the source. The
  checksum of a `format_description` itself does not cover bit 0 of its `flags`, which the server sets while it writes
  the file. Events that no description comes before, since the first one is damaged, must have checksums that hold.
  What `data` holds depends on the type; rows and compressed events of MariaDB are as they are in the file.
  Sizes and counts in it must fit it and each other: those of statements, tables, rows and identifiers, and what is
  compressed must have the size that is said. Not looked at are the values of rows, whose sizes depend on the `table_map`
  of their table, and what follows the known fields of an event, which is of newer servers.

  A `transaction_payload` of MySQL (`binlog_transaction_compression`) is one event, which contains those of a transaction
  in compressed form: it is a row of `events`, and `unsupported` damage in the tables that lack its events. Its sizes,
  and those of its events, must fit too.

  Encrypted files are not read.

  A server writes a new file when it starts, and when a file has become too large; its last event names the next file.
doc-ref: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_replication_binlog_event.html
seq:
  - {id: magic, contents: [0xfe, bin], doc: A byte and the text bin.}
  - {id: events, type: event, repeat: eos, doc: 'The events, to the end of the file.'}
instances:
  algorithm: {value: 1, -wireloom: {variable: true}, doc: 'Checksums of the next events: 1 for CRC-32, also before any description; 0 for none.'}
  post_headers: {value: '[0]', -wireloom: {variable: true}, doc: 'The sizes that all descriptions of the format say.'}
  first: {value: 1, -wireloom: {variable: true}, doc: 'Which of them is the first one of the latest description.'}
types:
  event:
    doc: An event.
    seq:
      - {id: timestamp, type: u4, -wireloom: {timestamp: s}, doc: When the statement began; 0 in events that the server makes up.}
      - {id: type, type: u1, enum: types, -wireloom: {labels: true}, doc: What kind of event it is.}
      - {id: server_id, type: u4, doc: Number of the server on which the event came about.}
      - {id: event_size, type: u4, valid: {min: 19}, doc: Size of the event in bytes.}
      - {id: log_pos, type: u4, doc: Where the next event begins in the log in which this one was first written.}
      - {id: flags, type: u2, doc: 'Bits, 1 in the first event of a file that is in use.'}
      - id: data
        size: 'event_size - (has_crc ? 23 : 19)'
        doc: What the event says.
        valid: {expr: not says_algorithm or _.last < 2 or _.last == 255}
      - id: crc
        type: u4
        if: not is_in_use and has_crc
        doc: CRC-32 of all bytes before it.
        -wireloom: {checksum: {algorithm: crc32, over: [timestamp, data]}}
      - id: crc_in_use
        type: u4
        if: is_in_use and has_crc
        doc: The same without bit 0 of `flags`, with which the server marks a file that it writes.
        -wireloom: {checksum: {algorithm: crc32, over: data, continues: crc_of_header ^ 0x191b3141}}
      - id: content
        type:
          switch-on: type
          cases:
            types::query: &query mysql_events::query(len_post_header, is_compressed)
            types::execute_load_query: *query
            types::query_compressed: *query
            types::table_map: mysql_events::table_map(len_post_header)
            types::pre_ga_write_rows: &rows mysql_events::rows(rows_version, is_update, len_post_header, is_compressed)
            types::pre_ga_update_rows: *rows
            types::pre_ga_delete_rows: *rows
            types::write_rows_v1: *rows
            types::update_rows_v1: *rows
            types::delete_rows_v1: *rows
            types::write_rows: *rows
            types::update_rows: *rows
            types::delete_rows: *rows
            types::partial_update_rows: *rows
            types::write_rows_compressed_v1: *rows
            types::update_rows_compressed_v1: *rows
            types::delete_rows_compressed_v1: *rows
            types::write_rows_compressed: *rows
            types::update_rows_compressed: *rows
            types::delete_rows_compressed: *rows
            types::transaction_payload: mysql_events::transaction_payload
            types::format_description: format_description
            types::xid: mysql_events::xid
            types::gtid: mysql_gtids::gtid
            types::gtid_list: mysql_gtids::gtid_list
            types::gtid_log: &gtid_log mysql_events::fixed_fields(25)
            types::anonymous_gtid: *gtid_log
            types::rotate: mysql_events::fixed_fields(8)
            types::intvar: mysql_events::fixed_fields(9)
            types::rand: mysql_events::fixed_fields(16)
            types::begin_load_query: &file mysql_events::fixed_fields(4)
            types::append_block: *file
            types::delete_file: *file
            types::exec_load: *file
            types::start_encryption: mysql_events::fixed_fields(17)
            types::incident: mysql_events::incident
            types::previous_gtids: mysql_gtids::previous_gtids
            types::user_var: mysql_events::user_var
            types::binlog_checkpoint: mysql_events::binlog_checkpoint
        doc: The same, field by field.
        -wireloom: {within: data}
    instances:
      # Servers before 5.6.1, and MariaDB's before 5.3, know fewer types of events, and no checksums.
      says_algorithm:
        value: type == types::format_description and event_size > 108
        doc: Whether it says, in the last byte of `data`, which checksums the events after it have.
      knows_checksums:
        value: >-
          type == types::format_description and (data.size < 57 or data[2] > 0x35 or data[3] != 0x2e
          or data[2] == 0x35 and data[4] > 0x35)
        doc: Whether its server is one that has checksums, by the version, 5.6 or later.
      has_crc: {value: 'type == types::format_description ? says_algorithm : _root.algorithm == 1', doc: Whether it has a checksum.}
      crc_of_header: {-wireloom: {checksum: {algorithm: crc32, over: [timestamp, flags]}}, doc: CRC-32 of what is before the data.}
      is_in_use: {value: 'type == types::format_description and flags & 1 != 0', doc: Whether the server writes the file.}
      next_algorithm:
        value: >-
          type != types::format_description ? _root.algorithm
          : says_algorithm ? data.last : knows_checksums ? _root.algorithm : 0
        doc: Checksums of the events after it.
        -wireloom: {sets: _root.algorithm}
      len_post_header:
        value: >-
          type.to_i > 0 and _root.first + type.to_i <= _root.post_headers.size ? _root.post_headers[_root.first + type.to_i - 1]
          : 0
        doc: Bytes of its fields before those of variable size, by the description of the format; 0 if it does not say.
      rows_version:
        value: 'type.to_i >= 30 and type.to_i <= 39 or type.to_i >= 169 ? 2 : 1'
        doc: Version of an event with rows.
      is_update:
        value: >-
          type == types::pre_ga_update_rows or type == types::update_rows_v1 or type == types::update_rows
          or type == types::partial_update_rows or type == types::update_rows_compressed_v1
          or type == types::update_rows_compressed
        doc: Whether it has rows before and after a change.
      is_compressed: {value: type.to_i >= 165, doc: Whether a statement or rows in it are compressed.}
      thread_id: {value: content.as<mysql_events::query>.thread_id, doc: Number of the connection.}
      execution_time: {value: content.as<mysql_events::query>.execution_time, doc: Seconds that the statement took.}
      len_schema: {value: content.as<mysql_events::query>.len_schema, doc: Size of the default database's name.}
      error_code: {value: content.as<mysql_events::query>.error_code, doc: The error that the statement ended with; 0 if there was none.}
      ofs_schema:
        value: 13 + content.as<mysql_events::query>.more.size + content.as<mysql_events::query>.len_status
        doc: 'Bytes before the name, among them settings.'
      table_id:
        value: data[0] | data[1] << 8 | data[2] << 16 | data[3] << 24 | data[4] << 32 | data[5] << 40
        doc: Number of the table.
      row_flags: {value: 'data[6] | data[7] << 8', doc: 'Bits, 1 in the last event of a statement.'}
      seq_no: {value: content.as<mysql_gtids::gtid>.seq_no, doc: Number of the transaction in its domain.}
      domain_id: {value: content.as<mysql_gtids::gtid>.domain_id, doc: The domain of replication.}
      xid: {value: content.as<mysql_events::xid>.number, doc: Number of the transaction in the server.}
  format_description:
    doc: The layout of the events after it.
    seq:
      - {id: binlog_version, type: u2, doc: 4 since MySQL 5.0.}
      - id: server_version
        size: 50
        valid: {expr: _parent.says_algorithm or not _parent.knows_checksums}
        doc: Version of the server, and zeros.
      - {id: create_timestamp, type: u4, doc: When the server started; 0 in files that it began later.}
      - {id: len_header, type: u1, valid: 19, doc: Bytes of an event before its data.}
      - id: post_headers
        type: post_header
        repeat: expr
        repeat-expr: '_io.size - 57 - (_parent.says_algorithm ? 1 : 0)'
        doc: For each type of event, from 1 on.
    instances:
      first: {value: _root.post_headers.size, -wireloom: {sets: _root.first}}
  post_header:
    doc: The fixed part of an event's data.
    seq: [{id: len, type: u1, doc: Bytes of the part.}]
    instances: {known: {value: len, -wireloom: {sets: _root.post_headers}}}
enums:
  types:
    {
      1: start_v3, 2: query, 3: stop, 4: rotate, 5: intvar, 6: load, 7: slave, 8: create_file, 9: append_block,
      10: exec_load, 11: delete_file, 12: new_load, 13: rand, 14: user_var, 15: format_description, 16: xid,
      17: begin_load_query, 18: execute_load_query, 19: table_map, 20: pre_ga_write_rows, 21: pre_ga_update_rows,
      22: pre_ga_delete_rows, 23: write_rows_v1, 24: update_rows_v1, 25: delete_rows_v1, 26: incident,
      27: heartbeat, 28: ignorable, 29: rows_query, 30: write_rows, 31: update_rows, 32: delete_rows,
      33: gtid_log, 34: anonymous_gtid, 35: previous_gtids, 36: transaction_context, 37: view_change,
      38: xa_prepare, 39: partial_update_rows, 40: transaction_payload, 41: heartbeat_v2, 42: gtid_tagged_log,
      160: annotate_rows, 161: binlog_checkpoint, 162: gtid, 163: gtid_list, 164: start_encryption,
      165: query_compressed, 166: write_rows_compressed_v1, 167: update_rows_compressed_v1,
      168: delete_rows_compressed_v1, 169: write_rows_compressed, 170: update_rows_compressed,
      171: delete_rows_compressed,
    }
