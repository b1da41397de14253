meta:
  id: mysql_binlog
  title: Binary log of MySQL and MariaDB
  application: [MySQL, MariaDB, Percona Server]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
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
          Statements. The default database begins in `data` at `ofs_schema`, the statement a byte after its end; that of
          the type `query_compressed` as a byte with the number of bytes of its size in bits 0 to 2, its size
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
  `data`. The first event is one; the relay log of a replica has a second one, which came from the source. The checksum
  of a `format_description` itself does not hold while the server writes the file (bit 0 of its `flags`), and is not
  verified then. What `data` holds depends on the type; rows and compressed events of MariaDB are as they are in the file.
  Sizes and counts in it must fit it and each other: those of statements, tables, rows and identifiers. What follows the
  known fields of an event is of newer servers, and is not looked at.

  A `transaction_payload` of MySQL (`binlog_transaction_compression`) is one event, which contains those of a transaction
  in compressed form: it is a row of `events`, and `unsupported` damage in the tables that lack its events.

  Encrypted files are not read.

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
  algorithm: {value: 0, -wireloom: {variable: true}, doc: 'Checksums of the next events: 1 for CRC-32, 0 for none.'}
  post_headers: {value: '[0]', -wireloom: {variable: true}, doc: 'The sizes that all descriptions of the format say.'}
  first: {value: 1, -wireloom: {variable: true}, doc: 'Which of them is the first one of the latest description.'}
types:
  event:
    doc: An event.
    seq:
      - id: timestamp
        type: u4
        doc: When the statement began; 0 in events that the server makes up.
        -wireloom: {timestamp: s}
      - {id: type, type: u1, enum: types, -wireloom: {labels: true}, doc: What kind of event it is.}
      - {id: server_id, type: u4, doc: Number of the server on which the event came about.}
      - {id: event_size, type: u4, valid: {min: 19}, doc: Size of the event in bytes.}
      - {id: log_pos, type: u4, doc: Where the next event begins in the log in which this one was first written.}
      - {id: flags, type: u2, doc: 'Bits, 1 in the first event of a file that is in use.'}
      - id: data
        size: 'event_size - (has_crc ? 23 : 19)'
        doc: What the event says.
        valid:
          expr: not says_algorithm or _.last < 2 or _.last == 255
      - id: crc
        type: u4
        if: has_crc and not is_in_use
        doc: CRC-32 of all bytes before it.
        -wireloom: {checksum: {algorithm: crc32, over: [timestamp, data]}}
      - id: unverified
        size: 'has_crc and is_in_use ? 4 : 0'
        doc: The CRC-32 that a `format_description` will have when the file is closed.
      - id: content
        type:
          switch-on: type
          cases:
            types::query: query
            types::execute_load_query: query
            types::query_compressed: query
            types::table_map: table_map
            types::pre_ga_write_rows: &rows rows(1, false)
            types::write_rows_v1: *rows
            types::delete_rows_v1: *rows
            types::pre_ga_delete_rows: *rows
            types::write_rows_compressed_v1: *rows
            types::delete_rows_compressed_v1: *rows
            types::pre_ga_update_rows: &updates rows(1, true)
            types::update_rows_v1: *updates
            types::update_rows_compressed_v1: *updates
            types::write_rows: &rows_v2 rows(2, false)
            types::delete_rows: *rows_v2
            types::write_rows_compressed: *rows_v2
            types::delete_rows_compressed: *rows_v2
            types::update_rows: &updates_v2 rows(2, true)
            types::partial_update_rows: *updates_v2
            types::update_rows_compressed: *updates_v2
            types::format_description: format_description
            types::xid: xid
            types::gtid: gtid
            types::gtid_list: gtid_list
            types::gtid_log: &gtid_log fixed_fields(25)
            types::anonymous_gtid: *gtid_log
            types::rotate: fixed_fields(8)
            types::intvar: fixed_fields(9)
            types::rand: fixed_fields(16)
            types::begin_load_query: &file fixed_fields(4)
            types::append_block: *file
            types::delete_file: *file
            types::exec_load: *file
            types::start_encryption: fixed_fields(17)
            types::incident: incident
            types::previous_gtids: previous_gtids
            types::user_var: user_var
            types::binlog_checkpoint: binlog_checkpoint
        doc: The same, field by field.
        -wireloom: {within: data}
    instances:
      # Servers before 5.6.1, and MariaDB's before 5.3, know fewer types of events, and no checksums.
      says_algorithm:
        value: type == types::format_description and event_size > 108
        doc: Whether it says, in the last byte of `data`, which checksums the events after it have.
      has_crc:
        value: says_algorithm or (type != types::format_description and _root.algorithm == 1)
        doc: Whether it has a checksum.
      is_in_use:
        value: type == types::format_description and flags & 1 != 0
        doc: Whether the server writes the file.
      next_algorithm:
        value: 'type != types::format_description ? _root.algorithm : (says_algorithm ? data.last : 0)'
        doc: Checksums of the events after it.
        -wireloom: {sets: _root.algorithm}
      len_post_header:
        value: >-
          type.to_i > 0 and _root.first + type.to_i <= _root.post_headers.size ? _root.post_headers[_root.first + type.to_i - 1]
          : 0
        doc: Bytes of its fields before those of variable size, by the description of the format; 0 if it does not say.
      thread_id: {value: content.as<query>.thread_id, doc: Number of the connection.}
      execution_time: {value: content.as<query>.execution_time, doc: Seconds that the statement took.}
      len_schema: {value: content.as<query>.len_schema, doc: Size of the default database's name.}
      error_code: {value: content.as<query>.error_code, doc: The error that the statement ended with; 0 if there was none.}
      ofs_schema:
        value: 13 + content.as<query>.more.size + content.as<query>.len_status
        doc: 'Bytes before the name, among them settings.'
      table_id:
        value: data[0] | data[1] << 8 | data[2] << 16 | data[3] << 24 | data[4] << 32 | data[5] << 40
        doc: Number of the table.
      row_flags: {value: 'data[6] | data[7] << 8', doc: 'Bits, 1 in the last event of a statement.'}
      seq_no: {value: content.as<gtid>.seq_no, doc: Number of the transaction in its domain.}
      domain_id: {value: content.as<gtid>.domain_id, doc: The domain of replication.}
      xid: {value: content.as<xid>.number, doc: Number of the transaction in the server.}
  format_description:
    doc: The layout of the events after it.
    seq:
      - {id: binlog_version, type: u2, doc: 4 since MySQL 5.0.}
      - {id: server_version, size: 50, doc: 'Version of the server, and zeros.'}
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
  query:
    doc: A statement.
    seq:
      - {id: thread_id, type: u4, doc: Number of the connection.}
      - {id: execution_time, type: u4, doc: Seconds that the statement took.}
      - {id: len_schema, type: u1, doc: Size of `schema`.}
      - {id: error_code, type: u2, doc: The error that the statement ended with; 0 if there was none.}
      - {id: len_status, type: u2, doc: Size of `status`.}
      - {id: more, size: len_more, doc: Fields of other statements and of later versions.}
      - {id: status, type: status, size: len_status, doc: Settings of the connection.}
      - {id: schema, size: len_schema, doc: The default database.}
      - {id: schema_end, contents: [0], doc: The end of its name.}
    instances:
      len_more: {value: '_parent.len_post_header > 13 ? _parent.len_post_header - 13 : 0', doc: Size of `more`.}
  status:
    doc: Settings of a connection.
    seq: [{id: variables, type: status_variable, repeat: eos, doc: The settings.}]
  status_variable:
    doc: A setting, or all that follow a code that is not known.
    seq:
      - {id: code, type: u1, doc: Which setting it is.}
      - id: value
        size: >-
          code == 0 or code == 3 or code == 10 ? 4 : code == 1 or code == 9 or code == 17 or code == 129 ? 8
          : code == 4 ? 6 : code == 7 or code == 8 or code == 18 or code == 130 ? 2 : code == 13 or code == 128 ? 3
          : code == 16 or code == 19 or code == 20 ? 1
          : code == 2 or code == 5 or code == 6 or code == 11 ? 0 : _io.size - _io.pos
        doc: The value, if its size depends on the code alone.
      - {id: first, type: short_text, if: code == 2 or code == 5 or code == 6 or code == 11,
        doc: 'A catalog, a time zone, or a user.'}
      - {id: first_end, contents: [0], if: code == 2, doc: The end of the text.}
      - {id: second, type: short_text, if: code == 11, doc: The host of the user.}
  short_text:
    doc: Text after its size.
    seq: [{id: len, type: u1, doc: Size of the text.}, {id: text, size: len, doc: The text.}]
  table_map:
    doc: A table, and the types of its columns.
    seq:
      - {id: head, size: '_parent.len_post_header > 8 ? _parent.len_post_header : 8', doc: 'The number of the table, and flags.'}
      - {id: schema, type: short_text, doc: The database.}
      - {id: schema_end, contents: [0], doc: The end of its name.}
      - {id: table, type: short_text, doc: The table.}
      - {id: table_end, contents: [0], doc: The end of its name.}
      - {id: num_columns, type: packed, doc: How many columns there are.}
      - {id: types, size: num_columns.value, doc: The type of each column.}
      - {id: len_metadata, type: packed, doc: Size of `metadata`.}
      - {id: metadata, type: metadata, size: len_metadata.value, doc: 'Sizes and others, by the types.'}
      - {id: nullable, size: (num_columns.value + 7) / 8, doc: A bit for each column that may be null.}
      - {id: more, type: table_field, repeat: eos, doc: Names and others.}
  metadata:
    doc: What the types of columns leave open.
    -wireloom: {trailing-bytes: refuse}
    seq:
      - id: columns
        type: column_metadata(_parent.types[_index])
        repeat: until
        repeat-until: _index == _parent.num_columns.value - 1 or not _.is_known
        if: _parent.num_columns.value > 0
        doc: By column, up to the first one of an unknown type.
  column_metadata:
    doc: What the type of a column leaves open.
    params: [{id: type, type: u1, doc: The type.}]
    seq:
      - {id: value, size: 'is_known ? len : _io.size - _io.pos', doc: 'A size, a precision or another type.'}
    instances:
      len:
        value: >-
          type == 4 or type == 5 or type == 17 or type == 18 or type == 19 or type == 140 or type == 242 or type == 245
          or type >= 249 and type <= 252 or type == 255 ? 1
          : type == 15 or type == 16 or type == 141 or type == 246 or type == 247 or type == 248 or type == 254 ? 2 : 0
        doc: Its bytes.
      is_known: {value: len > 0 or type > 0 and type < 15, doc: Whether its size is known.}
  table_field:
    doc: What is known of a table besides.
    seq:
      - {id: kind, type: u1, doc: What it is.}
      - {id: len, type: packed, doc: Size of `value`.}
      - {id: value, size: len.value, doc: The value.}
  rows:
    doc: Rows of a table.
    params:
      - {id: version, type: u1, doc: '1, or 2 with fields of variable size.'}
      - {id: is_update, type: bool, doc: Whether it has rows before and after a change.}
    seq:
      - {id: head, size: 8, doc: 'The number of the table, and flags.'}
      - {id: len_extra, type: u2, if: version == 2, valid: {min: 2}, doc: 'Size of `extra`, and of itself.'}
      - {id: extra, size: len_extra - 2, if: version == 2, doc: Such as partitions.}
      - {id: more, size: len_more, doc: Fields of later versions.}
      - {id: num_columns, type: packed, doc: How many columns the table has.}
      - {id: present, size: (num_columns.value + 7) / 8, doc: 'A bit for each column: whether rows have it.'}
      - {id: present_after, size: (num_columns.value + 7) / 8, if: is_update, doc: The same of rows after a change.}
    instances:
      len_known: {value: 'version == 2 ? 10 : 8', doc: Size of the known fields before `extra`.}
      len_more: {value: '_parent.len_post_header > len_known ? _parent.len_post_header - len_known : 0', doc: Size of `more`.}
  packed:
    doc: A number of one, three, four or nine bytes.
    seq:
      - {id: first, type: u1, valid: {expr: _ != 251 and _ != 255}, -wireloom: {given: true},
        doc: 'The number, or how many bytes it has.'}
      - {id: two, type: u2, if: first == 252 or first == 253, -wireloom: {given: true},
        doc: 'A number of two bytes, or the low ones of three.'}
      - {id: high, type: u1, if: first == 253, -wireloom: {given: true}, doc: The high one of three.}
      - {id: eight, type: u8, if: first == 254, -wireloom: {given: true}, doc: A number of eight.}
    instances:
      value: {value: 'first == 252 ? two : first == 253 ? high << 16 | two : first == 254 ? eight : first', doc: The number.}
  xid:
    doc: The end of a transaction.
    seq: [{id: number, type: u8, doc: Number of the transaction in the server.}]
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
  fixed_fields:
    doc: The fields with which the data of an event begin at least.
    params: [{id: len, type: u1, doc: Their bytes.}]
    seq: [{id: fields, size: len, doc: The fields.}]
  incident:
    doc: Something that replicas must not ignore.
    seq: [{id: number, type: u2, doc: What it is.}, {id: message, type: short_text, doc: What the server says about it.}]
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
  user_var:
    doc: A variable that the next statement uses.
    seq:
      - {id: len_name, type: u4, doc: Size of `name`.}
      - {id: name, size: len_name, doc: The name.}
      - {id: is_null, type: u1, doc: Whether it has no value.}
      - {id: type, type: u1, if: is_null == 0, doc: Type of the value.}
      - {id: charset, type: u4, if: is_null == 0, doc: Character set of the value.}
      - {id: len_value, type: u4, if: is_null == 0, doc: Size of `value`.}
      - {id: value, size: len_value, if: is_null == 0, doc: The value.}
  binlog_checkpoint:
    doc: The oldest file that a recovery needs.
    seq: [{id: len_name, type: u4, doc: Size of `name`.}, {id: name, size: len_name, doc: The name.}]
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
