/* Checks of a block: each says before which row the block ends. */
#include "block.h"

size_t wl_block_range(wl_block *block, const wl_block_step *step, size_t rows, size_t row) {
    const uint64_t low = step->low, reach = step->reach, *values = block->values;
    (void)row;
    wl_block_values(block, step->from, step->kind, rows, (uint8_t *)block->values);
    for (size_t i = 0; i < rows; i++) {
        if (WL_UNLIKELY(values[i] - low > reach))
            return i;
    }
    return rows;
}

size_t wl_block_constant(wl_block *block, const wl_block_step *step, size_t rows, size_t row) {
    const size_t size = step->constant_size;
    (void)row;
    for (size_t i = 0; size && i < rows; i++) {
        if (WL_UNLIKELY(memcmp(wl_block_at(block, step->from, i), step->constant, size) != 0))
            return i;
    }
    return rows;
}
