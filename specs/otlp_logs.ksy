meta:
  id: otlp_logs
  title: OpenTelemetry logs (OTLP)
  application: OpenTelemetry
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - otlp_common
  -wireloom:
    max-record: 67108864
    message:
      framing: [u4be, varint, lines, whole]
      codec: zstd
      type: logs_data
      rows: resource_logs.scope_logs.log_records
      columns:
        - time_unix_nano
        - severity_number
        - severity_text
        - trace_id
        - span_id
        - body
        - attributes
        - resource
        - scope
      selectable:
        - observed_time_unix_nano
        - flags
        - dropped_attributes_count
        - event_name
        - scope_schema_url
        - resource_schema_url
        - time
        - observed_time
        - severity
        - body_string
        - body_bool
        - body_int
        - body_double
        - body_bytes
doc: |
  Log records of OpenTelemetry: messages `LogsData` or `ExportLogsServiceRequest`, which are the same on the wire.

  Each line of a file is a message in JSON, which is the default of the collector's file exporter. Or there is a length
  before each message: four bytes, the highest first, as the exporter writes it with `format: proto`, or a varint, as
  protobuf's own `writeDelimitedTo` does. A file may also be one message, and so may a value of a column, such as a
  record of Kafka.
  The option `framing` says which of these it is; without it the beginning of the file decides. Messages may be
  compressed one by one, as the exporter does with `compression: zstd`.

  `body` is JSON text in the form of OTLP's own JSON, for example `{"stringValue":"started"}`; the columns `body_string`,
  `body_int` and so on have the body where it is of that type.
doc-ref:
  - https://opentelemetry.io/docs/specs/otlp/
  - https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/logs/v1/logs.proto
types:
  logs_data:
    doc: Log records of any number of resources.
    -wireloom:
      message:
        fields:
          - {id: resource_logs, number: 1, type: resource_logs, label: repeated, doc: One item per resource.}
  resource_logs:
    doc: Log records of one resource.
    -wireloom:
      message:
        fields:
          - {id: resource, number: 1, type: 'otlp_common::resource', doc: What sent the records.}
          - {id: scope_logs, number: 2, type: scope_logs, label: repeated, doc: One item per scope.}
          - {id: resource_schema_url, number: 3, type: string, json-name: schemaUrl, doc: The schema of the resource.}
  scope_logs:
    doc: Log records of one scope.
    -wireloom:
      message:
        fields:
          - {id: scope, number: 1, type: 'otlp_common::instrumentation_scope', doc: What made the records.}
          - {id: log_records, number: 2, type: log_record, label: repeated, doc: The records.}
          - {id: scope_schema_url, number: 3, type: string, json-name: schemaUrl, doc: The schema of the scope and its records.}
  log_record:
    doc: A log record.
    -wireloom:
      message:
        fields:
          - {id: time_unix_nano, number: 1, type: fixed64, doc: 'When it happened, in nanoseconds since 1970; 0: unknown.'}
          - {id: observed_time_unix_nano, number: 11, type: fixed64, doc: When a collector saw it.}
          - {id: severity_number, number: 2, type: severity_number, doc: 'How severe it is, from 1 to 24; 0: not said.'}
          - {id: severity_text, number: 3, type: string, doc: 'The severity as the source calls it, such as WARN.'}
          - {id: body, number: 5, type: 'otlp_common::any_value', json: true, doc: 'What was logged, as JSON text.'}
          - {id: attributes, number: 6, type: 'otlp_common::key_value', label: repeated, doc: Additional information.}
          - {id: dropped_attributes_count, number: 7, type: uint32, doc: Attributes that were left out.}
          - {id: flags, number: 8, type: fixed32, doc: 'The lowest eight bits are the flags of W3C Trace Context.'}
          - {id: trace_id, number: 9, type: bytes, hex: true, doc: 'The trace that it belongs to: 16 bytes, or none.'}
          - {id: span_id, number: 10, type: bytes, hex: true, doc: 'The span that it belongs to: 8 bytes, or none.'}
          - {id: event_name, number: 12, type: string, doc: 'The name of an event; such records have the same structure.'}
    instances:
      time: {value: time_unix_nano, -wireloom: {timestamp: ns}, doc: '`time_unix_nano` as a timestamp.'}
      observed_time:
        value: observed_time_unix_nano
        doc: '`observed_time_unix_nano` as a timestamp.'
        -wireloom: {timestamp: ns}
      severity: {value: severity_number, -wireloom: {labels: true}, doc: The name of `severity_number`.}
      body_string: {value: body.string_value, doc: The body where it is text.}
      body_bool: {value: body.bool_value, doc: The body where it is a boolean.}
      body_int: {value: body.int_value, doc: The body where it is an integer.}
      body_double: {value: body.double_value, doc: The body where it is a float.}
      body_bytes: {value: body.bytes_value, doc: The body where it is bytes.}
enums:
  severity_number:
    0: unspecified
    1: trace
    2: trace2
    3: trace3
    4: trace4
    5: debug
    6: debug2
    7: debug3
    8: debug4
    9: info
    10: info2
    11: info3
    12: info4
    13: warn
    14: warn2
    15: warn3
    16: warn4
    17: error
    18: error2
    19: error3
    20: error4
    21: fatal
    22: fatal2
    23: fatal3
    24: fatal4
