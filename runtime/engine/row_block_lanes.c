/* The checks and columns of values that a row block has computed. */
#include "row_block_expressions.h"

size_t wl_row_block_lane_range(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block;
    const int64_t end = step->instruction->d;
    const wl_integer *values = step->lane, least = step->instruction->c;
    const wl_integer most = step->instruction->b & 0x80 ? (wl_integer)(uint64_t)end : (wl_integer)end;
    size_t i = 0;
    while (i < rows && WL_LIKELY(values[i] >= least && values[i] <= most))
        i++;
    return i;
}

size_t wl_row_block_lane_true(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block;
    size_t i = 0;
    while (i < rows && WL_LIKELY(step->lane[i] != 0))
        i++;
    return i;
}

size_t wl_row_block_lane_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    uint8_t *out = step->out + block->row * 8;
    const int64_t form = step->instruction->c, least = wl_earliest_time(form), most = wl_latest_time(form);
    if (step->narrow && !*step->is_wide) {
        const uint64_t *values = (const uint64_t *)step->narrow;
        uint64_t signs = 0;
        memcpy(out, values, rows * 8);
        /* The highest bit is set if a value is not within the bounds, and perhaps if they are far apart. */
        for (size_t i = 0; i < rows; i++)
            signs |= (values[i] - (uint64_t)least) | ((uint64_t)most - values[i]);
        for (size_t i = 0; signs >> 63 && i < rows; i++) {
            if (step->narrow[i] < least || step->narrow[i] > most)
                wl_column_null(block->run, step->column, block->row + i);
        }
        if (form & WL_HAS_ABSENT)
            wl_row_block_absent_times(block, step, values, rows);
        return rows;
    }
    for (size_t i = 0; i < rows; i++) {
        wl_store8(out + i * 8, (uint64_t)step->lane[i]);
        const bool is_absent = form & WL_HAS_ABSENT && step->lane[i] == step->instruction->d;
        if (WL_UNLIKELY(step->lane[i] < least || step->lane[i] > most || is_absent))
            wl_column_null(block->run, step->column, block->row + i);
    }
    return rows;
}

size_t wl_row_block_lane_zero(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block;
    const bool is_narrow = step->is_wide && !*step->is_wide;
    int64_t any = 0;
    for (size_t j = 0; is_narrow && j < rows; j++)
        any |= step->narrow[j];
    if (is_narrow && !any)
        return rows;
    size_t i = 0;
    while (i < rows && (is_narrow ? step->narrow[i] == 0 : step->lane[i] == 0))
        i++;
    return i;
}
