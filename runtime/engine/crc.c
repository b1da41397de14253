/* CRCs: their tables, updates by slicing by eight, and arithmetic on their states. */
#include <stdlib.h>

#include "crc.h"
#include "sums.h"

/* The two CRCs that nearly every format uses. CRC-32C has separate functions for most processors. */
wl_crc wl_crc32c = {.width = 32, .polynomial = UINT32_C(0x82F63B78)};
wl_crc wl_crc32 = {.width = 32, .polynomial = UINT32_C(0xEDB88320)};

uint64_t wl_crc_reflected(uint64_t value, unsigned width) {
    uint64_t reflected = 0;
    for (unsigned bit = 0; bit < width; bit++)
        reflected |= (value >> bit & 1) << (width - 1 - bit);
    return reflected;
}

/* Updates ---------------------------------------------------------------------------------------------------------- */

static inline uint64_t as_it_is(uint64_t word) { return word; }

/* Reverses the bits of each byte. */
static inline uint64_t bits_reversed(uint64_t word) {
    word = (word & UINT64_C(0x5555555555555555)) << 1 | (word >> 1 & UINT64_C(0x5555555555555555));
    word = (word & UINT64_C(0x3333333333333333)) << 2 | (word >> 2 & UINT64_C(0x3333333333333333));
    return (word & UINT64_C(0x0F0F0F0F0F0F0F0F)) << 4 | (word >> 4 & UINT64_C(0x0F0F0F0F0F0F0F0F));
}

#define SLICED(state, data, size, order)                                                                               \
    for (; size >= 8; data += 8, size -= 8) {                                                                          \
        uint64_t word = order(wl_load_le8(data)) ^ state;                                                              \
        state = slice[7][word & 0xFF] ^ slice[6][word >> 8 & 0xFF] ^ slice[5][word >> 16 & 0xFF] ^                     \
                slice[4][word >> 24 & 0xFF] ^ slice[3][word >> 32 & 0xFF] ^ slice[2][word >> 40 & 0xFF] ^              \
                slice[1][word >> 48 & 0xFF] ^ slice[0][word >> 56];                                                    \
    }                                                                                                                  \
    for (; size; size--)                                                                                               \
        state = state >> 8 ^ slice[0][(state ^ order(*data++)) & 0xFF];                                                \
    return state;

static uint64_t sliced(uint64_t before, const uint8_t *data, size_t size, const void *crc) {
    const uint32_t(*slice)[256] = ((const wl_crc *)crc)->narrow;
    uint32_t state = (uint32_t)before;
    SLICED(state, data, size, as_it_is)
}

static uint64_t sliced_reversed(uint64_t before, const uint8_t *data, size_t size, const void *crc) {
    const uint32_t(*slice)[256] = ((const wl_crc *)crc)->narrow;
    uint32_t state = (uint32_t)before;
    SLICED(state, data, size, bits_reversed)
}

static uint64_t sliced_wide(uint64_t state, const uint8_t *data, size_t size, const void *crc) {
    const uint64_t(*slice)[256] = ((const wl_crc *)crc)->wide;
    SLICED(state, data, size, as_it_is)
}

static uint64_t sliced_wide_reversed(uint64_t state, const uint8_t *data, size_t size, const void *crc) {
    const uint64_t(*slice)[256] = ((const wl_crc *)crc)->wide;
    SLICED(state, data, size, bits_reversed)
}

uint64_t wl_crc32c_portable(uint64_t state, const uint8_t *data, size_t size, const void *crc) {
    (void)crc;
    return sliced(state, data, size, &wl_crc32c);
}

#define LEAST_FOLDED 64

static uint64_t folded(uint64_t state, const uint8_t *data, size_t size, const void *of) {
    const wl_crc *crc = of;
    wl_sum_function update = crc->width > 32 ? sliced_wide : sliced;
    if (size >= LEAST_FOLDED) {
        uint8_t left[16];
        size_t whole = size & ~(size_t)15;
        wl_chosen.crc_fold(crc, state, data, whole, left);
        state = update(0, left, sizeof left, crc);
        data += whole;
        size -= whole;
    }
    return update(state, data, size, crc);
}

/* Tables ----------------------------------------------------------------------------------------------------------- */

static void start_slices(wl_crc *crc) {
    uint64_t slice[256];
    for (uint32_t byte = 0; byte < 256; byte++) {
        slice[byte] = byte;
        for (int bit = 0; bit < 8; bit++)
            slice[byte] = slice[byte] & 1 ? slice[byte] >> 1 ^ crc->polynomial : slice[byte] >> 1;
    }
    uint64_t first[256];
    memcpy(first, slice, sizeof first);
    for (int k = 0; k < 8; k++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            if (crc->width <= 32)
                crc->narrow[k][byte] = (uint32_t)slice[byte];
            else
                crc->wide[k][byte] = slice[byte];
            slice[byte] = slice[byte] >> 8 ^ first[slice[byte] & 0xFF];
        }
    }
}

uint64_t wl_crc_multiply_portable(const wl_crc *crc, uint64_t left, uint64_t right) {
    return wl_crc_product(crc->polynomial, crc->width, left, right);
}

static uint64_t one(const wl_crc *crc) { return UINT64_C(1) << (crc->width - 1); }

/* The factor of x^n, in the high bits of a word, as required by products of reflected numbers. */
static uint64_t factor(const wl_crc *crc, uint64_t n) { return wl_crc_power(crc, n) << (64 - crc->width); }

static void start_tables(wl_crc *crc) {
    start_slices(crc);
    crc->powers[0] = one(crc) >> 1;
    for (int k = 1; k < 67; k++)
        crc->powers[k] = wl_crc_multiply_portable(crc, crc->powers[k - 1], crc->powers[k - 1]);
    for (unsigned k = 0; k < WL_MOVE_DIGITS; k++) {
        crc->moves[k][0] = one(crc);
        for (unsigned byte = 1; byte < 256; byte++)
            crc->moves[k][byte] = wl_crc_multiply_portable(crc, crc->moves[k][byte - 1], crc->powers[3 + 8 * k]);
    }
    for (unsigned half = 0; half < 2; half++) {
        crc->fold_far[half] = factor(crc, 8 * 64 + 63 - 64 * half);
        crc->fold_near[half] = factor(crc, 8 * 16 + 63 - 64 * half);
    }
}

void wl_crc_start(void) {
    wl_crc32c.multiply = wl_chosen.crc32c_multiply;
    wl_crc32.multiply = wl_crc_multiply_portable;
    start_tables(&wl_crc32c);
    start_tables(&wl_crc32);
}

/* States ----------------------------------------------------------------------------------------------------------- */

/* state · x^(n · 2^first) */
static uint64_t times_power(const wl_crc *crc, uint64_t state, uint64_t n, unsigned first) {
    for (unsigned k = first; n; n >>= 1, k++) {
        if (n & 1)
            state = wl_crc_multiply_portable(crc, crc->powers[k], state);
    }
    return state;
}

uint64_t wl_crc_power(const wl_crc *crc, uint64_t n) { return times_power(crc, one(crc), n, 0); }

uint64_t wl_crc_shift(const wl_crc *crc, uint64_t state, uint64_t size) {
    for (unsigned k = 0; k < WL_MOVE_DIGITS; k++, size >>= 8) {
        if (size & 0xFF)
            state = crc->multiply(crc, state, crc->moves[k][size & 0xFF]);
    }
    return times_power(crc, state, size, 3 + 8 * WL_MOVE_DIGITS);
}

/* Creation from parameters ----------------------------------------------------------------------------------------- */

bool wl_crc_make(wl_algorithm *algorithm) {
    const wl_sum_parameters *of = &algorithm->of;
    const bool reversed = !(of->reflects & WL_REFLECT_IN);
    const uint64_t polynomial = wl_crc_reflected(of->polynomial, of->width);
    wl_crc *crc = NULL;
    if (of->width == 32 && polynomial == wl_crc32c.polynomial)
        crc = &wl_crc32c;
    else if (of->width == 32 && polynomial == wl_crc32.polynomial)
        crc = &wl_crc32;
    algorithm->owns = !crc;
    if (!crc) {
        crc = malloc(sizeof *crc);
        if (!crc)
            return false;
        *crc = (wl_crc){.width = of->width, .polynomial = polynomial, .multiply = wl_crc_multiply_portable};
        start_tables(crc);
    }
    const bool wide = of->width > 32;
    algorithm->crc = crc;
    algorithm->tables = crc;
    algorithm->update = wide ? (reversed ? sliced_wide_reversed : sliced_wide)
                             : (reversed ? sliced_reversed : sliced);
    if (wl_chosen.crc_fold && !reversed)
        algorithm->update = folded;
    if (crc == &wl_crc32c && !reversed)
        algorithm->update = wl_chosen.crc32c;
    algorithm->initial = wl_crc_reflected(of->initial, of->width);
    algorithm->bare = of->reflects & WL_REFLECT_OUT;
    return true;
}
