/* What is known of the rows of a block without reading them: sizes and positions of streams, numbers of iterations. */
#include "row_block_expressions.h"

size_t wl_row_block_stream(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint8_t *first = wl_row_block_at(block, step->from, 0);
    wl_integer found;
    if (!wl_stream_value(block->run, step->instruction, first, &found))
        return 0;
    /* Positions and sizes have 63 bits. */
    const int64_t value = (int64_t)found;
    if (step->instruction->b)
        for (size_t i = 0; i < (step->widens ? rows : 1); i++)
            step->narrow[i] = value;
    else
        for (size_t i = 0; i < rows; i++)
            step->narrow[i] = value + (wl_row_block_at(block, step->from, i) - first);
    for (size_t i = 0; step->widens && i < rows; i++)
        step->lane[i] = step->narrow[i];
    return value == found ? rows : 0;
}

size_t wl_row_block_index(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const wl_loop *loop = block->run->loops + step->instruction->b;
    for (size_t i = 0; i < rows; i++)
        step->lane[i] = (wl_integer)loop->index + (step->kind ? (wl_integer)i : 0);
    return rows;
}
