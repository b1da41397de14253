/* MD5 with AVX-512: 16 messages per vector. Any function of three bits is one instruction, and so is a rotation. */
#include "md5.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define MD5_TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define MD5_LANES 16

typedef __m512i vector;

MD5_TARGET static inline vector load_row(const uint32_t *row) { return _mm512_load_si512((const void *)row); }
MD5_TARGET static inline void store_row(uint32_t *row, vector value) { _mm512_store_si512((void *)row, value); }

/* Transposes one quarter of the vectors of 16 lanes: four lanes to each of the given vectors. */
MD5_TARGET static inline void join(vector *words, vector v0, vector v1, vector v2, vector v3) {
    vector even01 = _mm512_shuffle_i32x4(v0, v1, 0x88), odd01 = _mm512_shuffle_i32x4(v0, v1, 0xDD);
    vector even23 = _mm512_shuffle_i32x4(v2, v3, 0x88), odd23 = _mm512_shuffle_i32x4(v2, v3, 0xDD);
    words[0] = _mm512_shuffle_i32x4(even01, even23, 0x88);
    words[4] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    words[8] = _mm512_shuffle_i32x4(even01, even23, 0xDD);
    words[12] = _mm512_shuffle_i32x4(odd01, odd23, 0xDD);
}

/* The blocks of four lanes; quarter q of result i contains their words 4q + i. */
MD5_TARGET static inline void load_four(vector *out, const uint8_t *const *data, size_t at) {
    vector v0 = _mm512_loadu_si512((const void *)(data[0] + at)), v1 = _mm512_loadu_si512((const void *)(data[1] + at));
    vector v2 = _mm512_loadu_si512((const void *)(data[2] + at)), v3 = _mm512_loadu_si512((const void *)(data[3] + at));
    vector low01 = _mm512_unpacklo_epi32(v0, v1), high01 = _mm512_unpackhi_epi32(v0, v1);
    vector low23 = _mm512_unpacklo_epi32(v2, v3), high23 = _mm512_unpackhi_epi32(v2, v3);
    out[0] = _mm512_unpacklo_epi64(low01, low23);
    out[1] = _mm512_unpackhi_epi64(low01, low23);
    out[2] = _mm512_unpacklo_epi64(high01, high23);
    out[3] = _mm512_unpackhi_epi64(high01, high23);
}

MD5_TARGET static inline void load_words(vector *words, const uint8_t *const *data, size_t at) {
    vector fours[4][4];
    for (unsigned i = 0; i < 4; i++)
        load_four(fours[i], data + 4 * i, at);
    for (unsigned i = 0; i < 4; i++)
        join(words + i, fours[0][i], fours[1][i], fours[2][i], fours[3][i]);
}

#define ADD(left, right) _mm512_add_epi32(left, right)
#define ROTATE(value, by) _mm512_rol_epi32(value, by)
#define CONSTANT(literal, copy) _mm512_set1_epi32((int)(literal))
#define F(sum, b, c, d) sum = ADD(sum, _mm512_ternarylogic_epi32(b, c, d, 0xCA))
#define G(sum, b, c, d) sum = ADD(sum, _mm512_ternarylogic_epi32(b, c, d, 0xE4))
#define H(sum, b, c, d) sum = ADD(sum, _mm512_ternarylogic_epi32(b, c, d, 0x96))
#define I(sum, b, c, d) sum = ADD(sum, _mm512_ternarylogic_epi32(b, c, d, 0x39))
#define HOLD(sum) __asm__("" : "+v"(sum))

#define MD5_NARROW wl_md5_16_avx512
#define MD5_WIDE wl_md5_32_avx512
#include "md5_lanes.h"

/* A single message takes twice as long in vectors as in plain C on Zen 4. */
const wl_md5_variant wl_md5_avx512 = {"avx512", {{1, wl_md5_one_portable}, {8, wl_md5_8_avx512}, {16, wl_md5_16_avx512}, {32, wl_md5_32_avx512}}};

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_md5_avx512_not_empty;
