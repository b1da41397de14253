/* Delimiter search without special instructions: eight bytes at a time by the carry trick.
 *
 * (x - 0x01…) & ~x & 0x80… has a bit set in every byte of x that is zero, and may have false ones above a true one; so
 * it only tells whether to look closer, and the bytes themselves decide. */
#include "internal.h"

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define HIGH_BITS UINT64_C(0x8080808080808080)

static inline uint64_t has_zero(uint64_t word) { return (word - EACH_BYTE) & ~word & HIGH_BITS; }

size_t wl_scan_pair_portable(const uint8_t *from, size_t count, uint8_t first, uint8_t second, uint16_t *positions) {
    uint64_t pattern = EACH_BYTE * first;
    size_t found = 0;
    for (size_t at = 0; at < count;) {
        size_t size = wl_smaller(8, count - at);
        if (size == 8 && !has_zero(wl_load_le8(from + at) ^ pattern)) {
            at += 8;
            continue;
        }
        for (size_t end = at + size; at < end; at++) {
            if (from[at] == first && from[at + 1] == second)
                positions[found++] = (uint16_t)at;
        }
    }
    return found;
}

size_t wl_scan_byte_portable(const uint8_t *from, size_t count, uint8_t first, uint8_t second, uint16_t *positions) {
    uint64_t pattern = EACH_BYTE * first;
    size_t found = 0;
    (void)second;
    for (size_t at = 0; at < count;) {
        size_t size = wl_smaller(8, count - at);
        if (size == 8 && !has_zero(wl_load_le8(from + at) ^ pattern)) {
            at += 8;
            continue;
        }
        for (size_t end = at + size; at < end; at++) {
            if (from[at] == first)
                positions[found++] = (uint16_t)at;
        }
    }
    return found;
}
