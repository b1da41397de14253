meta:
  id: otlp_metrics
  title: OpenTelemetry metrics (OTLP)
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
      option: table
      default: metrics
      kinds:
        metrics:
          type: metrics_data
          rows: resource_metrics.scope_metrics.metrics
          columns: [name, description, unit, gauge, sum, histogram, exponential_histogram, summary, metadata, resource,
            scope]
          selectable: [scope_schema_url, resource_schema_url]
        gauge:
          type: metrics_data
          rows: resource_metrics.scope_metrics.metrics.gauge.data_points
          columns: [name, description, unit, attributes, start_time_unix_nano, time_unix_nano, as_double, as_int,
            exemplars, flags, resource, scope]
          selectable: [start_time, time, metadata, scope_schema_url, resource_schema_url]
        sum:
          type: metrics_data
          rows: resource_metrics.scope_metrics.metrics.sum.data_points
          columns: [name, description, unit, attributes, start_time_unix_nano, time_unix_nano, as_double, as_int,
            exemplars, aggregation_temporality, is_monotonic, flags, resource, scope]
          selectable: [start_time, time, metadata, scope_schema_url, resource_schema_url, temporality]
        histogram:
          type: metrics_data
          rows: resource_metrics.scope_metrics.metrics.histogram.data_points
          columns: [name, description, unit, attributes, start_time_unix_nano, time_unix_nano, count, sum, min, max,
            bucket_counts, explicit_bounds, exemplars, aggregation_temporality, flags, resource, scope]
          selectable: [start_time, time, metadata, scope_schema_url, resource_schema_url, temporality]
        exponential_histogram:
          type: metrics_data
          rows: resource_metrics.scope_metrics.metrics.exponential_histogram.data_points
          columns: [name, description, unit, attributes, start_time_unix_nano, time_unix_nano, count, sum, min, max,
            scale, zero_count, zero_threshold, positive, negative, exemplars, aggregation_temporality, flags, resource,
            scope]
          selectable: [start_time, time, metadata, scope_schema_url, resource_schema_url, temporality]
        summary:
          type: metrics_data
          rows: resource_metrics.scope_metrics.metrics.summary.data_points
          columns: [name, description, unit, attributes, start_time_unix_nano, time_unix_nano, count, sum,
            quantile_values, flags, resource, scope]
          selectable: [start_time, time, metadata, scope_schema_url, resource_schema_url]
doc: |
  Metrics of OpenTelemetry: messages `MetricsData` or `ExportMetricsServiceRequest`, which are the same on the wire.

  A row of the table `metrics` is a metric with all of its points; of the others, a data point of one kind of metric.

  Each line of a file is a message in JSON, as the collector's file exporter writes it by default, or lengths precede the
  messages: four bytes, the highest first, as with `format: proto`, or varints. A file may also be one message, and so
  may a value of a column. Without the option `framing`, the beginning of the file decides.
doc-ref:
  - https://opentelemetry.io/docs/specs/otel/metrics/data-model/
  - https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto
types:
  metrics_data:
    doc: Metrics of any number of resources.
    -wireloom:
      message:
        fields:
          - {id: resource_metrics, number: 1, type: resource_metrics, label: repeated, doc: One item per resource.}
  resource_metrics:
    doc: Metrics of one resource.
    -wireloom:
      message:
        fields:
          - {id: resource, number: 1, type: 'otlp_common::resource', doc: What sent the metrics.}
          - {id: scope_metrics, number: 2, type: scope_metrics, label: repeated, doc: One item per scope.}
          - {id: resource_schema_url, number: 3, type: string, json-name: schemaUrl, doc: The schema of the resource.}
  scope_metrics:
    doc: Metrics of one scope.
    -wireloom:
      message:
        fields:
          - {id: scope, number: 1, type: 'otlp_common::instrumentation_scope', doc: What made the metrics.}
          - {id: metrics, number: 2, type: metric, label: repeated, doc: The metrics.}
          - {id: scope_schema_url, number: 3, type: string, json-name: schemaUrl, doc: The schema of the scope.}
  metric:
    doc: A metric; its data are points of one kind.
    -wireloom:
      message:
        fields:
          - {id: name, number: 1, type: string, doc: Its name.}
          - {id: description, number: 2, type: string, doc: What it is.}
          - {id: unit, number: 3, type: string, doc: 'The unit of its values, by UCUM.'}
          - {id: gauge, number: 5, type: gauge, oneof: data, doc: Values at their times.}
          - {id: sum, number: 7, type: sum, oneof: data, doc: Sums over intervals.}
          - {id: histogram, number: 9, type: histogram, oneof: data, doc: Histograms with bounds of their own.}
          - {id: exponential_histogram, number: 10, type: exponential_histogram, oneof: data, doc: Such histograms.}
          - {id: summary, number: 11, type: summary, oneof: data, doc: Quantiles.}
          - {id: metadata, number: 12, type: 'otlp_common::key_value', label: repeated, doc: Additional information.}
  gauge:
    doc: Values at their times.
    -wireloom:
      message:
        fields:
          - {id: data_points, number: 1, type: number_data_point, label: repeated, doc: The points.}
  sum:
    doc: Sums over intervals.
    -wireloom:
      message:
        fields:
          - {id: data_points, number: 1, type: number_data_point, label: repeated, doc: The points.}
          - {id: aggregation_temporality, number: 2, type: aggregation_temporality, doc: 1 delta or 2 cumulative.}
          - {id: is_monotonic, number: 3, type: bool, doc: Whether it never decreases.}
    instances:
      temporality: {value: aggregation_temporality, -wireloom: {labels: true}, doc: Its name.}
  histogram:
    doc: Histograms.
    -wireloom:
      message:
        fields:
          - {id: data_points, number: 1, type: histogram_data_point, label: repeated, doc: The points.}
          - {id: aggregation_temporality, number: 2, type: aggregation_temporality, doc: 1 delta or 2 cumulative.}
    instances:
      temporality: {value: aggregation_temporality, -wireloom: {labels: true}, doc: Its name.}
  exponential_histogram:
    doc: Histograms whose bounds are powers of one number.
    -wireloom:
      message:
        fields:
          - {id: data_points, number: 1, type: exponential_histogram_data_point, label: repeated, doc: The points.}
          - {id: aggregation_temporality, number: 2, type: aggregation_temporality, doc: 1 delta or 2 cumulative.}
    instances:
      temporality: {value: aggregation_temporality, -wireloom: {labels: true}, doc: Its name.}
  summary:
    doc: Quantiles, which cannot be combined; for values from Prometheus and the like.
    -wireloom:
      message:
        fields:
          - {id: data_points, number: 1, type: summary_data_point, label: repeated, doc: The points.}
  number_data_point:
    doc: A value.
    -wireloom:
      message:
        fields:
          - {id: attributes, number: 7, type: 'otlp_common::key_value', label: repeated, doc: What it is about.}
          - {id: start_time_unix_nano, number: 2, type: fixed64, doc: 'Its begin, in ns since 1970.'}
          - {id: time_unix_nano, number: 3, type: fixed64, doc: 'Its time, in nanoseconds since 1970.'}
          - {id: as_double, number: 4, type: double, oneof: value, doc: The value where it is a float.}
          - {id: as_int, number: 6, type: sfixed64, oneof: value, doc: The value where it is an integer.}
          - {id: exemplars, number: 5, type: exemplar, label: repeated, doc: Some of the values in it.}
          - {id: flags, number: 8, type: uint32, doc: 'Bit 0: there is no value.'}
    instances:
      start_time: {value: start_time_unix_nano, -wireloom: {timestamp: ns}, doc: Its begin.}
      time: {value: time_unix_nano, -wireloom: {timestamp: ns}, doc: Its time.}
  histogram_data_point:
    doc: A histogram of values.
    -wireloom:
      message:
        fields:
          - {id: attributes, number: 9, type: 'otlp_common::key_value', label: repeated, doc: What it is about.}
          - {id: start_time_unix_nano, number: 2, type: fixed64, doc: 'Its begin, in ns since 1970.'}
          - {id: time_unix_nano, number: 3, type: fixed64, doc: 'Its time, in nanoseconds since 1970.'}
          - {id: count, number: 4, type: fixed64, doc: The number of values.}
          - {id: sum, number: 5, type: double, label: optional, doc: Their sum.}
          - {id: bucket_counts, number: 6, type: fixed64, label: repeated, doc: The number of values in each bucket.}
          - {id: explicit_bounds, number: 7, type: double, label: repeated, doc: 'Those between buckets.'}
          - {id: exemplars, number: 8, type: exemplar, label: repeated, doc: Some of the values in it.}
          - {id: flags, number: 10, type: uint32, doc: 'Bit 0: there is no value.'}
          - {id: min, number: 11, type: double, label: optional, doc: The smallest one.}
          - {id: max, number: 12, type: double, label: optional, doc: The largest one.}
    instances:
      start_time: {value: start_time_unix_nano, -wireloom: {timestamp: ns}, doc: Its begin.}
      time: {value: time_unix_nano, -wireloom: {timestamp: ns}, doc: Its time.}
  exponential_histogram_data_point:
    doc: A histogram whose bounds are powers of 2^(2^-scale).
    -wireloom:
      message:
        fields:
          - {id: attributes, number: 1, type: 'otlp_common::key_value', label: repeated, doc: What it is about.}
          - {id: start_time_unix_nano, number: 2, type: fixed64, doc: 'Its begin, in ns since 1970.'}
          - {id: time_unix_nano, number: 3, type: fixed64, doc: 'Its time, in nanoseconds since 1970.'}
          - {id: count, number: 4, type: fixed64, doc: The number of values.}
          - {id: sum, number: 5, type: double, label: optional, doc: Their sum.}
          - {id: scale, number: 6, type: sint32, doc: The scale.}
          - {id: zero_count, number: 7, type: fixed64, doc: The number of values near zero.}
          - {id: positive, number: 8, type: buckets, doc: Buckets of positive values.}
          - {id: negative, number: 9, type: buckets, doc: Buckets of negative values.}
          - {id: flags, number: 10, type: uint32, doc: 'Bit 0: there is no value.'}
          - {id: exemplars, number: 11, type: exemplar, label: repeated, doc: Some of the values in it.}
          - {id: min, number: 12, type: double, label: optional, doc: The smallest one.}
          - {id: max, number: 13, type: double, label: optional, doc: The largest one.}
          - {id: zero_threshold, number: 14, type: double, doc: The distance from zero up to which values are near it.}
    instances:
      start_time: {value: start_time_unix_nano, -wireloom: {timestamp: ns}, doc: Its begin.}
      time: {value: time_unix_nano, -wireloom: {timestamp: ns}, doc: Its time.}
  buckets:
    doc: Consecutive buckets.
    -wireloom:
      message:
        fields:
          - {id: offset, number: 1, type: sint32, doc: The index of the first one.}
          - {id: bucket_counts, number: 2, type: uint64, label: repeated, doc: The number of values in each.}
  summary_data_point:
    doc: Quantiles of values.
    -wireloom:
      message:
        fields:
          - {id: attributes, number: 7, type: 'otlp_common::key_value', label: repeated, doc: What it is about.}
          - {id: start_time_unix_nano, number: 2, type: fixed64, doc: 'Its begin, in ns since 1970.'}
          - {id: time_unix_nano, number: 3, type: fixed64, doc: 'Its time, in nanoseconds since 1970.'}
          - {id: count, number: 4, type: fixed64, doc: The number of values.}
          - {id: sum, number: 5, type: double, doc: Their sum.}
          - {id: quantile_values, number: 6, type: value_at_quantile, label: repeated, doc: The quantiles.}
          - {id: flags, number: 8, type: uint32, doc: 'Bit 0: there is no value.'}
    instances:
      start_time: {value: start_time_unix_nano, -wireloom: {timestamp: ns}, doc: Its begin.}
      time: {value: time_unix_nano, -wireloom: {timestamp: ns}, doc: Its time.}
  value_at_quantile:
    doc: A quantile.
    -wireloom:
      message:
        fields:
          - {id: quantile, number: 1, type: double, doc: 'Which one, from 0 to 1.'}
          - {id: value, number: 2, type: double, doc: Its value.}
  exemplar:
    doc: One of the values that were aggregated, with its trace.
    -wireloom:
      message:
        fields:
          - {id: filtered_attributes, number: 7, type: 'otlp_common::key_value', label: repeated, doc: Others.}
          - {id: time_unix_nano, number: 2, type: fixed64, doc: 'When, in nanoseconds since 1970.'}
          - {id: as_double, number: 3, type: double, oneof: value, doc: The value where it is a float.}
          - {id: as_int, number: 6, type: sfixed64, oneof: value, doc: The value where it is an integer.}
          - {id: span_id, number: 4, type: bytes, hex: true, doc: The span.}
          - {id: trace_id, number: 5, type: bytes, hex: true, doc: Its trace.}
enums:
  aggregation_temporality: {0: unspecified, 1: delta, 2: cumulative}
