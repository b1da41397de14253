/* MD5 with SSE2: 4 messages per vector. */
#include "md5.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#define MD5_TARGET
#define MD5_LANES 4

typedef __m128i vector;

static inline vector load_row(const uint32_t *row) { return _mm_load_si128((const __m128i *)(const void *)row); }
static inline void store_row(uint32_t *row, vector value) { _mm_store_si128((__m128i *)(void *)row, value); }
static inline vector load_16(const uint8_t *at) { return _mm_loadu_si128((const __m128i *)(const void *)at); }

static inline void load_words(vector *words, const uint8_t *const *data, size_t at) {
    for (unsigned i = 0; i < 16; i += 4) {
        size_t from = at + 4 * i;
        vector v0 = load_16(data[0] + from), v1 = load_16(data[1] + from);
        vector v2 = load_16(data[2] + from), v3 = load_16(data[3] + from);
        vector low01 = _mm_unpacklo_epi32(v0, v1), high01 = _mm_unpackhi_epi32(v0, v1);
        vector low23 = _mm_unpacklo_epi32(v2, v3), high23 = _mm_unpackhi_epi32(v2, v3);
        words[i] = _mm_unpacklo_epi64(low01, low23);
        words[i + 1] = _mm_unpackhi_epi64(low01, low23);
        words[i + 2] = _mm_unpacklo_epi64(high01, high23);
        words[i + 3] = _mm_unpackhi_epi64(high01, high23);
    }
}

#define ADD(left, right) _mm_add_epi32(left, right)
#define ROTATE(value, by) _mm_or_si128(_mm_slli_epi32(value, by), _mm_srli_epi32(value, 32 - (by)))
#define CONSTANT(literal, copy) _mm_set1_epi32((int)(literal))
#define F(sum, b, c, d) sum = ADD(sum, _mm_xor_si128(_mm_and_si128(_mm_xor_si128(c, d), b), d))
#define G(sum, b, c, d) sum = ADD(ADD(sum, _mm_andnot_si128(d, c)), _mm_and_si128(d, b))
#define H(sum, b, c, d) sum = ADD(sum, _mm_xor_si128(_mm_xor_si128(c, d), b))
#define I(sum, b, c, d) sum = ADD(sum, _mm_xor_si128(_mm_or_si128(_mm_xor_si128(d, _mm_set1_epi32(-1)), b), c))
#define HOLD(sum) __asm__("" : "+x"(sum))

#define MD5_NARROW wl_md5_4_sse2
#define MD5_WIDE wl_md5_8_sse2
#include "md5_lanes.h"

const wl_md5_variant wl_md5_sse2 = {
    "sse2", {{1, wl_md5_one_portable}, {2, wl_md5_two_portable}, {4, wl_md5_4_sse2}, {8, wl_md5_8_sse2}}};

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_md5_sse2_not_empty;
