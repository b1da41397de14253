/* Copies the byte strings of a block's rows column by column, so that what is the same for all rows stays in registers.
 * Compiled for every width of vectors. */
#include "row_block_copies.h"

INLINE size_t copy_columns(const wl_row_block *block, size_t rows, size_t width) {
    for (size_t i = 0; i < block->copy_count && rows; i++)
        rows = copy_column(block, block->copies + i, 0, rows, block->copies[i].taken, false, width);
    return rows;
}

#define VARIANT(level, vector, attributes)                                                                             \
    attributes size_t wl_copy_columns_##level(const wl_row_block *block, size_t rows) {                                \
        return copy_columns(block, rows, sizeof(vector));                                                              \
    }

VARIANT(portable, wl_vector16, )
#if defined(__x86_64__)
VARIANT(avx2, wl_vector32, __attribute__((target("avx2"))))
VARIANT(avx512, wl_vector64, __attribute__((target("avx512f,avx512bw"))))
#endif
