/* Checksums of several rows at once. */
#include "row_block_sums.h"
#include "row_block_expressions.h"

bool wl_row_block_is_simple_sum(const wl_row_block *block, const wl_sum *sum) {
    if (sum->to.stretch < sum->from.stretch || sum->to.stretch > sum->from.stretch + 1)
        return false;
    const int64_t between = sum->to.stretch > sum->from.stretch ? block->strings[sum->from.stretch].before : 0;
    return between + sum->to.offset - sum->from.offset >= sum->skipped;
}

/* Computes the states after the ranges of rows from number `row` up to `rows`. */
static void find_states(const wl_row_block *block, const wl_sum *sum, size_t row, size_t rows, uint64_t *states) {
    const wl_checksum *checksum = sum->checksum;
    const uint8_t *const *begins = block->at[sum->from.stretch], *const *ends = block->at[sum->to.stretch];
    const int64_t begin = sum->from.offset + sum->skipped, end = sum->to.offset;
    if (checksum->update == wl_chosen.crc32c && wl_chosen.crc32c_ranges) {
        wl_chosen.crc32c_ranges(checksum->replaced, begins + row, begin, ends + row, end, rows - row, states);
        return;
    }
    for (size_t i = row; i < rows; i++) {
        const uint8_t *from = begins[i] + begin;
        states[i - row] = checksum->update(checksum->replaced, from, (size_t)(ends[i] + end - from), checksum->tables);
    }
}

/* Stores checksums where the stored form is computed from. */
static void store(const wl_sum *sum, const uint64_t *states, size_t row, size_t rows) {
    const wl_algorithm *algorithm = sum->checksum->algorithm;
    const uint64_t by = algorithm->of.final_xor;
    for (size_t i = row; algorithm->bare && i < rows; i++)
        sum->result[i] = (int64_t)(states[i - row] ^ by);
    for (size_t i = row; !algorithm->bare && i < rows; i++)
        sum->result[i] = (int64_t)wl_sum_of_state(algorithm, states[i - row]);
}

size_t wl_row_block_sum(wl_row_block *block, const wl_sum *sum, size_t row, size_t rows) {
    uint64_t states[WL_ROW_BLOCK_ROWS];
    const size_t first = row;
    find_states(block, sum, row, rows, states);
    if (sum->result) {
        store(sum, states, row, rows);
        return rows;
    }
    while (row < rows &&
           WL_LIKELY(wl_checksum_holds(block->run, sum->checksum, states[row - first],
                                       wl_load_kind(wl_row_block_at(block, sum->expected, row), sum->kind))))
        row++;
    return row;
}

size_t wl_row_block_stored_sum(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    if (step->sum)
        rows = wl_row_block_sum(block, step->sum, 0, rows);
    rows = wl_row_block_expression(block, step, rows);
    const uint64_t *found = wl_row_block_load(block, step->from, step->kind, block->loaded, 0, rows);
    /* Of a negative result and an unsigned field, all bits may be equal. */
    const uint64_t sign = wl_kind_is_u8(step->kind) ? UINT64_C(1) << 63 : 0;
    uint64_t differs = 0;
    for (size_t j = 0; j < rows; j++)
        differs |= ((uint64_t)step->result[j] ^ found[j]) | (found[j] & sign);
    size_t i = 0;
    while (differs && i < rows && step->result[i] == (int64_t)found[i] && !(found[i] & sign))
        i++;
    return differs ? i : rows;
}
