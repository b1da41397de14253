meta:
  id: packet_headers
  title: Headers of captured packets
  application: [libpcap, tcpdump, Wireshark]
  license: CC0-1.0
  ks-version: '0.11'
doc: |
  What captures of packets share: the headers of Ethernet, Linux's cooked captures, IPv4, IPv6, TCP and UDP as columns,
  computed from the bytes of a packet and the type of its outermost header.

  They are computed and not read, since a capture may have cut a packet anywhere: what is not there is null.
doc-ref: https://www.tcpdump.org/linktypes.html
types:
  packet:
    doc: The headers of a packet.
    params:
      - {id: data, type: bytes, doc: 'The packet, from its outermost header on.'}
      - {id: link, type: u4, doc: 'The type of that header (LINKTYPE): 1, 101, 113, 228, 229 and 276 are known.'}
    instances:
      at_type:
        value: 'link == 1 ? 12 : link == 113 ? 14 : link == 276 ? 0 : 0x10000000'
        doc: Where the EtherType begins in `data`; after all packets without one.
      after_link:
        value: 'link == 1 ? 14 : link == 113 ? 16 : link == 276 ? 20 : 0'
        doc: Where what follows the outermost header begins, a tag of a VLAN or another header.
      first_type:
        value: 'data.size < after_link or data.size < at_type + 2 ? 0 : data[at_type] << 8 | data[at_type + 1]'
      is_tagged:
        value: (first_type == 0x8100 or first_type == 0x88a8) and data.size >= after_link + 4
      second_type:
        value: 'is_tagged ? data[after_link + 2] << 8 | data[after_link + 3] : first_type'
      is_tagged_twice:
        value: is_tagged and second_type == 0x8100 and data.size >= after_link + 8
      network_type:
        value: 'is_tagged_twice ? data[after_link + 6] << 8 | data[after_link + 7] : second_type'
        doc: The EtherType after the tags of VLANs.
      after_tags:
        value: 'after_link + (is_tagged_twice ? 8 : is_tagged ? 4 : 0)'
      is_raw: {value: link == 101 or link == 228 or link == 229}
      at_ip:
        value: 'is_raw or network_type == 0x800 or network_type == 0x86dd ? after_tags : 0x10000000'
        doc: Where the header of IP begins in `data`; after all packets without one.
      version: {value: 'data.size > at_ip ? data[at_ip] >> 4 : 0'}
      protocol:
        value: 'version == 4 ? data[at_ip + 9] : data[at_ip + 6]'
        doc: The protocol after IP.
      at_transport:
        value: >-
          data.size < at_ip + 28 ? 0x10000000 : version == 6 ? at_ip + 40
          : (data[at_ip + 6] << 8 | data[at_ip + 7]) & 0x1fff == 0 ? at_ip + (data[at_ip] & 15) * 4 : 0x10000000
        doc: Where the transport layer begins in `data`; after all packets without one, as in later fragments.
      is_tcp: {value: data.size >= at_transport + 20 and protocol == 6}
      is_udp: {value: data.size >= at_transport + 8 and protocol == 17}
      has_transport: {value: is_tcp or is_udp}
      at_payload:
        value: 'is_udp ? at_transport + 8 : at_transport + (data[at_transport + 12] >> 4) * 4'
      ip_len:
        value: >-
          version == 4 ? data[at_ip + 2] << 8 | data[at_ip + 3]
          : (data[at_ip + 4] << 8 | data[at_ip + 5]) != 0 ? (data[at_ip + 4] << 8 | data[at_ip + 5]) + 40 : 0
        doc: Bytes of IP's header and what is in it; 0 where that is not said.
      ip_end: {value: 'ip_len == 0 or at_ip + ip_len > data.size ? data.size : at_ip + ip_len'}
      udp_len: {value: 'data[at_transport + 4] << 8 | data[at_transport + 5]'}
      payload_end:
        value: 'is_udp and udp_len >= 8 and at_transport + udp_len < ip_end ? at_transport + udp_len : ip_end'
      eth_dst:
        value: >-
          data[0] << 40 | data[1] << 32 | data[2] << 24 | data[3] << 16 | data[4] << 8 | data[5]
        if: link == 1 and data.size >= 12
        doc: Destination in Ethernet, a number of 48 bits.
      eth_src:
        value: >-
          data[6] << 40 | data[7] << 32 | data[8] << 24 | data[9] << 16 | data[10] << 8 | data[11]
        if: link == 1 and data.size >= 12
        doc: Source in Ethernet, a number of 48 bits.
      eth_type:
        value: network_type
        if: network_type != 0 and network_type != 0x8100 and network_type != 0x88a8
        doc: EtherType, that after tags of VLANs if there are some; of Linux's cooked captures their protocol.
      vlan:
        value: (data[after_link] << 8 | data[after_link + 1]) & 0xfff
        if: is_tagged
        doc: Number of the VLAN, of the outer one if there are two.
      ip_version:
        value: version
        if: version != 0
        doc: 4 or 6.
      ip_src:
        value: data[at_ip + 12] << 24 | data[at_ip + 13] << 16 | data[at_ip + 14] << 8 | data[at_ip + 15]
        if: version == 4 and data.size >= at_ip + 20
        doc: Source in IPv4, a number of 32 bits.
      ip_dst:
        value: data[at_ip + 16] << 24 | data[at_ip + 17] << 16 | data[at_ip + 18] << 8 | data[at_ip + 19]
        if: version == 4 and data.size >= at_ip + 20
        doc: Destination in IPv4, a number of 32 bits.
      ip6_src:
        value: data
        if: version == 6 and data.size >= at_ip + 40
        -wireloom: {slice: {from: at_ip + 8, to: at_ip + 24}}
        doc: Source in IPv6, 16 bytes.
      ip6_dst:
        value: data
        if: version == 6 and data.size >= at_ip + 40
        -wireloom: {slice: {from: at_ip + 24, to: at_ip + 40}}
        doc: Destination in IPv6, 16 bytes.
      ip_protocol:
        value: protocol
        if: data.size >= at_ip + 20
        doc: '6: TCP, 17: UDP; of IPv6 the first header after its own.'
      ip_ttl:
        value: 'version == 4 ? data[at_ip + 8] : data[at_ip + 7]'
        if: data.size >= at_ip + 20
        doc: Time to live, or hop limit.
      src_port:
        value: data[at_transport] << 8 | data[at_transport + 1]
        if: has_transport
        doc: Source in TCP or UDP.
      dst_port:
        value: data[at_transport + 2] << 8 | data[at_transport + 3]
        if: has_transport
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
        value: at_payload
        if: has_transport
        doc: Where the payload of TCP or UDP begins in `data`; at its end or after it where there is none.
      payload:
        value: data
        if: has_transport and at_payload <= data.size
        -wireloom: {slice: {from: at_payload, to: 'payload_end < at_payload ? at_payload : payload_end'}}
        doc: The payload of TCP or UDP, without what pads a frame; as much as was captured.
