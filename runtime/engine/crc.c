/* The checksum algorithms, and arithmetic on their states. */
#include "crc.h"

#define ONE UINT32_C(0x80000000)

/* Where an algorithm is registered: the file that it has for itself defines its row. */
extern const wl_algorithm wl_crc32;
const wl_algorithm *const wl_algorithms[] = {&wl_crc32c, &wl_crc32, NULL};

const wl_algorithm *wl_algorithm_of(uint32_t number) {
    const wl_algorithm *const *each = wl_algorithms;
    while (*each && (*each)->number != number)
        each++;
    return *each;
}

static void start_slices(const wl_algorithm *algorithm) {
    uint32_t (*slices)[256] = algorithm->tables->slices;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ algorithm->polynomial : state >> 1;
        slices[0][byte] = state;
    }
    for (int k = 1; k < 8; k++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = slices[k - 1][byte];
            slices[k][byte] = before >> 8 ^ slices[0][before & 0xFF];
        }
    }
}

static void start_powers(const wl_algorithm *algorithm) {
    wl_crc_tables *tables = algorithm->tables;
    tables->powers[0] = ONE >> 1;
    for (int k = 1; k < 67; k++)
        tables->powers[k] = wl_crc_product(algorithm->polynomial, tables->powers[k - 1], tables->powers[k - 1]);
    for (unsigned k = 0; k < WL_MOVE_DIGITS; k++) {
        tables->moves[k][0] = ONE;
        for (unsigned byte = 1; byte < 256; byte++)
            tables->moves[k][byte] =
                wl_crc_product(algorithm->polynomial, tables->moves[k][byte - 1], tables->powers[3 + 8 * k]);
    }
}

void wl_crc_start(void) {
    for (const wl_algorithm *const *each = wl_algorithms; *each; each++) {
        start_slices(*each);
        start_powers(*each);
    }
}

/* state · x^(n · 2^first) */
static uint32_t times_power(const wl_algorithm *algorithm, uint32_t state, uint64_t n, unsigned first) {
    for (unsigned k = first; n; n >>= 1, k++) {
        if (n & 1)
            state = wl_crc_product(algorithm->polynomial, algorithm->tables->powers[k], state);
    }
    return state;
}

uint32_t wl_crc_power(const wl_algorithm *algorithm, uint64_t n) { return times_power(algorithm, ONE, n, 0); }

uint32_t wl_crc_shift(const wl_algorithm *algorithm, uint32_t state, uint64_t size) {
    for (unsigned k = 0; k < WL_MOVE_DIGITS; k++, size >>= 8) {
        if (size & 0xFF)
            state = (*algorithm->multiply)(state, algorithm->tables->moves[k][size & 0xFF]);
    }
    return times_power(algorithm, state, size, 3 + 8 * WL_MOVE_DIGITS);
}
