/* Delimiter search with SSE2, AVX2 and AVX-512. A mask has a bit per byte that matches; a pair matches if its first
 * byte does and its second does one byte further on (a second, shifted load, which is cheaper than carrying bits across
 * words). A tail of fewer bytes than a vector is left to the portable variant, so nothing after count + 1 bytes is
 * read. */
#include "internal.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

static inline size_t note(uint64_t mask, size_t at, uint16_t *positions, size_t found) {
    while (mask) {
        positions[found++] = (uint16_t)(at + (size_t)__builtin_ctzll(mask));
        mask &= mask - 1;
    }
    return found;
}

static size_t shift(uint16_t *positions, size_t count, size_t by) {
    for (size_t i = 0; i < count; i++)
        positions[i] = (uint16_t)(positions[i] + by);
    return count;
}

static size_t pair_tail(const uint8_t *from, size_t at, size_t count, uint8_t first, uint8_t second,
                        uint16_t *positions, size_t found) {
    size_t more = wl_scan_pair_portable(from + at, count - at, first, second, positions + found);
    return found + shift(positions + found, more, at);
}

static size_t byte_tail(const uint8_t *from, size_t at, size_t count, uint8_t first, uint16_t *positions,
                        size_t found) {
    size_t more = wl_scan_byte_portable(from + at, count - at, first, 0, positions + found);
    return found + shift(positions + found, more, at);
}

__attribute__((target("sse2"))) static inline uint64_t equal16(const uint8_t *at, __m128i pattern) {
    __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)at), pattern);
    return (uint32_t)_mm_movemask_epi8(equal);
}

__attribute__((target("sse2"))) static inline uint64_t equal64_sse2(const uint8_t *at, __m128i pattern) {
    return equal16(at, pattern) | equal16(at + 16, pattern) << 16 | equal16(at + 32, pattern) << 32 |
           equal16(at + 48, pattern) << 48;
}

__attribute__((target("sse2"))) size_t wl_scan_pair_sse2(const uint8_t *from, size_t count, uint8_t first,
                                                         uint8_t second, uint16_t *positions) {
    __m128i one = _mm_set1_epi8((char)first), two = _mm_set1_epi8((char)second);
    size_t found = 0, at = 0;
    for (; count - at >= 64; at += 64)
        found = note(equal64_sse2(from + at, one) & equal64_sse2(from + at + 1, two), at, positions, found);
    return pair_tail(from, at, count, first, second, positions, found);
}

__attribute__((target("sse2"))) size_t wl_scan_byte_sse2(const uint8_t *from, size_t count, uint8_t first,
                                                         uint8_t second, uint16_t *positions) {
    __m128i one = _mm_set1_epi8((char)first);
    size_t found = 0, at = 0;
    (void)second;
    for (; count - at >= 64; at += 64)
        found = note(equal64_sse2(from + at, one), at, positions, found);
    return byte_tail(from, at, count, first, positions, found);
}

__attribute__((target("avx2"))) static inline __m256i equal32(const uint8_t *at, __m256i pattern) {
    return _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)at), pattern);
}

__attribute__((target("avx2"))) static inline uint64_t mask64(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

__attribute__((target("avx2"))) size_t wl_scan_pair_avx2(const uint8_t *from, size_t count, uint8_t first,
                                                         uint8_t second, uint16_t *positions) {
    __m256i one = _mm256_set1_epi8((char)first), two = _mm256_set1_epi8((char)second);
    size_t found = 0, at = 0;
    for (; count - at >= 64; at += 64) {
        __m256i low = _mm256_and_si256(equal32(from + at, one), equal32(from + at + 1, two));
        __m256i high = _mm256_and_si256(equal32(from + at + 32, one), equal32(from + at + 33, two));
        found = note(mask64(low, high), at, positions, found);
    }
    return pair_tail(from, at, count, first, second, positions, found);
}

__attribute__((target("avx2"))) size_t wl_scan_byte_avx2(const uint8_t *from, size_t count, uint8_t first,
                                                         uint8_t second, uint16_t *positions) {
    __m256i one = _mm256_set1_epi8((char)first);
    size_t found = 0, at = 0;
    (void)second;
    for (; count - at >= 64; at += 64)
        found = note(mask64(equal32(from + at, one), equal32(from + at + 32, one)), at, positions, found);
    return byte_tail(from, at, count, first, positions, found);
}

#define AVX512 __attribute__((target("avx512f,avx512bw")))

AVX512 static inline uint64_t equal64_avx512(const uint8_t *at, __m512i pattern) {
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512((const void *)at), pattern);
}

AVX512 size_t wl_scan_pair_avx512(const uint8_t *from, size_t count, uint8_t first, uint8_t second,
                                  uint16_t *positions) {
    __m512i one = _mm512_set1_epi8((char)first), two = _mm512_set1_epi8((char)second);
    size_t found = 0, at = 0;
    for (; count - at >= 64; at += 64)
        found = note(equal64_avx512(from + at, one) & equal64_avx512(from + at + 1, two), at, positions, found);
    return pair_tail(from, at, count, first, second, positions, found);
}

AVX512 size_t wl_scan_byte_avx512(const uint8_t *from, size_t count, uint8_t first, uint8_t second,
                                  uint16_t *positions) {
    __m512i one = _mm512_set1_epi8((char)first);
    size_t found = 0, at = 0;
    (void)second;
    for (; count - at >= 64; at += 64)
        found = note(equal64_avx512(from + at, one), at, positions, found);
    return byte_tail(from, at, count, first, positions, found);
}

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_scan_x86_not_empty;
