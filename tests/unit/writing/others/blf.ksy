meta:
  id: blf
  endian: le
  -wireloom:
    tables:
      messages:
        rows: containers.data.as<log>.objects.body.as<can_message>
        columns: [timestamp, channel, arbitration_id, dlc, payload]
      containers:
        rows: containers
        columns: [method, version, len_expanded, data, padding]
        parent-columns: [rest]
        stream: data
seq:
  - {id: magic, contents: LOGG}
  - {id: len_header, type: u4}
  - {id: rest, size: len_header - 8}
  - {id: containers, type: container, repeat: eos}
types:
  container:
    seq:
      - {id: magic, contents: LOBJ}
      - {id: len_header, type: u2, valid: 16}
      - {id: version, type: u2}
      - {id: len_object, type: u4}
      - {id: kind, type: u4, valid: 10}
      - {id: method, type: u2}
      - {id: reserved, contents: [0, 0, 0, 0, 0, 0]}
      - {id: len_expanded, type: u4}
      - {id: reserved_too, contents: [0, 0, 0, 0]}
      - {id: data, size: len_object - 32, -wireloom: {codec: {switch-on: method, cases: {0: none, 2: zlib}}}}
      - {id: padding, size: len_object % 4}
  log:
    seq:
      - {id: objects, type: object, repeat: eos}
  object:
    seq:
      - {id: magic, contents: LOBJ}
      - {id: len_header, type: u2, valid: 32}
      - {id: version, type: u2, valid: 1}
      - {id: len_object, type: u4}
      - {id: kind, type: u4}
      - {id: time_unit, type: u4, valid: {any-of: [1, 2]}}
      - {id: client, type: u2}
      - {id: object_version, type: u2}
      - {id: time, type: u8}
      - id: body
        size: len_object - 32
        type: {switch-on: kind, cases: {1: can_message, 86: can_message}}
      - {id: padding, size: len_object % 4}
    instances:
      timestamp: {value: 'time_unit == 1 ? time * 10000 : time'}
  can_message:
    seq:
      - {id: channel, type: u2}
      - {id: flags, type: u1}
      - {id: dlc, type: u1, valid: {max: 8}}
      - {id: number, type: u4}
      - {id: payload, size: dlc}
      - {id: rest, size-eos: true}
    instances:
      arbitration_id: {value: number & 0x1fffffff}
