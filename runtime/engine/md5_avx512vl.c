/* MD5 with AVX-512 instructions on 8 lanes. A step depends on four instructions, in plain C on four or five, so this
 * variant is used for few messages, even for a single one. */
#include "md5.h"

#if defined(__x86_64__)

#define MD5_TARGET __attribute__((target("avx512f,avx512vl")))
#include "md5_256.h"

#define ADD(left, right) _mm256_add_epi32(left, right)
#define ROTATE(value, by) _mm256_rol_epi32(value, by)
#define CONSTANT(literal, copy) _mm256_set1_epi32((int)(literal))
#define F(sum, b, c, d) sum = ADD(sum, _mm256_ternarylogic_epi32(b, c, d, 0xCA))
#define G(sum, b, c, d) sum = ADD(sum, _mm256_ternarylogic_epi32(b, c, d, 0xE4))
#define H(sum, b, c, d) sum = ADD(sum, _mm256_ternarylogic_epi32(b, c, d, 0x96))
#define I(sum, b, c, d) sum = ADD(sum, _mm256_ternarylogic_epi32(b, c, d, 0x39))
#define HOLD(sum) __asm__("" : "+v"(sum))

#define MD5_NARROW wl_md5_8_avx512
#include "md5_lanes.h"

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_md5_avx512vl_not_empty;
