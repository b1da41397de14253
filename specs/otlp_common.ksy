meta:
  id: otlp_common
  title: Common types of OTLP
  application: OpenTelemetry
  license: CC0-1.0
  ks-version: '0.11'
doc: |
  What OpenTelemetry's logs and traces share (packages opentelemetry.proto.common.v1 and resource.v1).

  A value that contains values, a list or a map, is JSON text in tables: an array is `{"values":[…]}` there, as OTLP's
  own JSON has it. Indices into a table of strings (fields 8 of `AnyValue` and 3 of `KeyValue`) belong to profiles and
  are unknown fields here.
doc-ref:
  - https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/common/v1/common.proto
types:
  any_value:
    doc: A value of one of several types; empty where none of them is there.
    -wireloom:
      message:
        fields:
          - {id: string_value, number: 1, type: string, oneof: value, doc: Text.}
          - {id: bool_value, number: 2, type: bool, oneof: value, doc: A boolean.}
          - {id: int_value, number: 3, type: int64, oneof: value, doc: An integer.}
          - {id: double_value, number: 4, type: double, oneof: value, doc: A float.}
          - {id: array_value, number: 5, type: array_value, oneof: value, json: true, doc: A list of values.}
          - {id: kvlist_value, number: 6, type: key_value_list, oneof: value, json: true, doc: Keys with values.}
          - {id: bytes_value, number: 7, type: bytes, oneof: value, doc: Bytes.}
  array_value:
    doc: A list of values, of any types.
    -wireloom:
      message:
        fields:
          - {id: values, number: 1, type: any_value, label: repeated, doc: The values.}
  key_value_list:
    doc: Keys with values.
    -wireloom:
      message:
        fields:
          - {id: values, number: 1, type: key_value, label: repeated, doc: The pairs; each key should occur once.}
  key_value:
    doc: A key with a value.
    -wireloom:
      message:
        fields:
          - {id: key, number: 1, type: string, doc: The key.}
          - {id: value, number: 2, type: any_value, doc: The value.}
  resource:
    doc: What sends telemetry.
    -wireloom:
      message:
        fields:
          - {id: attributes, number: 1, type: key_value, label: repeated, doc: What is known about it.}
          - {id: dropped_attributes_count, number: 2, type: uint32, doc: Attributes that were left out.}
          - {id: entity_refs, number: 3, type: entity_ref, label: repeated, doc: Entities that it consists of.}
  entity_ref:
    doc: An entity, of which the resource has the attributes.
    -wireloom:
      message:
        fields:
          - {id: schema_url, number: 1, type: string, doc: The schema of its keys.}
          - {id: type, number: 2, type: string, doc: Its type.}
          - {id: id_keys, number: 3, type: string, label: repeated, doc: Keys of the attributes that identify it.}
          - {id: description_keys, number: 4, type: string, label: repeated, doc: Keys of those that describe it.}
  instrumentation_scope:
    doc: The part of a program that made the telemetry, such as a library.
    -wireloom:
      message:
        fields:
          - {id: name, number: 1, type: string, doc: Its name.}
          - {id: version, number: 2, type: string, doc: Its version.}
          - {id: attributes, number: 3, type: key_value, label: repeated, doc: What else is known about it.}
          - {id: dropped_attributes_count, number: 4, type: uint32, doc: Attributes that were left out.}
