/* Vectors of 256 bits, for md5_lanes.h: 8 messages, and the transposition of their words. */
#include <immintrin.h>

#define MD5_LANES 8

typedef __m256i vector;

MD5_TARGET static inline vector load_row(const uint32_t *row) {
    return _mm256_load_si256((const __m256i *)(const void *)row);
}

MD5_TARGET static inline void store_row(uint32_t *row, vector value) {
    _mm256_store_si256((__m256i *)(void *)row, value);
}

/* 16 bytes of one lane, and of another in the upper half: the second load needs no shuffle. */
MD5_TARGET static inline vector load_two(const uint8_t *low, const uint8_t *high) {
    vector lower = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)low));
    return _mm256_inserti128_si256(lower, _mm_loadu_si128((const __m128i *)(const void *)high), 1);
}

MD5_TARGET static inline void load_words(vector *words, const uint8_t *const *data, size_t at) {
    for (unsigned i = 0; i < 16; i += 4) {
        size_t from = at + 4 * i;
        vector v0 = load_two(data[0] + from, data[4] + from), v1 = load_two(data[1] + from, data[5] + from);
        vector v2 = load_two(data[2] + from, data[6] + from), v3 = load_two(data[3] + from, data[7] + from);
        vector low01 = _mm256_unpacklo_epi32(v0, v1), high01 = _mm256_unpackhi_epi32(v0, v1);
        vector low23 = _mm256_unpacklo_epi32(v2, v3), high23 = _mm256_unpackhi_epi32(v2, v3);
        words[i] = _mm256_unpacklo_epi64(low01, low23);
        words[i + 1] = _mm256_unpackhi_epi64(low01, low23);
        words[i + 2] = _mm256_unpacklo_epi64(high01, high23);
        words[i + 3] = _mm256_unpackhi_epi64(high01, high23);
    }
}
