/* Checksums of several rows at once. */
#ifndef WIRELOOM_ROW_BLOCK_SUMS_H
#define WIRELOOM_ROW_BLOCK_SUMS_H

#include "row_block.h"

/* Whether the checksum is that of one range in each row, which always has the bytes that are skipped. */
bool wl_row_block_is_simple_sum(const wl_row_block *block, const wl_sum *sum);
/* Computes such checksums of the current rows from number `row` up to `rows`, and verifies those whose stored form need
 * not be computed. Returns the number of the first row that is not valid; `rows`: there is none. */
size_t wl_row_block_sum(wl_row_block *block, const wl_sum *sum, size_t row, size_t rows);

#endif
