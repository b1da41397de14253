/* Row blocks: their creation, the execution of their steps, and when not to use them. */
#include "fold.h"
#include "row_block_expressions.h"
#include "row_block_guards.h"

#include <stdlib.h>

#define LINE 64
#define COLUMNS_AHEAD 2

/* After a row that could not be read in this way fewer rows are tried at once, and if there are many such rows, none
 * for a while, since the work for the rows after one has to be repeated. */
static void learn(wl_row_block *block, size_t tried, size_t held) {
    if (tried && held == tried) {
        block->pause = 0;
        block->most = wl_smaller(block->most * 2, WL_ROW_BLOCK_ROWS);
        return;
    }
    block->most = held < 4 ? 8 : wl_smaller(held * 2, WL_ROW_BLOCK_ROWS);
    block->pause = held < 4 ? wl_smaller(block->pause * 2 + 1, 64) : 0;
    block->wait = block->pause;
}

/* Addresses only: nothing is read, so the input may end before them. */
static void fetch(uintptr_t at, size_t size) {
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch((const void *)(at + i));
}

static void fetch_to_write(const wl_row_block *block, size_t number, size_t rows) {
    const wl_row_block_step *step = block->columns + number;
    for (size_t i = 0; number < block->column_count && i < rows * step->width; i += LINE)
        __builtin_prefetch(step->out + block->row * step->width + i, 1);
}

/* For rows of one size, each column prefetches its share of the next block, and the memory of a later column, since
 * processors cannot predict accesses across columns. */
static void run_columns(wl_row_block *block, size_t rows) {
    const size_t share = block->stride * WL_ROW_BLOCK_ROWS / (block->column_count + 1) + LINE;
    const uint8_t *next = block->at[0][rows];
    for (size_t i = 0; i < block->column_count; i++) {
        if (block->stride) {
            fetch((uintptr_t)next + i * share, share);
            fetch_to_write(block, i + COLUMNS_AHEAD, rows);
        }
        block->columns[i].run(block, block->columns + i, rows);
    }
}

size_t wl_row_block_run(wl_row_block *block, size_t rows, size_t tried) {
    for (size_t i = 0; i < block->check_count && rows; i++)
        rows = block->checks[i].run(block, block->checks + i, rows);
    if (block->chooses)
        rows = wl_row_block_filter(block, rows);
    else if (rows)
        run_columns(block, rows);
    block->built = block->chooses ? block->built : rows;
    learn(block, tried, rows);
    return rows;
}

/* What determines the positions of parts of the row; the steps of a guard only run for rows in which it is true. */
static bool make_guards(wl_row_block *block) {
    block->guards = malloc(sizeof *block->guards);
    if (!block->guards)
        return false;
    block->guards->count = block->guards->size_count = 0;
    block->guards->ancestors[0] = 1;
    memset(block->guards->taken[0], 1, sizeof block->guards->taken[0]);
    return true;
}

/* Room for the values of `count` varints, each in a separate stretch. Four are stored at once, wanted or not. */
static bool make_values(wl_row_block *block, size_t count) {
    count = wl_smaller(count, WL_MOST_BLOCK_VARINTS);
    block->values = malloc((count + 3) * sizeof *block->values);
    if (!block->values)
        return false;
    for (size_t i = 0; i < count; i++) {
        for (size_t row = 0; row < WL_ROW_BLOCK_ROWS; row++)
            block->at[WL_MOST_STRETCHES - 1 - i][row] = (const uint8_t *)&block->values[i][row];
    }
    return true;
}

/* What copying needs in every row. */
static void locate_copies(wl_row_block *block) {
    const bool separate = block->nested || (block->guards && block->guards->size_count);
    block->copies_by_columns = separate && block->copy_count && !block->sum_count && !block->chooses;
    for (size_t i = 0; i < block->copy_count; i++) {
        wl_string_column *column = block->copies + i;
        column->begins = block->at[column->from.stretch];
        column->ends = block->at[column->to.stretch];
        column->taken = block->guards ? block->guards->taken[column->guard] : NULL;
        block->copies_by_columns &= !column->outer;
        for (size_t j = 0; j < i; j++)
            block->copies_by_columns &= block->copies[j].offsets != column->offsets;
    }
}

wl_row_block *wl_row_block_make(wl_run *run, const wl_instruction *first, const wl_instruction *last, int loop,
                                wl_known_byte known) {
    if (run->arguments->row_by_row)
        return NULL;
    size_t varints = 0, folded = 0;
    bool computes = false, depends = run->unset_from[1] != 0;
    for (const wl_instruction *each = first; each != last; each++) {
        computes |= each->operation == WL_RUN_EXPRESSION || each->operation == WL_RUN_STREAM ||
                    (each->operation == WL_RUN_CHECKSUM && run->checksums[each->a].rule->stored_size);
        depends |= each->operation == WL_RUN_SKIP_IF_ZERO;
        if (known.is_known && each->operation == WL_RUN_EXPRESSION)
            folded += wl_folded_size((size_t)each->d);
        varints += each->operation == WL_RUN_VARINT || each->operation == WL_RUN_VARINT_COLUMN;
    }
    size_t steps = (size_t)(last - first) + run->unset_from[1];
    /* Any step of the plan may become one of either kind, and a column that begins as null has one more. */
    wl_row_block *block = malloc(sizeof *block + steps * (sizeof *block->sums + sizeof *block->copies +
                                                          sizeof *block->checks + sizeof *block->columns) + folded);
    if (!block)
        return NULL;
    memset(block, 0, offsetof(wl_row_block, at));
    block->run = run;
    block->known = known;
    block->sums = (wl_sum *)(void *)(block + 1);
    block->sum_room = steps;
    block->copies = (wl_string_column *)(void *)(block->sums + steps);
    block->checks = (wl_row_block_step *)(void *)(block->copies + steps);
    block->columns = block->checks + steps;
    block->folded = (uint8_t *)(block->columns + steps);
    block->most = WL_ROW_BLOCK_ROWS;
    block->chooses = run->arguments->predicate_count != 0;
    if (computes && (block->results = malloc(sizeof *block->results)))
        block->results->count = block->results->code_count = 0;
    bool memory = (!computes || block->results) && (!depends || make_guards(block)) &&
                  (!varints || make_values(block, varints));
    if (memory && wl_row_block_plan(block, first, last, loop) &&
        (!block->nested || block->guards || make_guards(block))) {
        wl_row_block_filter_layout(block);
        locate_copies(block);
        block->is_plain = wl_row_block_is_plain(block);
        return block;
    }
    wl_row_block_free(block);
    return NULL;
}

wl_row_block *wl_row_block_of_plan(wl_run *run) {
    const wl_instruction *last = run->plan;
    /* Its rows are in a loop, or need other work before each. */
    if (run->program->has_rows || run->program->expands)
        return NULL;
    while (last->operation != WL_RUN_END)
        last++;
    return wl_row_block_make(run, run->plan, last, -1, (wl_known_byte){.is_known = false});
}

wl_known_byte wl_row_block_common_byte(const wl_row_block *block, size_t rows) {
    const wl_known_byte none = {.is_known = false};
    const wl_condition *condition = NULL;
    for (size_t i = 0; block->guards && i < block->guards->count && !condition; i++) {
        const wl_condition *each = block->guards->conditions + i;
        condition = each->by_range || each->place.stretch ? NULL : each;
    }
    if (!condition || !rows)
        return none;
    const wl_known_byte found = {true, *wl_row_block_at(block, condition->place, rows / 2), condition->place.offset};
    size_t count = 0;
    for (size_t i = 0; i < rows; i++)
        count += *wl_row_block_at(block, condition->place, i) == found.value;
    return count >= rows - rows / 8 ? found : none;
}

void wl_row_block_free(wl_row_block *block) {
    if (block) {
        free(block->results);
        free(block->guards);
        free(block->values);
    }
    free(block);
}
