meta:
  id: ulog
  endian: le
  -wireloom: {rows: messages, parent-columns: [version, started], columns: [kind, body]}
seq:
  - {id: magic, contents: [0x55, 0x4c, 0x6f, 0x67, 0x01, 0x12, 0x35]}
  - {id: version, type: u1, -wireloom: {default: 1}}
  - {id: started, type: u8, -wireloom: {default: 0}}
  - {id: messages, type: message, repeat: eos}
instances:
  topics: {-wireloom: {variable: {keys: integer, values: text}}}
types:
  message:
    seq:
      - {id: size, type: u2}
      - {id: kind, type: u1}
      - {id: body, size: size, type: {switch-on: kind, cases: {0x41: subscription, 0x44: data}}}
  subscription:
    seq:
      - {id: instance, type: u1}
      - {id: id, type: u2}
      - {id: topic, type: str, size-eos: true, encoding: UTF-8}
    instances:
      named: {value: topic, -wireloom: {sets: '_root.topics[id]'}}
  data:
    seq:
      - {id: id, type: u2}
      - id: value
        size-eos: true
        type:
          switch-on: '_root.topics.has(id) ? _root.topics[id] : ""'
          cases: {'"attitude"': attitude, '"battery"': battery}
  attitude:
    seq:
      - {id: timestamp, type: u8}
      - {id: roll, type: f4}
  battery:
    seq:
      - {id: timestamp, type: u8}
      - {id: volts, type: f4}
      - {id: cells, type: u1}
