/* CRC-32C with SSE4.2's crc32 instruction. One chain takes eight bytes in three cycles, but the throughput is one
 * instruction per cycle, so longer data is processed in three chains; a carry-less product combines the three states.
 *
 * Combination: with lanes A B C of n bytes each, the whole is A·x^(16n) + B·x^(8n) + C. The product of two reflected
 * 32-bit polynomials is one bit short of 64 bits, and crc32 of those 64 bits multiplies by x^32 and reduces; so the
 * factor for a distance of d bytes is x^(8d − 33).
 *
 * Processors do not recognize three chains as one sequential access, so later bytes are prefetched: data that is not in
 * the cache is then read twice as fast. */
#include "crc.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define LONG_LANE 1024
#define SHORT_LANE 128
#define LINE 64
#define AHEAD 4096
#define LEAST_WORDS 4 /* in a lane: one chain takes as long as three shorter ones and their combination */

/* Factors for one and for two lanes of that size; set once by wl_crc32c_sse42_start(), then read-only. */
typedef struct {
    uint64_t one, two;
} factors;
static factors long_lane, lanes[SHORT_LANE / 8 + 1]; /* by their number of words */

static factors factors_of(uint64_t bytes) {
    return (factors){wl_crc_power(&wl_crc32c, bytes * 8 - 33), wl_crc_power(&wl_crc32c, bytes * 16 - 33)};
}

void wl_crc32c_sse42_start(void) {
    long_lane = factors_of(LONG_LANE);
    for (uint64_t words = LEAST_WORDS; words <= SHORT_LANE / 8; words++)
        lanes[words] = factors_of(words * 8);
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

/* The states after three lanes. */
typedef struct {
    uint64_t a, b, c;
} chains;

SSE42 static inline __attribute__((always_inline)) chains three_words(chains of, const uint8_t *data, size_t lane) {
    return (chains){step(of.a, data), step(of.b, data + lane), step(of.c, data + 2 * lane)};
}

SSE42_PCLMUL static inline uint64_t combined(chains of, factors by) {
    return _mm_crc32_u64(0, product(of.a, by.two) ^ product(of.b, by.one)) ^ of.c;
}

SSE42_PCLMUL static inline uint64_t three_lanes(uint64_t state, const uint8_t *data, size_t lane, factors by) {
    chains of = {state, 0, 0};
    for (size_t line = 0; line < lane; line += LINE) {
        /* Addresses only: the input may end before them. */
        for (size_t i = 0; i < 3; i++)
            __builtin_prefetch((const void *)((uintptr_t)data + AHEAD + 3 * line + i * LINE));
        for (size_t at = line; at < line + LINE; at += 8)
            of = three_words(of, data + at, lane);
    }
    return combined(of, by);
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

/* At least eight bytes. */
SSE42 static inline uint64_t one_lane(uint64_t state, const uint8_t *data, size_t size) {
    const unsigned odd = size % 8;
    state = odd_bytes(state, data, odd);
    data += odd;
    for (size_t words = size / 8; words; words--, data += 8)
        state = step(state, data);
    return state;
}

/* At least 3 * LEAST_WORDS words and fewer than three short lanes: the odd bytes, the remainder of the words modulo
 * three (without a branch, as for the odd bytes), then lanes of equal size. */
SSE42_PCLMUL static inline uint64_t equal_lanes(uint64_t state, const uint8_t *data, size_t size) {
    const unsigned odd = size % 8, words = (unsigned)(size / 8), lane = words / 3, rest = words % 3;
    state = odd_bytes(state, data, odd);
    data += odd;
    const uint64_t first = step(state, data), second = step(first, data + 8);
    state ^= ((state ^ first) & (0 - (uint64_t)(rest != 0))) ^ ((first ^ second) & (0 - (uint64_t)(rest == 2)));
    data += 8 * rest;
    chains of = {state, 0, 0};
    for (size_t at = 0; at < 8 * lane; at += 8)
        of = three_words(of, data + at, 8 * lane);
    return combined(of, lanes[lane]);
}

/* Fewer than three short lanes. */
SSE42_PCLMUL static inline __attribute__((always_inline)) uint64_t short_data(uint64_t state, const uint8_t *data,
                                                                              size_t size) {
    if (size >= 3 * LEAST_WORDS * 8)
        return (uint32_t)equal_lanes(state, data, size);
    if (size >= 8)
        return (uint32_t)one_lane(state, data, size);
    return few_bytes((uint32_t)state, data, size);
}

SSE42_PCLMUL __attribute__((noinline)) static uint64_t long_data(uint64_t state, const uint8_t *data, size_t size) {
    for (; size >= 3 * LONG_LANE; data += 3 * LONG_LANE, size -= 3 * LONG_LANE)
        state = three_lanes(state, data, LONG_LANE, long_lane);
    for (; size >= 3 * SHORT_LANE; data += 3 * SHORT_LANE, size -= 3 * SHORT_LANE)
        state = three_lanes(state, data, SHORT_LANE, lanes[SHORT_LANE / 8]);
    return short_data(state, data, size);
}

SSE42_PCLMUL static inline __attribute__((always_inline)) uint64_t all(uint64_t state, const uint8_t *data,
                                                                       size_t size) {
    return size < 3 * SHORT_LANE ? short_data(state, data, size) : long_data(state, data, size);
}

SSE42_PCLMUL uint64_t wl_crc32c_sse42(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    return all(state, data, size);
}

typedef struct {
    const uint8_t *data;
    size_t size;
} message;

static inline message message_of(const uint8_t *begin, const uint8_t *end) {
    return (message){begin, (size_t)(end - begin)};
}

/* Whether three messages have the same number of words, not counting odd bytes. */
static inline bool are_alike(const message *of) {
    return !(((of[0].size ^ of[1].size) | (of[0].size ^ of[2].size)) / 8);
}

/* Three messages of the same number of words, a chain for each: nothing is left to combine. */
SSE42 static inline void three_messages(uint64_t state, const message *of, uint64_t *states) {
    chains are = {odd_bytes(state, of[0].data, of[0].size % 8), odd_bytes(state, of[1].data, of[1].size % 8),
                  odd_bytes(state, of[2].data, of[2].size % 8)};
    const uint8_t *a = of[0].data + of[0].size % 8, *b = of[1].data + of[1].size % 8, *c = of[2].data + of[2].size % 8;
    for (size_t at = 0; at < of[0].size / 8 * 8; at += 8)
        are = (chains){step(are.a, a + at), step(are.b, b + at), step(are.c, c + at)};
    states[0] = are.a;
    states[1] = are.b;
    states[2] = are.c;
}

SSE42_PCLMUL void wl_crc32c_ranges_sse42(uint64_t state, const uint8_t *const *begins, int64_t begin,
                                         const uint8_t *const *ends, int64_t end, size_t count, uint64_t *states) {
    /* A field of eight bytes, such as a length. */
    if (begins == ends && end - begin == 8) {
        for (size_t i = 0; i < count; i++)
            states[i] = step(state, begins[i] + begin);
        return;
    }
    size_t i = 0;
    for (; count - i >= 3; i += 3) {
        message of[3];
        for (size_t j = 0; j < 3; j++)
            of[j] = message_of(begins[i + j] + begin, ends[i + j] + end);
        if (of[0].size >= 8 && of[0].size < 3 * SHORT_LANE && are_alike(of))
            three_messages(state, of, states + i);
        else
            for (size_t j = 0; j < 3; j++)
                states[i + j] = all(state, of[j].data, of[j].size);
    }
    for (; i < count; i++) {
        const message of = message_of(begins[i] + begin, ends[i] + end);
        states[i] = all(state, of.data, of.size);
    }
}

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_crc32c_x86_not_empty;
