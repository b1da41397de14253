meta:
  id: otlp_spans
  title: OpenTelemetry spans (OTLP)
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
      type: traces_data
      rows: resource_spans.scope_spans.spans
      columns:
        - trace_id
        - span_id
        - parent_span_id
        - name
        - kind
        - start_time_unix_nano
        - end_time_unix_nano
        - attributes
        - events
        - links
        - status
        - trace_state
        - resource
        - scope
      selectable:
        - flags
        - dropped_attributes_count
        - dropped_events_count
        - dropped_links_count
        - scope_schema_url
        - resource_schema_url
        - start_time
        - end_time
        - kind_name
doc: |
  Spans of OpenTelemetry: messages `TracesData` or `ExportTraceServiceRequest`, which are the same on the wire.

  Each line of a file is a message in JSON, which is the default of the collector's file exporter. Or there is a length
  before each message: four bytes, the highest first, as the exporter writes it with `format: proto`, or a varint, as
  protobuf's own `writeDelimitedTo` does. A file may also be one message, and so may a value of a column, such as a
  record of Kafka.
  The option `framing` says which of these it is; without it the beginning of the file decides.
doc-ref:
  - https://opentelemetry.io/docs/specs/otlp/
  - https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
types:
  traces_data:
    doc: Spans of any number of resources.
    -wireloom:
      message:
        fields:
          - {id: resource_spans, number: 1, type: resource_spans, label: repeated, doc: One item per resource.}
  resource_spans:
    doc: Spans of one resource.
    -wireloom:
      message:
        fields:
          - {id: resource, number: 1, type: 'otlp_common::resource', doc: What sent the spans.}
          - {id: scope_spans, number: 2, type: scope_spans, label: repeated, doc: One item per scope.}
          - {id: resource_schema_url, number: 3, type: string, json-name: schemaUrl, doc: The schema of the resource.}
  scope_spans:
    doc: Spans of one scope.
    -wireloom:
      message:
        fields:
          - {id: scope, number: 1, type: 'otlp_common::instrumentation_scope', doc: What made the spans.}
          - {id: spans, number: 2, type: span, label: repeated, doc: The spans.}
          - {id: scope_schema_url, number: 3, type: string, json-name: schemaUrl, doc: The schema of the scope and its spans.}
  span:
    doc: One operation of a trace.
    -wireloom:
      message:
        fields:
          - {id: trace_id, number: 1, type: bytes, hex: true, doc: 'The trace: 16 bytes.'}
          - {id: span_id, number: 2, type: bytes, hex: true, doc: 'The span: 8 bytes.'}
          - {id: trace_state, number: 3, type: string, doc: 'The state of the trace, as in W3C Trace Context.'}
          - {id: parent_span_id, number: 4, type: bytes, hex: true, doc: 'The span around this one, empty where there is none.'}
          - {id: flags, number: 16, type: fixed32, doc: 'The lowest eight bits are the flags of W3C Trace Context.'}
          - {id: name, number: 5, type: string, doc: What is done.}
          - {id: kind, number: 6, type: span_kind, doc: 'Its relation to the spans around and inside of it.'}
          - {id: start_time_unix_nano, number: 7, type: fixed64, doc: 'When it began, in nanoseconds since 1970.'}
          - {id: end_time_unix_nano, number: 8, type: fixed64, doc: 'When it ended, in nanoseconds since 1970.'}
          - {id: attributes, number: 9, type: 'otlp_common::key_value', label: repeated, doc: Additional information.}
          - {id: dropped_attributes_count, number: 10, type: uint32, doc: Attributes that were left out.}
          - {id: events, number: 11, type: event, label: repeated, doc: What happened meanwhile.}
          - {id: dropped_events_count, number: 12, type: uint32, doc: Events that were left out.}
          - {id: links, number: 13, type: link, label: repeated, doc: Spans that it has to do with.}
          - {id: dropped_links_count, number: 14, type: uint32, doc: Links that were left out.}
          - {id: status, number: 15, type: status, doc: How it ended.}
    instances:
      start_time:
        value: start_time_unix_nano
        doc: '`start_time_unix_nano` as a timestamp.'
        -wireloom: {timestamp: ns}
      end_time: {value: end_time_unix_nano, -wireloom: {timestamp: ns}, doc: '`end_time_unix_nano` as a timestamp.'}
      kind_name: {value: kind, -wireloom: {labels: true}, doc: The name of `kind`.}
  event:
    doc: What happened during a span.
    -wireloom:
      message:
        fields:
          - {id: time_unix_nano, number: 1, type: fixed64, doc: 'When, in nanoseconds since 1970.'}
          - {id: name, number: 2, type: string, doc: What.}
          - {id: attributes, number: 3, type: 'otlp_common::key_value', label: repeated, doc: Additional information.}
          - {id: dropped_attributes_count, number: 4, type: uint32, doc: Attributes that were left out.}
  link:
    doc: Another span, of this trace or another one.
    -wireloom:
      message:
        fields:
          - {id: trace_id, number: 1, type: bytes, hex: true, doc: Its trace.}
          - {id: span_id, number: 2, type: bytes, hex: true, doc: The span.}
          - {id: trace_state, number: 3, type: string, doc: The state of its trace.}
          - {id: attributes, number: 4, type: 'otlp_common::key_value', label: repeated, doc: Additional information.}
          - {id: dropped_attributes_count, number: 5, type: uint32, doc: Attributes that were left out.}
          - {id: flags, number: 6, type: fixed32, doc: 'The lowest eight bits are the flags of W3C Trace Context.'}
  status:
    doc: How a span ended.
    -wireloom:
      message:
        fields:
          - {id: message, number: 2, type: string, doc: What went wrong.}
          - {id: code, number: 3, type: status_code, doc: 'Its outcome: 0 unset, 1 ok, 2 error.'}
enums:
  span_kind: {0: unspecified, 1: internal, 2: server, 3: client, 4: producer, 5: consumer}
  status_code: {0: unset, 1: ok, 2: error}
