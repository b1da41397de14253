/* Shared by the files of the CRCs: tables, updates by slicing by eight, products of states.
 *
 * A state is a polynomial over GF(2) of a degree below the CRC's width, reflected: the highest bit of the width is the
 * coefficient of x^0. Appending a zero byte multiplies it by x^8 modulo the CRC's polynomial, so one product moves a
 * state over any distance. A CRC that processes the highest bit of each byte first is computed in the same way, on
 * bytes with reversed bits. */
#ifndef WIRELOOM_CRC_H
#define WIRELOOM_CRC_H

#include "internal.h"

#define WL_MOVE_DIGITS 4

/* [k][b]: the state after byte b and k zero bytes. */
typedef uint32_t wl_narrow_slices[8][256];
typedef uint64_t wl_wide_slices[8][256];

/* Initialised once, then read-only. */
struct wl_crc {
    uint32_t width;
    uint64_t polynomial; /* reflected */
    wl_crc_multiply multiply;
    uint64_t powers[67];                 /* [k]: x^(2^k). 64 bits of exponent, three more because sizes count bytes */
    uint64_t moves[WL_MOVE_DIGITS][256]; /* [k][b]: x^(8 · b · 256^k), a move over b · 256^k bytes */
    uint64_t fold_far[2], fold_near[2];  /* factors for moving sixteen bytes by 64 and by 16: see wl_crc_fold */
    union {
        wl_narrow_slices narrow; /* for widths up to 32 */
        wl_wide_slices wide;
    };
};

/* Without branches: the bits of a state are practically random, so branches on them would be mispredicted half of the
 * time. */
static inline uint64_t wl_crc_product(uint64_t polynomial, unsigned width, uint64_t left, uint64_t right) {
    uint64_t product = 0;
    for (unsigned bit = width; bit-- > 0;) {
        product ^= right & -(left >> bit & 1);
        right = right >> 1 ^ (polynomial & -(right & 1));
    }
    return product;
}

/* x^n modulo the polynomial; and a state after `size` zero bytes. */
uint64_t wl_crc_power(const wl_crc *crc, uint64_t n);
uint64_t wl_crc_shift(const wl_crc *crc, uint64_t state, uint64_t size);

#endif
