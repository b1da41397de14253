/* MD5 with AVX2: 8 messages per vector. */
#include "md5.h"

#if defined(__x86_64__)
#define MD5_TARGET __attribute__((target("avx2")))
#include "md5_256.h"

#define ADD(left, right) _mm256_add_epi32(left, right)
#define ROTATE(value, by) _mm256_or_si256(_mm256_slli_epi32(value, by), _mm256_srli_epi32(value, 32 - (by)))
/* From memory: some compilers load a literal through a general register and two shuffles. */
#define CONSTANT(literal, copy) _mm256_set1_epi32((int)*(copy))
#define F(sum, b, c, d) sum = ADD(sum, _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(c, d), b), d))
#define G(sum, b, c, d) sum = ADD(ADD(sum, _mm256_andnot_si256(d, c)), _mm256_and_si256(d, b))
#define H(sum, b, c, d) sum = ADD(sum, _mm256_xor_si256(_mm256_xor_si256(c, d), b))
#define I(sum, b, c, d)                                                                                                \
    sum = ADD(sum, _mm256_xor_si256(_mm256_or_si256(_mm256_xor_si256(d, _mm256_set1_epi32(-1)), b), c))
#define HOLD(sum) __asm__("" : "+x"(sum))

#define MD5_NARROW wl_md5_8_avx2
#define MD5_WIDE wl_md5_16_avx2
#include "md5_lanes.h"

const wl_md5_variant wl_md5_avx2 = {
    "avx2", {{1, wl_md5_one_portable}, {2, wl_md5_two_portable}, {8, wl_md5_8_avx2}, {16, wl_md5_16_avx2}}};

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_md5_avx2_not_empty;
