/* MD5 with NEON: 4 messages per vector. */
#include "md5.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#define MD5_TARGET
#define MD5_LANES 4

typedef uint32x4_t vector;

static inline vector load_row(const uint32_t *row) { return vld1q_u32(row); }
static inline void store_row(uint32_t *row, vector value) { vst1q_u32(row, value); }
static inline vector load_16(const uint8_t *at) { return vreinterpretq_u32_u8(vld1q_u8(at)); }

static inline vector pairs_low(vector left, vector right) {
    return vreinterpretq_u32_u64(vtrn1q_u64(vreinterpretq_u64_u32(left), vreinterpretq_u64_u32(right)));
}

static inline vector pairs_high(vector left, vector right) {
    return vreinterpretq_u32_u64(vtrn2q_u64(vreinterpretq_u64_u32(left), vreinterpretq_u64_u32(right)));
}

static inline void load_words(vector *words, const uint8_t *const *data, size_t at) {
    for (unsigned i = 0; i < 16; i += 4) {
        size_t from = at + 4 * i;
        vector v0 = load_16(data[0] + from), v1 = load_16(data[1] + from);
        vector v2 = load_16(data[2] + from), v3 = load_16(data[3] + from);
        vector even01 = vtrn1q_u32(v0, v1), odd01 = vtrn2q_u32(v0, v1);
        vector even23 = vtrn1q_u32(v2, v3), odd23 = vtrn2q_u32(v2, v3);
        words[i] = pairs_low(even01, even23);
        words[i + 1] = pairs_low(odd01, odd23);
        words[i + 2] = pairs_high(even01, even23);
        words[i + 3] = pairs_high(odd01, odd23);
    }
}

#define ADD(left, right) vaddq_u32(left, right)
#define ROTATE(value, by) vsriq_n_u32(vshlq_n_u32(value, by), value, 32 - (by))
#define CONSTANT(literal, copy) vdupq_n_u32(literal)
#define F(sum, b, c, d) sum = ADD(sum, vbslq_u32(b, c, d))
#define G(sum, b, c, d) sum = ADD(sum, vbslq_u32(d, b, c))
#define H(sum, b, c, d) sum = ADD(sum, veorq_u32(veorq_u32(c, d), b))
#define I(sum, b, c, d) sum = ADD(sum, veorq_u32(vornq_u32(b, d), c))
#define HOLD(sum) __asm__("" : "+w"(sum))

#define MD5_NARROW wl_md5_4_neon
#define MD5_WIDE wl_md5_8_neon
#include "md5_lanes.h"

const wl_md5_variant wl_md5_neon = {
    "neon", {{1, wl_md5_one_portable}, {2, wl_md5_two_portable}, {4, wl_md5_4_neon}, {8, wl_md5_8_neon}}};

#endif

/* ISO C forbids an empty file, which this is elsewhere. */
typedef int wl_md5_neon_not_empty;
