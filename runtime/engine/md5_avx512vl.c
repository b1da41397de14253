/* MD5 with AVX-512's instructions on 8 lanes. A step waits for four instructions, in plain C for four or five: so this
 * is what few messages, and even a single one, are digested with. */
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

/* ISO C forbids an empty file, which this is elsewhere. */
typedef int wl_md5_avx512vl_not_empty;
