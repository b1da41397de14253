/* Delimiter search with NEON: 16 bytes at a time. NEON has no movemask; narrowing each byte of the comparison to four
 * bits gives a 64-bit word with a nibble per byte. */
#include "internal.h"

#if defined(__aarch64__)
#include <arm_neon.h>

static inline uint64_t nibbles(uint8x16_t equal) {
    uint8x8_t narrowed = vshrn_n_u16(vreinterpretq_u16_u8(equal), 4);
    return vget_lane_u64(vreinterpret_u64_u8(narrowed), 0) & UINT64_C(0x8888888888888888);
}

static inline size_t note(uint64_t mask, size_t at, uint16_t *positions, size_t found) {
    while (mask) {
        positions[found++] = (uint16_t)(at + (size_t)__builtin_ctzll(mask) / 4);
        mask &= mask - 1;
    }
    return found;
}

static size_t shift(uint16_t *positions, size_t count, size_t by) {
    for (size_t i = 0; i < count; i++)
        positions[i] = (uint16_t)(positions[i] + by);
    return count;
}

size_t wl_scan_pair_neon(const uint8_t *from, size_t count, uint8_t first, uint8_t second, uint16_t *positions) {
    uint8x16_t one = vdupq_n_u8(first), two = vdupq_n_u8(second);
    size_t found = 0, at = 0;
    for (; count - at >= 16; at += 16) {
        uint8x16_t equal = vandq_u8(vceqq_u8(vld1q_u8(from + at), one), vceqq_u8(vld1q_u8(from + at + 1), two));
        found = note(nibbles(equal), at, positions, found);
    }
    size_t more = wl_scan_pair_portable(from + at, count - at, first, second, positions + found);
    return found + shift(positions + found, more, at);
}

size_t wl_scan_byte_neon(const uint8_t *from, size_t count, uint8_t first, uint8_t second, uint16_t *positions) {
    uint8x16_t one = vdupq_n_u8(first);
    size_t found = 0, at = 0;
    (void)second;
    for (; count - at >= 16; at += 16)
        found = note(nibbles(vceqq_u8(vld1q_u8(from + at), one)), at, positions, found);
    size_t more = wl_scan_byte_portable(from + at, count - at, first, 0, positions + found);
    return found + shift(positions + found, more, at);
}

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_scan_neon_not_empty;
