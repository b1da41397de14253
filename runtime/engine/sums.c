/* Adler-32 (RFC 1950), Fletcher's checksums, and plain sums of bytes and words. */
#include "sums.h"

/* Adler-32: number of bytes before the second sum can exceed 32 bits. */
#define ADLER_BYTES 5552
#define ADLER_PRIME 65521

uint64_t wl_adler32(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    uint32_t low = state & 0xFFFF, high = state >> 16 & 0xFFFF;
    (void)tables;
    while (size) {
        size_t count = wl_smaller(size, ADLER_BYTES);
        for (size_t i = 0; i < count; i++) {
            low += data[i];
            high += low;
        }
        low %= ADLER_PRIME;
        high %= ADLER_PRIME;
        data += count;
        size -= count;
    }
    return (uint64_t)high << 16 | low;
}

/* Fletcher's checksum of words of `unit` bytes, little-endian; zeros complete the last one. Both sums are reduced
 * modulo 2^(8 · unit) − 1 before the second can exceed 64 bits. */
static inline uint64_t fletcher(uint64_t state, const uint8_t *data, size_t size, size_t unit) {
    enum { WORDS = 65536 };
    const unsigned bits = 8 * (unsigned)unit;
    const uint64_t modulus = (UINT64_C(1) << bits) - 1;
    uint64_t low = state & modulus, high = state >> bits & modulus;
    while (size) {
        for (size_t i = 0; i < WORDS && size; i++) {
            uint64_t word = 0;
            size_t count = wl_smaller(size, unit);
            for (size_t k = 0; k < count; k++)
                word |= (uint64_t)data[k] << 8 * k;
            low += word;
            high += low;
            data += count;
            size -= count;
        }
        low %= modulus;
        high %= modulus;
    }
    return high << bits | low;
}

uint64_t wl_fletcher16(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return fletcher(state, data, size, 1);
}

uint64_t wl_fletcher16_256(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    uint32_t low = state & 0xFF, high = state >> 8 & 0xFF;
    (void)tables;
    for (size_t i = 0; i < size; i++) {
        low += data[i];
        high += low;
    }
    return (uint64_t)(high & 0xFF) << 8 | (low & 0xFF);
}

uint64_t wl_fletcher32(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return fletcher(state, data, size, 2);
}

uint64_t wl_fletcher64(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return fletcher(state, data, size, 4);
}

/* A byte counts by its position in its word, so that words may begin in one piece and end in the next. */
static inline uint64_t add_words(uint64_t state, const uint8_t *data, size_t size, size_t unit, bool big) {
    const uint64_t mask = (UINT64_C(1) << WL_SUM_BITS) - 1;
    uint64_t sum = state & mask;
    size_t at = state >> WL_SUM_BITS;
    for (; at && size; size--, at = (at + 1) % unit)
        sum += (uint64_t)*data++ << 8 * (big ? unit - 1 - at : at);
    for (; size >= unit; size -= unit, data += unit) {
        uint64_t word = 0;
        for (size_t k = 0; k < unit; k++)
            word |= (uint64_t)data[k] << 8 * (big ? unit - 1 - k : k);
        sum += word;
    }
    for (; size; size--, at++)
        sum += (uint64_t)*data++ << 8 * (big ? unit - 1 - at : at);
    return (sum & mask) | (uint64_t)at << WL_SUM_BITS;
}

uint64_t wl_sum_bytes(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    for (size_t i = 0; i < size; i++)
        state += data[i];
    return state & ((UINT64_C(1) << WL_SUM_BITS) - 1);
}

uint64_t wl_sum_le2(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return add_words(state, data, size, 2, false);
}

uint64_t wl_sum_le4(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return add_words(state, data, size, 4, false);
}

uint64_t wl_sum_be2(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return add_words(state, data, size, 2, true);
}

uint64_t wl_sum_be4(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return add_words(state, data, size, 4, true);
}

uint64_t wl_xor_bytes(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    for (size_t i = 0; i < size; i++)
        state ^= data[i];
    return state;
}
