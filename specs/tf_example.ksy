meta:
  id: tf_example
  title: TensorFlow's examples
  application: TensorFlow
  license: CC0-1.0
  ks-version: '0.11'
  -wireloom:
    message:
      framing: [varint, whole]
      option: message
      default: example
      kinds:
        example: {type: example, columns: [features]}
        sequence_example: {type: sequence_example, columns: [context, feature_lists]}
doc: |
  Messages `tensorflow.Example`, which are what the records of TFRecord files mostly are: features by their names, each
  a list of bytes, of floats or of integers. The option `message` reads messages `tensorflow.SequenceExample` instead,
  with lists of features.

  They are values of a column, such as `data` of the format `tfrecord`.
doc-ref:
  - https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/example/example.proto
  - https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/example/feature.proto
types:
  example:
    doc: An example.
    -wireloom:
      message:
        fields:
          - {id: features, number: 1, type: features, doc: What it consists of.}
  sequence_example:
    doc: An example with lists of features, such as the words of a sentence.
    -wireloom:
      message:
        fields:
          - {id: context, number: 1, type: features, doc: Features of all of it.}
          - {id: feature_lists, number: 2, type: feature_lists, doc: Features of its parts.}
  features:
    doc: Features.
    -wireloom:
      message:
        fields:
          - {id: feature, number: 1, type: feature, map-key: string, doc: The features by their names.}
  feature_lists:
    doc: Lists of features.
    -wireloom:
      message:
        fields:
          - {id: feature_list, number: 1, type: feature_list, map-key: string, doc: The lists by their names.}
  feature_list:
    doc: A list of features, one for each part.
    -wireloom:
      message:
        fields:
          - {id: feature, number: 1, type: feature, label: repeated, doc: The features.}
  feature:
    doc: A list of values, of one of three types.
    -wireloom:
      message:
        fields:
          - {id: bytes_list, number: 1, type: bytes_list, oneof: kind, doc: Bytes or text.}
          - {id: float_list, number: 2, type: float_list, oneof: kind, doc: Floats.}
          - {id: int64_list, number: 3, type: int64_list, oneof: kind, doc: Integers.}
  bytes_list:
    doc: A list of bytes.
    -wireloom: {message: {fields: [{id: value, number: 1, type: bytes, label: repeated, doc: The values.}]}}
  float_list:
    doc: A list of floats.
    -wireloom: {message: {fields: [{id: value, number: 1, type: float, label: repeated, doc: The values.}]}}
  int64_list:
    doc: A list of integers.
    -wireloom: {message: {fields: [{id: value, number: 1, type: int64, label: repeated, doc: The values.}]}}
