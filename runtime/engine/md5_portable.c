/* MD5 in plain C: one message, and two with interleaved steps. */
#include "bytes.h"
#include "md5.h"

/* Prevents the compiler from moving a later summand into an earlier sum, where it would lengthen the chain of dependent
 * steps. */
#define HOLD(sum) __asm__("" : "+r"(sum))

/* The summand of a step; of b, c and d, b is ready last. The two parts of G share no bit, so they are added one after
 * the other, the first one before b is ready. */
#define F(sum, b, c, d) sum += ((c ^ d) & b) ^ d
#define G(sum, b, c, d)                                                                                                \
    sum += ~d & c;                                                                                                     \
    HOLD(sum);                                                                                                         \
    sum += d & b
#define H(sum, b, c, d) sum += (c ^ d) ^ b
#define I(sum, b, c, d) sum += (~d | b) ^ c

static inline uint32_t rotate(uint32_t value, unsigned by) { return value << by | value >> (32 - by); }

#define STEP_OF(block, function, a, b, c, d, word, shift, constant)                                                    \
    a += wl_load_le4(block + 4 * (word)) + (constant);                                                                 \
    HOLD(a);                                                                                                           \
    function(a, b, c, d);                                                                                              \
    a = rotate(a, shift) + b;
#define STEP(...) STEP_OF(block, __VA_ARGS__)

void wl_md5_one_portable(wl_md5_state *state, const uint8_t *const *data, size_t blocks) {
    uint32_t(*words)[WL_MD5_MOST_LANES] = state->words;
    uint32_t a = words[0][0], b = words[1][0], c = words[2][0], d = words[3][0];
    for (const uint8_t *block = data[0]; blocks; blocks--, block += WL_MD5_BLOCK) {
        uint32_t a_before = a, b_before = b, c_before = c, d_before = d;
        WL_MD5_STEPS(STEP)
        a += a_before, b += b_before, c += c_before, d += d_before;
    }
    words[0][0] = a, words[1][0] = b, words[2][0] = c, words[3][0] = d;
}

#define STEP_TWICE(function, a, b, c, d, word, shift, constant)                                                        \
    STEP_OF(block0, function, a##0, b##0, c##0, d##0, word, shift, constant)                                           \
    STEP_OF(block1, function, a##1, b##1, c##1, d##1, word, shift, constant)

void wl_md5_two_portable(wl_md5_state *state, const uint8_t *const *data, size_t blocks) {
    uint32_t(*words)[WL_MD5_MOST_LANES] = state->words;
    uint32_t a0 = words[0][0], b0 = words[1][0], c0 = words[2][0], d0 = words[3][0];
    uint32_t a1 = words[0][1], b1 = words[1][1], c1 = words[2][1], d1 = words[3][1];
    const uint8_t *block0 = data[0], *block1 = data[1];
    for (; blocks; blocks--, block0 += WL_MD5_BLOCK, block1 += WL_MD5_BLOCK) {
        WL_MD5_STEPS(STEP_TWICE)
        a0 = words[0][0] += a0, b0 = words[1][0] += b0, c0 = words[2][0] += c0, d0 = words[3][0] += d0;
        a1 = words[0][1] += a1, b1 = words[1][1] += b1, c1 = words[2][1] += c1, d1 = words[3][1] += d1;
    }
}

#define CONSTANT(function, a, b, c, d, word, shift, constant) constant,

const uint32_t wl_md5_constants[64] = {WL_MD5_STEPS(CONSTANT)};

const wl_md5_variant wl_md5_portable = {"portable", {{1, wl_md5_one_portable}, {2, wl_md5_two_portable}}};
