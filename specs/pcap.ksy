meta:
  id: pcap
  title: Packet capture
  application: [libpcap, tcpdump, Wireshark]
  file-extension: [pcap, cap, dmp]
  license: CC0-1.0
  ks-version: '0.11'
  -wireloom:
    rows: packets
    columns: [ts, incl_len, orig_len, data]
    selectable:
      - ts_sec
      - ts_frac
      - network
      - snaplen
      - eth_dst
      - eth_src
      - eth_type
      - vlan
      - ip_version
      - ip_src
      - ip_dst
      - ip_protocol
      - ip_ttl
      - src_port
      - dst_port
      - tcp_seq
      - tcp_ack
      - tcp_flags
      - payload_offset
doc: |
  Packets of a network, as tcpdump and everything that is made of libpcap captures them: a header, then the packets one
  after the other. The byte order is that of the machine that captured, and the magic number says which one it is; it
  also says whether times are in microseconds or nanoseconds.

  There are no checksums. A packet whose length is damaged is not told from a long one, so that the packets after it are
  lost up to where the option `recover` finds three that make sense.

  Columns of Ethernet (also with a VLAN tag), IPv4, IPv6, TCP and UDP can be selected, of the link types Ethernet and raw
  IP. They are null where the packet has no such header, or it is not captured as a whole. In IPv6
  extension headers are not passed over, and IPv6's addresses are no columns.
doc-ref: https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/
seq:
  - id: magic
    type: u4le
    valid: {any-of: [0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1]}
    doc: 0xa1b2c3d4 with times in microseconds, 0xa1b23c4d in nanoseconds; in the byte order of the file.
    -wireloom: {default: 0xa1b23c4d}
  - id: header
    type: header
    doc: The rest of the header.
  - id: packets
    type: packet
    repeat: eos
    doc: The packets, to the end of the file.
instances:
  ns_per_unit:
    value: 'magic == 0xa1b23c4d or magic == 0x4d3cb2a1 ? 1 : 1000'
    doc: Nanoseconds in a unit of `ts_frac`.
types:
  header:
    doc: What is known of all packets.
    meta: {endian: {switch-on: _root.magic, cases: {0xa1b2c3d4: le, 0xa1b23c4d: le, _: be}}}
    seq:
      - id: version_major
        type: u2
        doc: 2 since 1998.
        -wireloom: {default: 2}
      - id: version_minor
        type: u2
        doc: 4 since 1998.
        -wireloom: {default: 4}
      - id: thiszone
        type: s4
        doc: Not used; 0.
        -wireloom: {default: 0}
      - id: sigfigs
        type: u4
        doc: Not used; 0.
        -wireloom: {default: 0}
      - id: snaplen
        type: u4
        doc: The most bytes of a packet that were captured.
        -wireloom: {default: 262144}
      - id: network
        type: u4
        doc: The type of the packets' outermost header (LINKTYPE); 1 is Ethernet.
        -wireloom: {default: 1}
  packet:
    doc: One packet.
    meta: {endian: {switch-on: _root.magic, cases: {0xa1b2c3d4: le, 0xa1b23c4d: le, _: be}}}
    seq:
      - id: ts_sec
        type: u4
        doc: Seconds since the Unix epoch.
        -wireloom: {default: ts / 1000000000}
      - id: ts_frac
        type: u4
        doc: Microseconds, or nanoseconds, in this second.
        -wireloom: {default: ts % 1000000000 / _root.ns_per_unit}
      - id: incl_len
        type: u4
        valid: {max: 0x8000000}
        doc: Bytes of the packet in the file.
      - id: orig_len
        type: u4
        doc: Bytes of the packet on the network.
        -wireloom: {default: data.size}
      - id: data
        size: incl_len
        doc: The packet, from its outermost header on.
    instances:
      ts:
        value: ts_sec * 1000000000 + ts_frac * _root.ns_per_unit
        doc: When the packet was captured.
        -wireloom: {timestamp: ns}
      snaplen:
        value: _root.header.snaplen
        doc: The most bytes of a packet that were captured.
      network:
        value: _root.header.network
        doc: The type of the packet's outermost header (LINKTYPE); 1 is Ethernet.
      at_ip:
        value: >-
          _root.header.network == 101 ? 0 : _root.header.network != 1 or data.size < 20 ? 0x10000000
          : (data[12] << 8 | data[13]) == 0x800 or (data[12] << 8 | data[13]) == 0x86dd ? 14
          : data[12] == 0x81 and data[13] == 0
          and ((data[16] << 8 | data[17]) == 0x800 or (data[16] << 8 | data[17]) == 0x86dd) ? 18 : 0x10000000
        doc: Where the header of IP begins in `data`; after all packets without one.
      protocol:
        value: 'data[at_ip] >> 4 == 4 ? data[at_ip + 9] : data[at_ip + 6]'
        doc: The protocol after IP.
      at_transport:
        value: >-
          data.size < at_ip + 28 ? 0x10000000 : data[at_ip] >> 4 == 6 ? at_ip + 40
          : (data[at_ip + 6] << 8 | data[at_ip + 7]) & 0x1fff == 0 ? at_ip + (data[at_ip] & 15) * 4 : 0x10000000
        doc: Where the transport layer begins in `data`; after all packets without one, as in later fragments.
      is_tcp:
        value: data.size >= at_transport + 20 and protocol == 6
        doc: Whether the header of TCP is there.
      is_udp:
        value: data.size >= at_transport + 8 and protocol == 17
        doc: Whether the header of UDP is there.
      has_vlan:
        value: network == 1 and data.size >= 18 and data[12] == 0x81 and data[13] == 0
        doc: Whether there is a VLAN tag.
      eth_dst:
        value: >-
          data[0] << 40 | data[1] << 32 | data[2] << 24 | data[3] << 16 | data[4] << 8 | data[5]
        if: network == 1 and data.size >= 12
        doc: Destination in Ethernet, a number of 48 bits.
      eth_src:
        value: >-
          data[6] << 40 | data[7] << 32 | data[8] << 24 | data[9] << 16 | data[10] << 8 | data[11]
        if: network == 1 and data.size >= 12
        doc: Source in Ethernet, a number of 48 bits.
      eth_type:
        value: 'has_vlan ? data[16] << 8 | data[17] : data[12] << 8 | data[13]'
        if: network == 1 and data.size >= 14 and (has_vlan or data[12] != 0x81 or data[13] != 0)
        doc: EtherType, that after a VLAN tag if there is one.
      vlan:
        value: (data[14] << 8 | data[15]) & 0xfff
        if: has_vlan
        doc: Number of the VLAN.
      ip_version:
        value: data[at_ip] >> 4
        if: data.size > at_ip
        doc: 4 or 6.
      ip_src:
        value: data[at_ip + 12] << 24 | data[at_ip + 13] << 16 | data[at_ip + 14] << 8 | data[at_ip + 15]
        if: data.size >= at_ip + 20 and data[at_ip] >> 4 == 4
        doc: Source in IPv4, a number of 32 bits.
      ip_dst:
        value: data[at_ip + 16] << 24 | data[at_ip + 17] << 16 | data[at_ip + 18] << 8 | data[at_ip + 19]
        if: data.size >= at_ip + 20 and data[at_ip] >> 4 == 4
        doc: Destination in IPv4, a number of 32 bits.
      ip_protocol:
        value: protocol
        if: data.size >= at_ip + 20
        doc: '6: TCP, 17: UDP; of IPv6 the first header after its own.'
      ip_ttl:
        value: 'data[at_ip] >> 4 == 4 ? data[at_ip + 8] : data[at_ip + 7]'
        if: data.size >= at_ip + 20
        doc: Time to live, or hop limit.
      src_port:
        value: data[at_transport] << 8 | data[at_transport + 1]
        if: is_tcp or is_udp
        doc: Source in TCP or UDP.
      dst_port:
        value: data[at_transport + 2] << 8 | data[at_transport + 3]
        if: is_tcp or is_udp
        doc: Destination in TCP or UDP.
      tcp_seq:
        value: >-
          data[at_transport + 4] << 24 | data[at_transport + 5] << 16 | data[at_transport + 6] << 8
          | data[at_transport + 7]
        if: is_tcp
        doc: Sequence number.
      tcp_ack:
        value: >-
          data[at_transport + 8] << 24 | data[at_transport + 9] << 16 | data[at_transport + 10] << 8
          | data[at_transport + 11]
        if: is_tcp
        doc: Acknowledgement number.
      tcp_flags:
        value: (data[at_transport + 12] & 1) << 8 | data[at_transport + 13]
        if: is_tcp
        doc: 'FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR 128, NS 256.'
      payload_offset:
        value: 'protocol == 17 ? at_transport + 8 : at_transport + (data[at_transport + 12] >> 4) * 4'
        if: is_tcp or is_udp
        doc: Where the payload of TCP or UDP begins in `data`; at its end or after it where there is none.
