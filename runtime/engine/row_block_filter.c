/* Rows of a block that match predicates: only these are built.
 *
 * At this point all current rows are known to be valid, and nothing of them is in a column. The columns that predicates
 * test are built for all rows. The bytes of matching rows are copied, which otherwise happens while a row is read. Then
 * these rows are moved to the front, and everything else is built from them. */
#include "row_block_expressions.h"
#include "row_block_guards.h"

static bool is_asked(const wl_run *run, size_t column) {
    for (size_t i = 0; i < run->arguments->predicate_count; i++) {
        if (run->arguments->predicates[i].column == column)
            return true;
    }
    return false;
}

static void build_asked(wl_row_block *block, size_t rows) {
    block->run->nulls = false;
    for (size_t i = 0; i < block->column_count; i++) {
        if (is_asked(block->run, block->columns[i].column))
            block->columns[i].run(block, block->columns + i, rows);
    }
}

static void clear_asked(const wl_row_block *block, size_t rows) {
    const wl_fill_arguments *arguments = block->run->arguments;
    for (size_t i = 0; i < arguments->predicate_count; i++) {
        const wl_column *column = arguments->columns + arguments->predicates[i].column;
        wl_nulls_clear(column->validity, block->row, block->row + rows);
    }
}

/* Moves everything that is known about a row to its index among the chosen ones. */
static void gather(wl_row_block *block, size_t rows) {
    const size_t guards = block->guards ? 2 * block->guards->count + 1 : 0;
    for (size_t to = 0; to < rows; to++) {
        const size_t from = block->chosen[to];
        /* Two stretches between delimiters have no string between them. */
        for (size_t i = 0; i <= block->string_count + 1 && i < WL_MOST_STRETCHES - block->varint_count; i++)
            block->at[i][to] = block->at[i][from];
        for (size_t i = 0; i < block->varint_count; i++)
            block->values[i][to] = block->values[i][from];
        for (size_t i = 0; block->results && i < block->results->count; i++)
            block->results->values[i][to] = block->results->values[i][from];
        for (size_t i = 1; i < guards; i++)
            block->guards->taken[i][to] = block->guards->taken[i][from];
    }
}

size_t wl_row_block_filter(wl_row_block *block, size_t rows) {
    build_asked(block, rows);
    const bool nulls = block->run->nulls || block->run->unset_from[1];
    const size_t count = wl_predicates_choose(block->run, block->row, rows, nulls, block->chosen);
    if (nulls)
        clear_asked(block, rows);
    block->built = block->copy_count ? wl_chosen.copy_rows(block, count) : count;
    if (count < rows)
        gather(block, block->built);
    for (size_t i = 0; block->built && i < block->column_count; i++)
        block->columns[i].run(block, block->columns + i, block->built);
    return block->built < count ? block->chosen[block->built] : rows;
}
