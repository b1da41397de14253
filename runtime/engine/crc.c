/* CRC tables, arithmetic on CRC states, and the portable updates (slicing by eight).
 *
 * A state is a polynomial over GF(2) of degree below 32, reflected: bit 31 is the coefficient of x^0. Appending a zero
 * byte multiplies it by x^8 modulo the CRC's polynomial; so states can be moved over any distance by one product. */
#include "internal.h"

#define ONE UINT32_C(0x80000000)

/* Index 0: CRC-32C (Castagnoli), 1: CRC-32 (zlib), as the algorithm's number less one. */
static const uint32_t polynomials[2] = {0x82F63B78, 0xEDB88320};

/* slices[a][k][b]: the state after byte b and k zero bytes. Filled in once by wl_crc_start(), then only read. */
static uint32_t slices[2][8][256];

/* powers[a][k]: x^(2^k). 64 bits of exponent, and three more because sizes count bytes. */
static uint32_t powers[2][67];

/* moves[a][k][b]: x^(8 · b · 256^k), a move over b · 256^k bytes. */
#define MOVE_DIGITS 4
static uint32_t moves[2][MOVE_DIGITS][256];

/* Without branches: the bits of a state are as good as random, so every branch on one would be guessed wrongly half of
 * the time. */
static uint32_t multiply(uint32_t polynomial, uint32_t left, uint32_t right) {
    uint32_t product = 0;
    for (int bit = 0; bit < 32; bit++) {
        product ^= right & -(left >> 31);
        left <<= 1;
        right = right >> 1 ^ (polynomial & -(right & 1));
    }
    return product;
}

uint32_t wl_crc32c_multiply_portable(uint32_t left, uint32_t right) { return multiply(polynomials[0], left, right); }

static void start_slices(unsigned which) {
    uint32_t polynomial = polynomials[which];
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ polynomial : state >> 1;
        slices[which][0][byte] = state;
    }
    for (int k = 1; k < 8; k++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = slices[which][k - 1][byte];
            slices[which][k][byte] = before >> 8 ^ slices[which][0][before & 0xFF];
        }
    }
}

static void start_powers(unsigned which) {
    uint32_t polynomial = polynomials[which];
    powers[which][0] = ONE >> 1;
    for (int k = 1; k < 67; k++)
        powers[which][k] = multiply(polynomial, powers[which][k - 1], powers[which][k - 1]);
    for (unsigned k = 0; k < MOVE_DIGITS; k++) {
        moves[which][k][0] = ONE;
        for (unsigned byte = 1; byte < 256; byte++)
            moves[which][k][byte] = multiply(polynomial, moves[which][k][byte - 1], powers[which][3 + 8 * k]);
    }
}

void wl_crc_start(void) {
    for (unsigned which = 0; which < 2; which++) {
        start_slices(which);
        start_powers(which);
    }
}

/* state · x^(n · 2^first) */
static uint32_t times_power(uint32_t algorithm, uint32_t state, uint64_t n, unsigned first) {
    unsigned which = algorithm - 1;
    for (unsigned k = first; n; n >>= 1, k++) {
        if (n & 1)
            state = multiply(polynomials[which], powers[which][k], state);
    }
    return state;
}

uint32_t wl_crc_power(uint32_t algorithm, uint64_t n) { return times_power(algorithm, ONE, n, 0); }

uint32_t wl_crc_shift(uint32_t algorithm, uint32_t state, uint64_t size) {
    unsigned which = algorithm - 1;
    for (unsigned k = 0; k < MOVE_DIGITS; k++, size >>= 8) {
        uint32_t move = moves[which][k][size & 0xFF];
        if (size & 0xFF)
            state = which == 0 ? wl_chosen.crc32c_multiply(state, move) : multiply(polynomials[1], state, move);
    }
    return times_power(algorithm, state, size, 3 + 8 * MOVE_DIGITS);
}

static inline uint32_t update(uint32_t (*slice)[256], uint32_t state, const uint8_t *data, size_t size) {
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

uint32_t wl_crc32c_portable(uint32_t state, const uint8_t *data, size_t size) {
    return update(slices[0], state, data, size);
}

uint32_t wl_crc32_update(uint32_t state, const uint8_t *data, size_t size) {
    return update(slices[1], state, data, size);
}

uint32_t wl_crc32c_update(uint32_t state, const uint8_t *data, size_t size) {
    return wl_chosen.crc32c(state, data, size);
}
