/* CRC-32C with SSE4.2's crc32 instruction. One chain takes eight bytes in three cycles, but the throughput is one
 * instruction per cycle, so longer data is processed in three chains; a carry-less product combines the three states.
 *
 * Combination: with lanes A B C of n bytes each, the whole is A·x^(16n) + B·x^(8n) + C. The product of two reflected
 * 32-bit polynomials is one bit short of 64 bits, and crc32 of those 64 bits multiplies by x^32 and reduces; so the
 * factor for a distance of d bytes is x^(8d − 33). */
#include "crc.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define LONG_LANE 1024
#define SHORT_LANE 128

/* Factors for one and for two lanes; set once by wl_crc32c_sse42_start(), then read-only. */
static struct {
    uint64_t long_one, long_two, short_one, short_two;
} lanes;

void wl_crc32c_sse42_start(void) {
    lanes.long_one = wl_crc_power(&wl_crc32c, LONG_LANE * 8 - 33);
    lanes.long_two = wl_crc_power(&wl_crc32c, LONG_LANE * 16 - 33);
    lanes.short_one = wl_crc_power(&wl_crc32c, SHORT_LANE * 8 - 33);
    lanes.short_two = wl_crc_power(&wl_crc32c, SHORT_LANE * 16 - 33);
}

#define SSE42 __attribute__((target(WL_SSE42)))
#define SSE42_PCLMUL __attribute__((target(WL_SSE42 ",pclmul")))

SSE42 static inline uint64_t step(uint64_t state, const uint8_t *data) {
    uint64_t word;
    memcpy(&word, data, sizeof word);
    return _mm_crc32_u64(state, word);
}

SSE42_PCLMUL static inline uint64_t product(uint64_t left, uint64_t right) {
    __m128i both = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)left), _mm_cvtsi64_si128((long long)right), 0);
    return (uint64_t)_mm_cvtsi128_si64(both);
}

/* Bits 0 to 31 of the doubled product are the coefficients of x^63 down to x^32, so they are processed by the
 * instruction that multiplies by x^32 and reduces; the others are already below the polynomial's degree. */
SSE42_PCLMUL uint64_t wl_crc32c_multiply_pclmul(const wl_crc *crc, uint64_t left, uint64_t right) {
    (void)crc;
    uint64_t both = product(left, right) << 1;
    return (uint32_t)(both >> 32) ^ _mm_crc32_u32(0, (uint32_t)both);
}

SSE42_PCLMUL static inline uint64_t three_lanes(uint64_t state, const uint8_t *data, size_t lane, uint64_t one,
                                                uint64_t two) {
    uint64_t a = state, b = 0, c = 0;
    for (size_t at = 0; at < lane; at += 8) {
        a = step(a, data + at);
        b = step(b, data + lane + at);
        c = step(c, data + 2 * lane + at);
    }
    return _mm_crc32_u64(0, product(a, two) ^ product(b, one)) ^ c;
}

SSE42_PCLMUL __attribute__((noinline)) static uint64_t long_data(uint64_t state, const uint8_t **data, size_t *size) {
    for (; *size >= 3 * LONG_LANE; *data += 3 * LONG_LANE, *size -= 3 * LONG_LANE)
        state = three_lanes(state, *data, LONG_LANE, lanes.long_one, lanes.long_two);
    for (; *size >= 3 * SHORT_LANE; *data += 3 * SHORT_LANE, *size -= 3 * SHORT_LANE)
        state = three_lanes(state, *data, SHORT_LANE, lanes.short_one, lanes.short_two);
    return state;
}

/* Fewer than eight bytes. */
SSE42 static uint32_t few_bytes(uint32_t state, const uint8_t *data, size_t size) {
    if (size & 4) {
        state = _mm_crc32_u32(state, wl_load4(data));
        data += 4;
    }
    if (size & 2) {
        uint16_t word;
        memcpy(&word, data, sizeof word);
        state = _mm_crc32_u16(state, word);
        data += 2;
    }
    return size & 1 ? _mm_crc32_u8(state, *data) : state;
}

/* The remainder of the size modulo eight is processed first rather than last, without branches on the size: zero bytes
 * in front of a message do not change a state of zero, so the state is added to the message's first four bytes, and the
 * odd bytes are shifted to the end of a word of zeros. What the shift leaves of the state belongs to the next word.
 * Records have all sizes, and a mispredicted branch costs as much as five words. */
SSE42 static inline uint64_t odd_bytes(uint64_t state, const uint8_t *data, unsigned odd) {
    uint64_t word;
    memcpy(&word, data, sizeof word);
    uint64_t shifted = (word ^ state) << 1 << (63 - 8 * odd); /* twice, since a shift by 64 is undefined */
    return _mm_crc32_u64(0, shifted) ^ state >> 8 * odd;
}

/* At least 32 bytes: the odd ones, then up to three words (all three are computed, and the valid state is looked up,
 * again without a branch), then four words at a time. */
SSE42 static inline uint64_t one_way(uint64_t state, const uint8_t *data, size_t size) {
    uint64_t states[4];
    unsigned odd = size % 8, words = size / 8 % 4;
    states[0] = odd_bytes(state, data, odd);
    states[1] = step(states[0], data + odd);
    states[2] = step(states[1], data + odd + 8);
    states[3] = step(states[2], data + odd + 16);
    state = states[words];
    data += odd + 8 * words;
    for (size_t blocks = size / 32; blocks; blocks--, data += 32)
        state = step(step(step(step(state, data), data + 8), data + 16), data + 24);
    return state;
}

SSE42 uint64_t wl_crc32c_sse42(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    if (size >= 3 * SHORT_LANE)
        state = long_data(state, &data, &size);
    if (size >= 32)
        return (uint32_t)one_way(state, data, size);
    for (; size >= 8; data += 8, size -= 8)
        state = step(state, data);
    return few_bytes((uint32_t)state, data, size);
}

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_crc32c_x86_not_empty;
