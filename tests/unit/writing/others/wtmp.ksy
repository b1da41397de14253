meta:
  id: wtmp
  endian: le
  encoding: UTF-8
  -wireloom: {rows: entries, columns: [type, pid, line, id, user, host, exit, session, at, address]}
seq:
  - {id: entries, type: entry, repeat: eos}
types:
  entry:
    seq:
      - {id: type, type: s2}
      - {id: pad, size: 2, contents: [0, 0]}
      - {id: pid, type: s4}
      - {id: line, size: 32, type: strz}
      - {id: id, size: 4, type: strz}
      - {id: user, size: 32, type: strz}
      - {id: host, size: 256, type: strz}
      - {id: exit, type: u4}
      - {id: session, type: s4}
      - {id: seconds, type: u4, -wireloom: {default: 'at / 1000000'}}
      - {id: micros, type: u4, -wireloom: {default: 'at % 1000000'}}
      - {id: address, size: 16}
      - {id: reserved, size: 20, -wireloom: {default: '[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]'}}
    instances:
      at: {value: seconds * 1000000 + micros, -wireloom: {timestamp: us}}
