/* CRC-32 of zlib, zip and Ethernet. */
#include "crc.h"

#define POLYNOMIAL UINT32_C(0xEDB88320)

static wl_crc_tables tables;

static uint32_t update(uint32_t state, const uint8_t *data, size_t size) {
    return wl_crc_sliced(&tables, state, data, size);
}

static uint32_t multiply(uint32_t left, uint32_t right) { return wl_crc_product(POLYNOMIAL, left, right); }

static const wl_crc_function updates = update;
static const wl_crc_multiply multiplies = multiply;

const wl_algorithm wl_crc32 = {
    .number = 2,
    .width = 32,
    .polynomial = POLYNOMIAL,
    .initial = UINT32_MAX,
    .final_xor = UINT32_MAX,
    .update = &updates,
    .multiply = &multiplies,
    .tables = &tables,
};
