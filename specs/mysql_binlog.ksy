meta:
  id: mysql_binlog
  title: Binary log of MySQL and MariaDB
  application: [MySQL, MariaDB, Percona Server]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  imports: [mysql_data, mysql_events, mysql_gtids]
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
        doc: Statements, those of compressed transactions and events too.
        rows: &rows [events.body, events.content.as<transaction_payload>.events.events.body]
        where: type == mysql_data::types::query or type == mysql_data::types::query_compressed
        columns:
          [timestamp, server_id, log_pos, thread_id, execution_time, error_code, ofs_schema, len_schema, data, type, schema,
          statement]
        selectable: [event_size, flags]
      table_maps:
        doc: Tables, by the number that the events with rows after them have; their names and columns are in `data`.
        rows: *rows
        where: type == mysql_data::types::table_map
        columns: [timestamp, server_id, log_pos, table_id, data]
        selectable: [type, event_size, flags]
      rows:
        doc: Rows of one table that were written, updated or deleted, those of compressed transactions and events too.
        rows: *rows
        where: content.has_rows
        columns: [timestamp, type, server_id, log_pos, table_id, row_flags, data, images]
        selectable: [event_size, flags]
      gtids:
        doc: Global identifiers of MariaDB's transactions.
        rows: events
        where: type == mysql_data::types::gtid
        columns: [timestamp, server_id, log_pos, domain_id, seq_no]
        selectable: [type, event_size, flags, data, crc]
      xids:
        doc: The ends of transactions in storage engines with transactions.
        rows: *rows
        where: type == mysql_data::types::xid
        columns: [timestamp, server_id, log_pos, xid]
        selectable: [type, event_size, flags, data]
doc: |
  The log of changes that a server of MySQL (version 5.0 and later) or MariaDB writes for its replicas and for
  recovery: events, one after the other.

  A `format_description` says whether each event after it ends with a checksum, which is verified and is not part of
  `data`. The first event is one; the relay log of a replica has a second one, which came from the source. The
  checksum of a `format_description` itself does not cover bit 0 of its `flags`, which the server sets while it writes
  the file. Events that no description comes before, since the first one is damaged, must have checksums that hold.
  What `data` holds depends on the type; it is as it is in the file. The columns `statement` and `images`, the values of
  rows, are decompressed where MariaDB compresses them (types 165 to 171). A statement's `data` has its default database
  at `ofs_schema`.
  Sizes and counts in it must fit it and each other: those of statements, tables, rows and identifiers, and what is
  compressed must have the size that is said. Not looked at are the values of rows, whose sizes depend on the `table_map`
  of their table, and what follows the known fields of an event, which is of newer servers.

  A `transaction_payload` of MySQL (`binlog_transaction_compression`) is one event, which contains those of a transaction
  in compressed form. It is a row of `events`; the other tables have the events in it, with its `_offset`. Their
  `log_pos` is not a position in the file. Its sizes, and those of its events, must fit too.

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
      - {id: type, type: u1, enum: mysql_data::types, -wireloom: {labels: true}, doc: What kind of event it is.}
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
      - id: body
        type: &body body(len_post_header, timestamp, type, server_id, event_size, log_pos, flags, data)
        if: not is_special
        doc: The same, field by field.
        -wireloom: {within: data}
      - id: content
        if: is_special
        type:
          switch-on: type
          cases:
            mysql_data::types::format_description: format_description
            mysql_data::types::gtid: mysql_gtids::gtid
            mysql_data::types::transaction_payload: transaction_payload
        doc: The same of events about others, and of those with events in them.
        -wireloom: {within: data}
    instances:
      is_special:
        value: >-
          type == mysql_data::types::format_description or type == mysql_data::types::gtid
          or type == mysql_data::types::transaction_payload
        doc: Whether `content` has its fields.
      # Servers before 5.6.1, and MariaDB's before 5.3, know fewer types of events, and no checksums.
      says_algorithm:
        value: type == mysql_data::types::format_description and event_size > 108
        doc: Whether it says, in the last byte of `data`, which checksums the events after it have.
      knows_checksums:
        value: >-
          type == mysql_data::types::format_description and (data.size < 57 or data[2] > 0x35 or data[3] != 0x2e
          or data[2] == 0x35 and data[4] > 0x35)
        doc: Whether its server is one that has checksums, by the version, 5.6 or later.
      has_crc: {value: 'type == mysql_data::types::format_description ? says_algorithm : _root.algorithm == 1', doc: Whether it has a checksum.}
      crc_of_header: {-wireloom: {checksum: {algorithm: crc32, over: [timestamp, flags]}}, doc: CRC-32 of what is before the data.}
      is_in_use: {value: 'type == mysql_data::types::format_description and flags & 1 != 0', doc: Whether the server writes the file.}
      next_algorithm:
        value: >-
          type != mysql_data::types::format_description ? _root.algorithm
          : says_algorithm ? data.last : knows_checksums ? _root.algorithm : 0
        doc: Checksums of the events after it.
        -wireloom: {sets: _root.algorithm}
      len_post_header: &len_post_header
        value: >-
          type.to_i > 0 and _root.first + type.to_i <= _root.post_headers.size ? _root.post_headers[_root.first + type.to_i - 1]
          : 0
        doc: Bytes of its fields before those of variable size, by the description of the format; 0 if it does not say.
      seq_no: {value: content.as<mysql_gtids::gtid>.seq_no, doc: Number of the transaction in its domain.}
      domain_id: {value: content.as<mysql_gtids::gtid>.domain_id, doc: The domain of replication.}
  body:
    doc: What an event says, and its header, in the file or in a transaction.
    params:
      - {id: len_fixed, type: s4, doc: Bytes of the fixed part of the data; 0 if it is not known.}
      - {id: when, type: u4, doc: When the statement began.}
      - {id: kind, type: u1, enum: mysql_data::types, doc: What kind of event it is.}
      - {id: server, type: u4, doc: Number of the server.}
      - {id: size, type: u4, doc: Size of the event in bytes.}
      - {id: end, type: u4, doc: Where the next event begins.}
      - {id: bits, type: u2, doc: Bits.}
      - {id: raw, type: bytes, doc: The data.}
    seq:
      - {id: content, type: 'mysql_data::content(kind, len_fixed)', doc: 'The data, field by field.'}
    instances:
      timestamp: {value: when, -wireloom: {timestamp: s}, doc: When the statement began; 0 in events that the server makes up.}
      type: {value: kind, -wireloom: {labels: true}, doc: What kind of event it is.}
      server_id: {value: server, doc: Number of the server on which the event came about.}
      event_size: {value: size, doc: Size of the event in bytes.}
      log_pos: {value: end, doc: Where the next event begins in the log in which this one was first written.}
      flags: {value: bits, doc: Bits.}
      data: {value: raw, doc: What the event says.}
      thread_id: {value: content.query.thread_id, doc: Number of the connection.}
      execution_time: {value: content.query.execution_time, doc: Seconds that the statement took.}
      len_schema: {value: content.query.len_schema, doc: Size of the default database's name.}
      error_code: {value: content.query.error_code, doc: The error that the statement ended with; 0 if there was none.}
      ofs_schema: {value: 13 + content.query.more.size + content.query.len_status, doc: Bytes before the default database.}
      table_id:
        value: data[0] | data[1] << 8 | data[2] << 16 | data[3] << 24 | data[4] << 32 | data[5] << 40
        doc: Number of the table.
      row_flags: {value: 'data[6] | data[7] << 8', doc: 'Bits, 1 in the last event of a statement.'}
      xid: {value: content.xid.number, doc: Number of the transaction in the server.}
      schema: {value: content.query.schema, doc: The default database.}
      statement: {value: content.query.statement, doc: 'The statement, decompressed.'}
      images: {value: content.rows.images, doc: 'The rows, decompressed.'}
  transaction_payload:
    doc: The events of a transaction of MySQL.
    -wireloom: {trailing-bytes: refuse}
    seq:
      - id: fields
        type: 'mysql_events::payload_field(_index == 0 ? 0 : fields[_index - 1].size,
          _index == 0 ? 255 : fields[_index - 1].algorithm, _index == 0 ? 0 : fields[_index - 1].size_content)'
        repeat: until
        repeat-until: _.kind.value == 0
        doc: What is known of the events.
      - id: events
        type: payload_events
        size: fields.last.size
        doc: The events.
        -wireloom: {codec: {switch-on: fields.last.algorithm, cases: {0: zstd, 255: none}, max-expanded: 1073741824,
          size-decompressed: 'fields.last.size_content == 0 ? fields.last.size : fields.last.size_content'}}
  payload_events:
    doc: Events without checksums.
    seq: [{id: events, type: payload_event, repeat: eos, doc: The events.}]
  payload_event:
    doc: An event as those of the file.
    seq:
      - {id: timestamp, type: u4, doc: When the statement began.}
      - {id: type, type: u1, enum: mysql_data::types, valid: {expr: _ != mysql_data::types::transaction_payload},
        doc: What kind of event it is.}
      - {id: server_id, type: u4, doc: Number of the server on which the event came about.}
      - {id: event_size, type: u4, valid: {min: 19}, doc: Size of the event in bytes.}
      - {id: log_pos, type: u4, doc: 'As in the cache of the server, such as 0.'}
      - {id: flags, type: u2, doc: Bits.}
      - {id: data, size: event_size - 19, doc: What the event says.}
      - {id: body, type: *body, doc: 'The same, field by field.', -wireloom: {within: data}}
    instances: {len_post_header: *len_post_header}
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
