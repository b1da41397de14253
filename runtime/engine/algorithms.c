/* The checksum algorithms: their parameters, and what is derived from them. */
#include "sums.h"

#include <stdlib.h>

static void md5(const uint8_t *data, size_t size, uint8_t *digest) {
    uint8_t found[1][16];
    wl_md5_many(&data, &size, 1, found);
    memcpy(digest, found[0], sizeof found[0]);
}

/* One row per algorithm that has a single form, or one per word size. */
static const struct {
    uint32_t family;
    uint32_t unit;
    wl_sum_function update;
    wl_digest_function digest;
    uint32_t most_width; /* in bits; for digests the only width */
    bool in_pieces;
    bool bare;
} rows[] = {
    {WL_CRC, 1, NULL, NULL, 64, true, true},
    {WL_ADLER, 1, wl_adler32, NULL, 32, true, true},
    {WL_FLETCHER, 1, wl_fletcher16, NULL, 16, true, true},
    {WL_FLETCHER, 2, wl_fletcher32, NULL, 32, false, true},
    {WL_FLETCHER, 4, wl_fletcher64, NULL, 64, false, true},
    {WL_FLETCHER_256, 1, wl_fletcher16_256, NULL, 16, true, true},
    {WL_SUM_LE, 1, wl_sum_bytes, NULL, 32, true, false},
    {WL_SUM_LE, 2, wl_sum_le2, NULL, 32, true, false},
    {WL_SUM_LE, 4, wl_sum_le4, NULL, 32, true, false},
    {WL_SUM_BE, 2, wl_sum_be2, NULL, 32, true, false},
    {WL_SUM_BE, 4, wl_sum_be4, NULL, 32, true, false},
    {WL_SUM_XOR, 1, wl_xor_bytes, NULL, 8, true, true},
    {WL_SUM_INTERNET, 2, wl_sum_be2, NULL, 16, true, false},
    {WL_XXH32, 1, wl_xxh32, NULL, 32, false, true},
    {WL_XXH64, 1, wl_xxh64, NULL, 64, false, true},
    {WL_XXH3, 1, wl_xxh3, NULL, 64, false, true},
    {WL_MD5, 1, NULL, md5, 128, false, true},
    {WL_SHA1, 1, NULL, wl_sha1, 160, false, true},
    {WL_SHA256, 1, NULL, wl_sha256, 256, false, true},
    {WL_SHA256D, 1, NULL, wl_sha256d, 256, false, true},
    {WL_BITCOIN_MERKLE, 1, NULL, wl_bitcoin_merkle, 256, false, true},
};
enum { ROWS = sizeof rows / sizeof *rows, FEWEST_CRC_BITS = 3 };

static size_t row_of(const wl_sum_parameters *of) {
    size_t row = 0;
    while (row < ROWS && (rows[row].family != of->family || rows[row].unit != of->unit))
        row++;
    return row;
}

static uint64_t mask(uint32_t width) { return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1; }

wl_sum_parameters wl_sum_parameters_read(const uint8_t *packed) {
    return (wl_sum_parameters){wl_load_le4(packed),      wl_load_le4(packed + 4),  wl_load_le4(packed + 8),
                               wl_load_le4(packed + 12), wl_load_le8(packed + 16), wl_load_le8(packed + 24),
                               wl_load_le8(packed + 32)};
}

bool wl_sum_parameters_hold(const wl_sum_parameters *of) {
    size_t row = row_of(of);
    if (row == ROWS || of->width > rows[row].most_width || of->reflects > (WL_REFLECT_IN | WL_REFLECT_OUT))
        return false;
    if (rows[row].digest)
        return of->width == rows[row].most_width;
    bool adds = of->family == WL_SUM_LE || of->family == WL_SUM_BE;
    if (of->family == WL_CRC ? of->width < FEWEST_CRC_BITS : adds ? of->width < 8 : of->width != rows[row].most_width)
        return false;
    return !((of->polynomial | of->initial | of->final_xor) & ~mask(of->width));
}

bool wl_is_digest(const wl_sum_parameters *of) { return rows[row_of(of)].digest; }

bool wl_sums_in_pieces(const wl_sum_parameters *of) { return rows[row_of(of)].in_pieces; }

bool wl_algorithm_make(wl_algorithm *algorithm, const wl_sum_parameters *parameters) {
    size_t row = row_of(parameters);
    *algorithm = (wl_algorithm){
        .of = *parameters,
        .update = rows[row].update,
        .digest = rows[row].digest,
        .initial = parameters->initial,
        .digest_size = rows[row].digest ? parameters->width / 8 : 0,
        .bare = rows[row].bare,
    };
    return parameters->family != WL_CRC || wl_crc_make(algorithm);
}

bool wl_digest_make(wl_algorithm *algorithm, uint32_t family) {
    size_t row = row_of(&(wl_sum_parameters){.family = family, .unit = 1});
    if (row == ROWS || !rows[row].digest)
        return false;
    return wl_algorithm_make(algorithm,
                             &(wl_sum_parameters){.family = family, .unit = 1, .width = rows[row].most_width});
}

void wl_algorithm_free(wl_algorithm *algorithm) {
    if (algorithm->owns)
        free((void *)(uintptr_t)algorithm->crc);
}

uint64_t wl_sum_of_state(const wl_algorithm *algorithm, uint64_t state) {
    const wl_sum_parameters *of = &algorithm->of;
    if (!algorithm->bare) {
        if (of->family == WL_CRC)
            state = wl_crc_reflected(state, of->width);
        else
            state &= (UINT64_C(1) << WL_SUM_BITS) - 1;
        /* Ones' complement arithmetic: the carry is added at the bottom. */
        while (of->family == WL_SUM_INTERNET && state >> 16)
            state = (state & 0xFFFF) + (state >> 16);
        state &= mask(of->width);
    }
    return state ^ of->final_xor;
}

uint64_t wl_state_of_sum(const wl_algorithm *algorithm, uint64_t sum) {
    const wl_sum_parameters *of = &algorithm->of;
    sum = (sum ^ of->final_xor) & mask(of->width);
    return of->family == WL_CRC && !algorithm->bare ? wl_crc_reflected(sum, of->width) : sum;
}
