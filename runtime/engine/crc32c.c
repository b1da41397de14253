/* CRC-32C (Castagnoli) of iSCSI and ext4: the portable variant. Those of processors are in files of their own. */
#include "crc.h"

#define POLYNOMIAL UINT32_C(0x82F63B78)

static wl_crc_tables tables;

uint32_t wl_crc32c_portable(uint32_t state, const uint8_t *data, size_t size) {
    return wl_crc_sliced(&tables, state, data, size);
}

uint32_t wl_crc32c_multiply_portable(uint32_t left, uint32_t right) { return wl_crc_product(POLYNOMIAL, left, right); }

const wl_algorithm wl_crc32c = {
    .number = 1,
    .width = 32,
    .polynomial = POLYNOMIAL,
    .initial = UINT32_MAX,
    .final_xor = UINT32_MAX,
    .update = &wl_chosen.crc32c,
    .multiply = &wl_chosen.crc32c_multiply,
    .tables = &tables,
};
