meta:
  id: prometheus_wal
  title: Prometheus WAL
  application: [Prometheus, Thanos, Mimir]
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
  -wireloom:
    tables:
      samples:
        doc: The samples. The labels are those that this segment has; a checkpoint has those of older series.
        rows: pages.fragments.data.as<record>.body.as<samples>.samples
        columns: [ref, timestamp, value]
        look-ups:
          labels: {table: series, key: ref, match: ref, value: labels, default: false}
      series: {doc: 'The series, each with the number by which other records name it.', columns: [ref, labels],
        rows: pages.fragments.data.as<record>.body.as<series>.series}
      exemplars: {doc: 'The exemplars.', columns: [ref, timestamp, value, labels],
        rows: pages.fragments.data.as<record>.body.as<exemplars>.exemplars}
      histograms:
        doc: Samples that are native histograms, whose buckets are integers.
        rows: pages.fragments.data.as<record>.body.as<histograms>.histograms
        columns: &histogram [ref, timestamp, counter_reset_hint, schema, zero_threshold, zero_count, count, sum,
          positive_spans, negative_spans, positive_buckets, negative_buckets, custom_values]
      float_histograms:
        doc: Samples that are native histograms, whose buckets are floats.
        rows: pages.fragments.data.as<record>.body.as<float_histograms>.histograms
        columns: *histogram
      tombstones: {doc: 'Ranges of time in which the samples of a series are deleted.', columns: [ref, mint, maxt],
        rows: pages.fragments.data.as<record>.body.as<tombstones>.tombstones}
      metadata: {doc: 'Type, unit and description of series.', columns: [ref, type, fields],
        rows: pages.fragments.data.as<record>.body.as<metadata>.metadata}
      mmap_markers: {doc: 'Series whose samples so far are in a chunk on disk.', columns: [ref, mmap_ref],
        rows: pages.fragments.data.as<record>.body.as<mmap_markers>.markers}
      records: {doc: 'All records by type, also of types that have no table.', columns: [type, data],
        rows: pages.fragments.data.as<raw_record>}
      raw_records:
        doc: All records as they are, with the byte that is their type.
        rows: pages.fragments
        columns: [data]
        selectable: [codec]
        fragments:
          kind: kind
          data: data
          # Each as it is, with snappy and with zstd.
          full: [1, 9, 17]
          first: [2, 10, 18]
          middle: [3, 11, 19]
          last: [4, 12, 20]
          skip: 0
          block: 32768
          codec: {switch-on: codec, cases: {0: none, 8: snappy, 16: zstd}}
    max-record: 1073741824
doc: |
  A segment of Prometheus' write-ahead log, of its log of samples out of order (wbl), or of a checkpoint: pages of
  32 KiB. A record that does not fit into the rest of a page is written in fragments; it may be compressed.

  Start times of samples are in records of types of their own (11 to 13), which are in the table of all records.
doc-ref: https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/wal.md
seq:
  - {id: pages, type: page, size: '_io.size - _io.pos < 32768 ? _io.size - _io.pos : 32768', repeat: eos,
    doc: The pages; only the last one may be shorter.}
types:
  page:
    seq:
      - id: fragments
        type: fragment
        repeat: until
        repeat-until: '_.kind == 0 or (_io.size == 32768 ? _io.size - _io.pos < 7 : _io.eof)'
        doc: Fragments, as long as there is space for the header of another one.
      - {id: padding, size-eos: true, doc: Zeros.}
  fragment:
    doc: A record, a piece of one, or the rest of a page without any.
    seq:
      - {id: kind, type: u1, doc: 'All of the record (1), its first (2), a middle (3), its last piece (4); and the codec.'}
      - {id: len_data, type: u2, if: kind != 0, doc: Size of `data` in bytes.}
      - {id: crc, type: u4, if: kind != 0, doc: CRC-32C., -wireloom: {checksum: {algorithm: crc32c, over: data}}}
      - {id: data, size: len_data, if: kind != 0, doc: 'The record; in a piece, a part of it.'}
      - {id: rest, size-eos: true, pad-right: 0, if: kind == 0, valid: {expr: _.length == 0}, doc: Zeros up to the end.}
    instances:
      codec: {value: kind & 0x18, doc: 'How the record is compressed: 8 is snappy, 16 is zstd.'}
  varint: {-wireloom: {varint: le}}
  zigzag: {-wireloom: {varint: {order: le, signed: zigzag}}}
  raw_record:
    seq:
      - {id: type, type: u1, enum: record_types, doc: Type of the record., -wireloom: {labels: true}}
      - {id: data, size-eos: true, doc: What it holds.}
  record:
    seq:
      - {id: type, type: u1, doc: Type of the record.}
      - id: body
        size-eos: true
        if: not _io.eof
        type:
          switch-on: type
          cases: {1: series, 2: samples, 3: tombstones, 4: exemplars, 5: mmap_markers, 6: metadata, 7: histograms,
            8: float_histograms, 9: histograms, 10: float_histograms}
        doc: What it holds; a record may be empty.
  label:
    seq:
      - {id: len_name, type: varint, doc: Size of the name.}
      - {id: name, type: str, size: len_name.value, doc: The name.}
      - {id: len_value, type: varint, doc: Size of the value.}
      - {id: value, type: str, size: len_value.value, doc: The value.}
  series:
    seq: [{id: series, type: a_series, repeat: eos, doc: The series.}]
  a_series:
    seq:
      - {id: ref, type: s8, doc: Number of the series.}
      - {id: num_labels, type: varint, doc: How many labels there are.}
      - {id: labels, type: label, repeat: expr, repeat-expr: num_labels.value, doc: The labels.,
        -wireloom: &pairs {map: {key: name, value: value}}}
  samples:
    seq:
      - {id: first_ref, type: s8, doc: Series of the first sample.}
      - {id: first_timestamp, type: s8, doc: Time of the first sample.}
      - {id: samples, type: sample, repeat: eos, doc: The samples.}
  sample:
    seq:
      - {id: ref_delta, type: zigzag, doc: Series from `first_ref` on.}
      - {id: timestamp_delta, type: zigzag, doc: Time from `first_timestamp` on.}
      - {id: value, type: f8, doc: The value.}
    instances: &point
      ref: {value: _parent.first_ref + ref_delta.value, doc: Number of the series.}
      timestamp: {value: _parent.first_timestamp + timestamp_delta.value, doc: Time., -wireloom: {timestamp: ms}}
  exemplars:
    seq:
      - {id: first_ref, type: s8, doc: Series of the first exemplar.}
      - {id: first_timestamp, type: s8, doc: Time of the first exemplar.}
      - {id: exemplars, type: exemplar, repeat: eos, doc: The exemplars.}
  exemplar:
    seq:
      - {id: ref_delta, type: zigzag, doc: Series from `first_ref` on.}
      - {id: timestamp_delta, type: zigzag, doc: Time from `first_timestamp` on.}
      - {id: value, type: f8, doc: The value.}
      - {id: num_labels, type: varint, doc: How many labels there are.}
      - {id: labels, type: label, repeat: expr, repeat-expr: num_labels.value, doc: The labels., -wireloom: *pairs}
    instances: *point
  tombstones:
    seq: [{id: tombstones, type: tombstone, repeat: eos, doc: The ranges.}]
  tombstone:
    seq:
      - {id: ref, type: s8, doc: Number of the series.}
      - {id: mint, type: zigzag, doc: Begin of the range in milliseconds since the Unix epoch.}
      - {id: maxt, type: zigzag, doc: Its last millisecond.}
  mmap_markers:
    seq: [{id: markers, type: mmap_marker, repeat: eos, doc: The markers.}]
  mmap_marker:
    seq: [{id: ref, type: s8, doc: Number of the series.}, {id: mmap_ref, type: u8, doc: Place of the chunk.}]
  metadata:
    seq: [{id: metadata, type: metadatum, repeat: eos, doc: The metadata.}]
  metadatum:
    seq:
      - {id: ref, type: varint, doc: Number of the series.}
      - {id: type, type: u1, enum: metric_types, doc: Type of the metric., -wireloom: {labels: true}}
      - {id: num_fields, type: varint, doc: How many fields there are.}
      - {id: fields, type: label, repeat: expr, repeat-expr: num_fields.value, doc: UNIT and HELP., -wireloom: *pairs}
  span:
    seq:
      - {id: offset, type: zigzag, doc: Buckets between this span and the one before.}
      - {id: length, type: varint, doc: Buckets in the span.}
  histograms:
    seq:
      - {id: first_ref, type: s8, doc: Series of the first histogram.}
      - {id: first_timestamp, type: s8, doc: Time of the first histogram.}
      - {id: histograms, type: histogram, repeat: eos, doc: The histograms.}
  float_histograms:
    seq:
      - {id: first_ref, type: s8, doc: Series of the first histogram.}
      - {id: first_timestamp, type: s8, doc: Time of the first histogram.}
      - {id: histograms, type: float_histogram, repeat: eos, doc: The histograms.}
  histogram:
    seq:
      - &ref_delta {id: ref_delta, type: zigzag, doc: Series from `first_ref` on.}
      - &timestamp_delta {id: timestamp_delta, type: zigzag, doc: Time from `first_timestamp` on.}
      - &counter_reset_hint {id: counter_reset_hint, type: u1, doc: 'Whether the counter was reset (1), was not (2), or is a gauge (3).'}
      - &schema {id: schema, type: zigzag, doc: Resolution of the buckets; -53 where their bounds are `custom_values`.}
      - &zero_threshold {id: zero_threshold, type: f8, doc: Width of the bucket around zero.}
      - {id: zero_count, type: varint, doc: Observations in the bucket around zero.}
      - {id: count, type: varint, doc: All observations.}
      - &sum {id: sum, type: f8, doc: Sum of all observations.}
      - &num_ps {id: num_ps, type: varint, doc: How many positive spans there are.}
      - &positive_spans {id: positive_spans, type: span, repeat: expr, repeat-expr: num_ps.value, doc: Where they have buckets.}
      - &num_ns {id: num_ns, type: varint, doc: How many negative spans there are.}
      - &negative_spans {id: negative_spans, type: span, repeat: expr, repeat-expr: num_ns.value, doc: Likewise.}
      - &num_pb {id: num_pb, type: varint, doc: How many positive buckets there are.}
      - {id: positive_buckets, type: zigzag, repeat: expr, repeat-expr: num_pb.value, doc: Each less the one before.}
      - &num_nb {id: num_nb, type: varint, doc: How many negative buckets there are.}
      - {id: negative_buckets, type: zigzag, repeat: expr, repeat-expr: num_nb.value, doc: Likewise.}
      - &num_cv {id: num_cv, type: varint, if: is_custom, doc: How many custom values there are.}
      - &custom_values {id: custom_values, type: f8, repeat: expr, repeat-expr: num_cv.value, if: is_custom, doc: Bounds of buckets.}
    instances: &histogram_point
      <<: *point
      is_custom: {value: schema.value == -53}
  float_histogram:
    seq: [*ref_delta, *timestamp_delta, *counter_reset_hint, *schema, *zero_threshold,
      {id: zero_count, type: f8, doc: Observations in the bucket around zero.},
      {id: count, type: f8, doc: All observations.}, *sum, *num_ps, *positive_spans, *num_ns, *negative_spans, *num_pb,
      {id: positive_buckets, type: f8, repeat: expr, repeat-expr: num_pb.value, doc: Observations.}, *num_nb,
      {id: negative_buckets, type: f8, repeat: expr, repeat-expr: num_nb.value, doc: Likewise.}, *num_cv,
      *custom_values]
    instances: *histogram_point
enums:
  record_types: {1: series, 2: samples, 3: tombstones, 4: exemplars, 5: mmapmarkers, 6: metadata, 7: histogram_samples,
    8: float_histogram_samples, 9: custom_buckets_histogram_samples, 10: custom_buckets_float_histogram_samples,
    11: samples_v2, 12: histogram_samples_v2, 13: float_histogram_samples_v2, 14: min_valid_time}
  metric_types: {0: unknown, 1: counter, 2: gauge, 3: histogram, 4: gaugehistogram, 5: summary, 6: info, 7: stateset}
