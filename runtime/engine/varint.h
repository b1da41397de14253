/* Integers in bytes with seven bits each, whose highest bit says that another byte follows. */
#ifndef WIRELOOM_VARINT_H
#define WIRELOOM_VARINT_H

#include <stdbool.h>

#include "bytes.h"

#define WL_HIGHEST_BITS 0x8080808080808080u

/* The seven lowest bits of each byte, concatenated. */
typedef uint64_t (*wl_varint_groups)(uint64_t bytes);

static inline uint64_t wl_groups(uint64_t bytes) {
    bytes = (bytes & 0x007F007F007F007Fu) | (bytes & 0x7F007F007F007F00u) >> 1;
    bytes = (bytes & 0x00003FFF00003FFFu) | (bytes & 0x3FFF00003FFF0000u) >> 2;
    return (bytes & 0x000000000FFFFFFFu) | (bytes & 0x0FFFFFFF00000000u) >> 4;
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("bmi2"))) static inline uint64_t wl_groups_bmi2(uint64_t bytes) {
    return _pext_u64(bytes, ~WL_HIGHEST_BITS);
}
#endif

/* Zigzag: even numbers represent 0, 1, 2 …, odd ones -1, -2 … */
static inline int64_t wl_varint_signed(uint64_t value) { return (int64_t)(value >> 1 ^ (0 - (value & 1))); }

/* The number of the first byte whose highest bit is not set, or 8. */
static inline unsigned wl_varint_last(uint64_t bytes) {
    const uint64_t ends = ~bytes & WL_HIGHEST_BITS;
    return ends ? (unsigned)__builtin_ctzll(ends) / 8 : 8;
}

/* A bit for each of sixteen bytes: whether it is the last one of a varint. */
static inline unsigned wl_varint_ends(const uint8_t *at) {
#if defined(__SSE2__)
    return ~(unsigned)_mm_movemask_epi8(_mm_loadu_si128((const void *)at)) & 0xFFFF;
#else
    const uint64_t low = ~wl_load_le8(at) & WL_HIGHEST_BITS, high = ~wl_load_le8(at + 8) & WL_HIGHEST_BITS;
    return (unsigned)(low * 0x0002040810204081u >> 56 | (high * 0x0002040810204081u >> 56) << 8);
#endif
}

/* The bytes up to number `last`, which is at most 7, lowest first, followed by zeros. */
static inline uint64_t wl_varint_bytes(uint64_t bytes, unsigned last, bool big_endian) {
    const unsigned unused = 8 * (7 - last);
    return big_endian ? __builtin_bswap64(bytes) >> unused : bytes & UINT64_MAX >> unused;
}

#endif
