meta:
  id: zoo
  title: Zoo
  endian: be
  -wireloom:
    rows: animals
seq:
  - id: magic
    contents: ZOO
  - id: version
    type: u1
  - id: animals
    type: animal
    repeat: eos
types:
  animal:
    seq:
      - id: size
        type: u2
      - id: body
        type: body
        size: size
    types:
      body:
        seq:
          - id: high
            type: b4
          - id: low
            type: b4
          - id: kind
            type: u1
            enum: kind
          - id: tag
            type: u2
          - id: name
            type: strz
            encoding: UTF-8
          - id: count
            type: u1
          - id: points
            type: point
            repeat: expr
            repeat-expr: count
          - id: words
            type: strz
            encoding: ASCII
            repeat: expr
            repeat-expr: 2
          - id: numbers
            type: u2
            repeat: expr
            repeat-expr: 2
          - id: extra
            type: u4
            if: kind == kind::cat
          - id: packed
            size-eos: true
            process: xor(0x5a)
        instances:
          first_byte:
            pos: 0
            type: u1
          twice:
            value: tag * 2
      point:
        seq:
          - id: x
            type: s2
          - id: y
            type: s2
enums:
  kind:
    1: cat
    2: dog
