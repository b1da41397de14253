meta:
  id: edgemq_segment
  title: EdgeMQ write-ahead-log segment
  application: EdgeMQ
  file-extension:
    - wal
    - wal.zst
  license: CC0-1.0
  ks-version: '0.11'
  # All integers of the format are big-endian.
  endian: be
  -wireloom:
    rows: frames
    columns: [fmt, tenant, ts, payload]
    selectable: [ts_millis, len, crc32c]
    # Sealed segments are stored compressed; readers look at the content, so that a raw .wal file is read as well.
    codec: zstd
    # The object key. What stands before the region (the bucket, a prefix of any depth) is not part of the pattern.
    path: "{region}/{instance_id}/{epoch}/segments/{segment}.wal.zst"
    max-record: 67108864
    options:
      stride:
        doc: |
          How long a frame is, on which the format's own text contradicts itself.

          Its layout says 8 + LEN bytes: LEN counts FMT, TENANT, TS and PAYLOAD, and only LEN and CRC32C stand before
          what it counts. Its parsing rules say 21 + LEN bytes, which counts FMT, TENANT and TS (13 bytes) once more.

          - `layout`: a frame has 8 + LEN bytes. This is how segments are written.
          - `rules`: a frame has 21 + LEN bytes, so that 13 unused bytes follow each payload.
          - `auto`: the stride by which the first frames' checksums hold; `layout` where both do or neither does.
        padding:
          layout: 0
          rules: 13
        default: auto
doc: |
  What EdgeMQ's ingest service writes to S3: one object per sealed segment of its write-ahead log.

  A segment is a run of frames, back to back: no header, no footer, no padding, no delimiter. A file that ends inside a
  frame was cut off; the frames before it are good.

  The format's own text contradicts itself about where the next frame begins. Its table of fields defines LEN as the
  number of bytes in FMT..PAYLOAD, so that a frame has 8 + LEN bytes. Its parsing rules and its pseudocode compute
  `frameBytes = 21 + LEN`, which is true only where 13 unused bytes follow each payload. The table is what this spec
  says, since it is what writers do. A file that was written to the letter of the rules is read with the option
  `stride=rules`; with `stride=auto` (the default) the reader finds out by itself.
seq:
  - id: frames
    type: frame
    repeat: eos
    doc: The frames, to the end of the segment.
types:
  frame:
    doc: |
      One ingested message.

      | field   | bytes    | meaning                                            |
      |---------|----------|----------------------------------------------------|
      | LEN     | 4        | number of bytes from FMT to the end of PAYLOAD     |
      | CRC32C  | 4        | checksum of PAYLOAD                                |
      | FMT     | 1        | version of the frame's format                      |
      | TENANT  | 4        | tenant                                             |
      | TS      | 8        | creation time, milliseconds since the Unix epoch   |
      | PAYLOAD | LEN − 13 | the message                                        |
    seq:
      - id: len
        type: u4
        # FMT, TENANT and TS alone have 13 bytes. Whatever follows a smaller number cannot be trusted.
        valid:
          min: 13
        doc: Number of bytes from `fmt` to the end of `payload`, which is the payload's size + 13.
      - id: crc32c
        type: u4
        doc: CRC-32C (Castagnoli) of `payload` alone.
        -wireloom:
          # As usual: initial value and final xor are 0xffffffff.
          checksum:
            algorithm: crc32c
            over: payload
      - id: fmt
        type: u1
        # Only 0 has been seen so far. Others are kept, not refused: a new version is no damage.
        doc: Version of the frame's format; 0 today.
      - id: tenant
        type: u4
        doc: Number of the tenant whose message it is.
      - id: ts_millis
        type: u8
        doc: Creation time as it stands in the frame, in milliseconds since the Unix epoch.
      - id: payload
        size: len - 13
        doc: The message, opaque to the log; in practice JSON or lines of JSON.
    instances:
      ts:
        value: ts_millis
        doc: |
          Creation time as a timestamp. A number beyond what a timestamp can hold becomes null; `ts_millis` keeps it.
        -wireloom:
          timestamp: ms
