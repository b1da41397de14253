/* What the files of the CRCs share: tables, updates by slicing by eight, products of states.
 *
 * A state is a polynomial over GF(2) of degree below 32, reflected: bit 31 is the coefficient of x^0. Appending a zero
 * byte multiplies it by x^8 modulo the CRC's polynomial; so states can be moved over any distance by one product. */
#ifndef WIRELOOM_CRC_H
#define WIRELOOM_CRC_H

#include "internal.h"

#define WL_MOVE_DIGITS 4

/* Filled in once by wl_crc_start(), then only read. */
struct wl_crc_tables {
    uint32_t slices[8][256];             /* [k][b]: the state after byte b and k zero bytes */
    uint32_t powers[67];                 /* [k]: x^(2^k). 64 bits of exponent, three more because sizes count bytes */
    uint32_t moves[WL_MOVE_DIGITS][256]; /* [k][b]: x^(8 · b · 256^k), a move over b · 256^k bytes */
};

/* Without branches: the bits of a state are as good as random, so every branch on one would be guessed wrongly half of
 * the time. */
static inline uint32_t wl_crc_product(uint32_t polynomial, uint32_t left, uint32_t right) {
    uint32_t product = 0;
    for (int bit = 0; bit < 32; bit++) {
        product ^= right & -(left >> 31);
        left <<= 1;
        right = right >> 1 ^ (polynomial & -(right & 1));
    }
    return product;
}

static inline uint32_t wl_crc_sliced(const wl_crc_tables *tables, uint32_t state, const uint8_t *data, size_t size) {
    const uint32_t(*slice)[256] = tables->slices;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t word = wl_load_le8(data) ^ state;
        state = slice[7][word & 0xFF] ^ slice[6][word >> 8 & 0xFF] ^ slice[5][word >> 16 & 0xFF] ^
                slice[4][word >> 24 & 0xFF] ^ slice[3][word >> 32 & 0xFF] ^ slice[2][word >> 40 & 0xFF] ^
                slice[1][word >> 48 & 0xFF] ^ slice[0][word >> 56];
    }
    for (; size; size--)
        state = state >> 8 ^ slice[0][(state ^ *data++) & 0xFF];
    return state;
}

#endif
