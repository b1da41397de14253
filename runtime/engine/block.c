/* Blocks of rows: where rows begin, running the steps over them, and when not to. */
#include "block.h"

#include <stdlib.h>

/* How far the block that begins at `begin` may reach; `row` is its first row's number. */
static void start(wl_block *block, size_t begin, size_t row) {
    const wl_fill_arguments *arguments = block->run->arguments;
    size_t left = arguments->end - begin;
    size_t before = left < block->stride ? 0 : left - block->stride + 1;
    if (block->sum_count || block->copy_count)
        before = wl_smaller(before, WL_BLOCK_BYTES);
    if (arguments->stop >= 0) {
        uint64_t here = arguments->base_offset + begin, stop = (uint64_t)arguments->stop;
        before = stop <= here ? 0 : wl_smaller(before, stop - here);
    }
    block->at[0][0] = arguments->source + begin;
    block->last = arguments->source + begin + before;
    block->rows = wl_smaller(arguments->capacity - row, block->most);
    block->largest = arguments->max_record - block->fixed;
    block->row = row;
}

/* After a row that did not go this way less is tried at once, and where such rows are many, nothing for a while: what
 * was done for the rows behind one has to be done again. */
static void learn(wl_block *block, size_t tried, size_t held) {
    if (tried && held == tried) {
        block->pause = 0;
        block->most = wl_smaller(block->most * 2, WL_BLOCK_ROWS);
        return;
    }
    block->most = held < 4 ? 8 : wl_smaller(held * 2, WL_BLOCK_ROWS);
    block->pause = held < 4 ? wl_smaller(block->pause * 2 + 1, 64) : 0;
    block->wait = block->pause;
}

static void note_offsets(const wl_block *block, size_t rows, size_t row) {
    const wl_fill_arguments *arguments = block->run->arguments;
    if (!arguments->offsets)
        return;
    uint8_t *out = arguments->offsets + row * 8;
    for (size_t i = 0; i < rows; i++)
        wl_store8(out + i * 8, arguments->base_offset + (size_t)(block->at[0][i] - arguments->source));
}

size_t wl_block_read(wl_block *block, wl_fill_result *result, size_t begin) {
    if (block->wait) {
        block->wait--;
        return begin;
    }
    start(block, begin, result->rows);
    size_t found = wl_chosen.block_rows(block), rows = found;
    for (size_t i = 0; i < block->check_count && rows; i++)
        rows = block->checks[i].run(block, block->checks + i, rows, result->rows);
    for (size_t i = 0; i < block->column_count && rows; i++)
        block->columns[i].run(block, block->columns + i, rows, result->rows);
    learn(block, found, rows);
    note_offsets(block, rows, result->rows);
    result->rows += rows;
    size_t size = (size_t)(block->at[0][rows] - block->at[0][0]);
    /* Of large rows the bytes are what takes the time, and the handlers are quicker with them. */
    if ((block->sum_count || block->copy_count) && size / WL_BLOCK_LARGE > rows)
        block->wait = WL_BLOCK_REST;
    return begin + size;
}

wl_block *wl_block_make(wl_run *run) {
    const wl_program *program = run->program;
    if (run->arguments->row_by_row || program->delimiter_size || run->unprepared)
        return NULL;
    size_t steps = 0;
    while (run->plan[steps].operation != WL_RUN_END)
        steps++;
    /* Any step of the plan may become one of either kind. */
    wl_block *block = malloc(sizeof *block + steps * (sizeof *block->sums + sizeof *block->copies +
                                                      sizeof *block->checks + sizeof *block->columns));
    if (!block)
        return NULL;
    memset(block, 0, offsetof(wl_block, at));
    block->run = run;
    block->sums = (wl_block_sum *)(void *)(block + 1);
    block->copies = (wl_block_copy *)(void *)(block->sums + steps);
    block->checks = (wl_block_step *)(void *)(block->copies + steps);
    block->columns = block->checks + steps;
    block->most = WL_BLOCK_ROWS;
    if (!wl_block_plan(block)) {
        free(block);
        return NULL;
    }
    return block;
}

void wl_block_free(wl_block *block) { free(block); }
