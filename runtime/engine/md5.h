/* MD5 (RFC 1321) of many messages at once: shared by the kernels and the scheduler (md5.c).
 *
 * A step of MD5 depends on the previous step, so a single message leaves most of a processor idle. A kernel therefore
 * processes one message per *lane* and does the same step for all lanes. */
#ifndef WIRELOOM_MD5_H
#define WIRELOOM_MD5_H

#include <stddef.h>
#include <stdint.h>

#define WL_MD5_BLOCK 64
#define WL_MD5_MOST_LANES 32
#define WL_MD5_MOST_KERNELS 4

/* The four words of every lane's state, a row per word: a kernel loads a vector from a row. */
typedef struct {
    _Alignas(64) uint32_t words[4][WL_MD5_MOST_LANES];
} wl_md5_state;

/* A kernel: processes `blocks` blocks of the lanes 0 … (width - 1): those of lane i are consecutive from data[i] on.
 * Reads nothing else; no message needs to be aligned. Several lanes may read the same bytes. */
typedef void wl_md5_function(wl_md5_state *state, const uint8_t *const *data, size_t blocks);

wl_md5_function wl_md5_one_portable, wl_md5_two_portable;
wl_md5_function wl_md5_4_sse2, wl_md5_8_sse2;
wl_md5_function wl_md5_8_avx2, wl_md5_16_avx2;
wl_md5_function wl_md5_8_avx512, wl_md5_16_avx512, wl_md5_32_avx512;
wl_md5_function wl_md5_4_neon, wl_md5_8_neon;

typedef struct {
    size_t width; /* lanes; 0: no kernel */
    wl_md5_function *run;
} wl_md5_kernel;

/* The kernels of a processor variant, narrowest first. */
typedef struct {
    const char *name;
    wl_md5_kernel kernels[WL_MD5_MOST_KERNELS];
} wl_md5_variant;

extern const wl_md5_variant wl_md5_portable;
extern const wl_md5_variant wl_md5_sse2;
extern const wl_md5_variant wl_md5_avx2;
extern const wl_md5_variant wl_md5_avx512;
extern const wl_md5_variant wl_md5_neon;

/* The constants of the 64 steps, in memory. */
extern const uint32_t wl_md5_constants[64];

/* The 64 steps, as STEP(function, a, b, c, d, word, shift, constant): a = b + ((a + function(b, c, d) + word +
 * constant) rotated left by shift). Each variable takes the role of the next one after a step; four steps complete the
 * cycle. */
#define WL_MD5_FOUR(STEP, function, s0, s1, s2, s3, w0, k0, w1, k1, w2, k2, w3, k3)                                    \
    STEP(function, a, b, c, d, w0, s0, k0)                                                                             \
    STEP(function, d, a, b, c, w1, s1, k1)                                                                             \
    STEP(function, c, d, a, b, w2, s2, k2)                                                                             \
    STEP(function, b, c, d, a, w3, s3, k3)
#define WL_MD5_FIRST(STEP, ...) WL_MD5_FOUR(STEP, F, 7, 12, 17, 22, __VA_ARGS__)
#define WL_MD5_SECOND(STEP, ...) WL_MD5_FOUR(STEP, G, 5, 9, 14, 20, __VA_ARGS__)
#define WL_MD5_THIRD(STEP, ...) WL_MD5_FOUR(STEP, H, 4, 11, 16, 23, __VA_ARGS__)
#define WL_MD5_FOURTH(STEP, ...) WL_MD5_FOUR(STEP, I, 6, 10, 15, 21, __VA_ARGS__)
#define WL_MD5_STEPS(STEP)                                                                                             \
    WL_MD5_FIRST(STEP, 0, 0xD76AA478, 1, 0xE8C7B756, 2, 0x242070DB, 3, 0xC1BDCEEE)                                     \
    WL_MD5_FIRST(STEP, 4, 0xF57C0FAF, 5, 0x4787C62A, 6, 0xA8304613, 7, 0xFD469501)                                     \
    WL_MD5_FIRST(STEP, 8, 0x698098D8, 9, 0x8B44F7AF, 10, 0xFFFF5BB1, 11, 0x895CD7BE)                                   \
    WL_MD5_FIRST(STEP, 12, 0x6B901122, 13, 0xFD987193, 14, 0xA679438E, 15, 0x49B40821)                                 \
    WL_MD5_SECOND(STEP, 1, 0xF61E2562, 6, 0xC040B340, 11, 0x265E5A51, 0, 0xE9B6C7AA)                                   \
    WL_MD5_SECOND(STEP, 5, 0xD62F105D, 10, 0x02441453, 15, 0xD8A1E681, 4, 0xE7D3FBC8)                                  \
    WL_MD5_SECOND(STEP, 9, 0x21E1CDE6, 14, 0xC33707D6, 3, 0xF4D50D87, 8, 0x455A14ED)                                   \
    WL_MD5_SECOND(STEP, 13, 0xA9E3E905, 2, 0xFCEFA3F8, 7, 0x676F02D9, 12, 0x8D2A4C8A)                                  \
    WL_MD5_THIRD(STEP, 5, 0xFFFA3942, 8, 0x8771F681, 11, 0x6D9D6122, 14, 0xFDE5380C)                                   \
    WL_MD5_THIRD(STEP, 1, 0xA4BEEA44, 4, 0x4BDECFA9, 7, 0xF6BB4B60, 10, 0xBEBFBC70)                                    \
    WL_MD5_THIRD(STEP, 13, 0x289B7EC6, 0, 0xEAA127FA, 3, 0xD4EF3085, 6, 0x04881D05)                                    \
    WL_MD5_THIRD(STEP, 9, 0xD9D4D039, 12, 0xE6DB99E5, 15, 0x1FA27CF8, 2, 0xC4AC5665)                                   \
    WL_MD5_FOURTH(STEP, 0, 0xF4292244, 7, 0x432AFF97, 14, 0xAB9423A7, 5, 0xFC93A039)                                   \
    WL_MD5_FOURTH(STEP, 12, 0x655B59C3, 3, 0x8F0CCC92, 10, 0xFFEFF47D, 1, 0x85845DD1)                                  \
    WL_MD5_FOURTH(STEP, 8, 0x6FA87E4F, 15, 0xFE2CE6E0, 6, 0xA3014314, 13, 0x4E0811A1)                                  \
    WL_MD5_FOURTH(STEP, 4, 0xF7537E82, 11, 0xBD3AF235, 2, 0x2AD7D2BB, 9, 0xEB86D391)

#endif
