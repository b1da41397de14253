/* Rows in loop iterations, read in blocks as a row block: the loop around ROW, whose body has nothing that a later
 * iteration or a later step reads. The last iteration of a loop that ends by a value is left to the handlers. */
#include "handlers.h"
#include "row_block.h"

/* Fewer iterations than this are not worth a block. */
#define FEW 4
/* Number of iterations left to the handlers before another block of large rows is tried. */
#define REST 256

/* Maximum number of iterations, including the current one. */
static size_t most_turns(const wl_run *run, const wl_instruction *step) {
    const wl_loop *loop = run->loops + step->a;
    size_t most = run->arguments->capacity - wl_smaller(run->result->rows, run->arguments->capacity);
    if (step->b == WL_LOOP_COUNT && loop->remaining < (wl_integer)most)
        most = (size_t)loop->remaining + 1 < most ? (size_t)loop->remaining + 1 : most;
    /* The current iteration has been counted. */
    if (run->counts_items && run->items_left < most)
        most = wl_smaller(most, (size_t)run->items_left + 1);
    return most;
}

/* Records the offsets of the current rows in the input. */
static void note_offsets(const wl_row_block *block, size_t rows) {
    const wl_run *run = block->run;
    const wl_fill_arguments *arguments = run->arguments;
    if (!arguments->offsets)
        return;
    uint8_t *out = arguments->offsets + block->row * 8;
    const bool same = run->block_begin || run->program->delimiter_size;
    const size_t all = run->program->delimiter_size ? run->unit_position
                       : same                       ? (size_t)(run->block_begin - arguments->source)
                                                    : 0;
    /* What is the same for all rows is not read again after each store. */
    const uint64_t base = arguments->base_offset;
    const uint8_t *const source = arguments->source, *const *begins = block->at[block->row_begin.stretch];
    const int64_t offset = block->row_begin.offset;
    for (size_t i = 0; i < rows; i++)
        wl_store8(out + i * 8, base + (same ? all : (size_t)(begins[i] + offset - source)));
}

/* If there were only few rows, a block is worth little, and fewer are tried. */
static void learn(wl_row_block *block, size_t rows, size_t size) {
    block->few = rows < FEW ? wl_smaller(2 * block->few + 1, 64) : 0;
    block->wait = block->wait > block->few ? block->wait : block->few;
    if (wl_row_block_reads_all(block) && !block->chooses && size / WL_LARGE_ROW > rows)
        block->wait = REST;
}

/* Number of blocks of any rows between two looks for a byte that nearly all rows have; it is doubled each time that one
 * was found. */
#define LOOKS 16
#define MOST_FOUND 16
/* Number of times in a row that few rows had the byte, after which others are read as well. */
#define MISSES 4

static void make_known(wl_run *run, const wl_instruction *step, wl_known_byte known) {
    if (known.is_known) {
        run->known_block = wl_row_block_make(run, step + 1, step + step->c, (int)step->a, known);
        run->found += run->found < MOST_FOUND;
        run->misses = 0;
    }
    run->looks = LOOKS << run->found;
}

/* Makes a block for rows with the byte that nearly all of the current rows have, if a condition depends on it. */
static void specialize(wl_run *run, const wl_instruction *step, size_t rows) {
    if (rows >= WL_ROW_BLOCK_ROWS / 4 && !run->looks--)
        make_known(run, step, wl_row_block_common_byte(run->block, rows));
}

/* Makes a block for rows with the same byte as the one at the cursor: there is none for all rows, which have parts that
 * blocks cannot run, but these rows may not have them. */
static void guess(wl_run *run, const wl_instruction *step, const uint8_t *cursor, const uint8_t *limit) {
    if (run->decider >= 0 && run->decider < limit - cursor && !run->looks--)
        make_known(run, step, (wl_known_byte){true, cursor[run->decider], run->decider});
}

/* Drops the block for rows with a known byte if few rows have it. */
static void review(wl_run *run, const wl_row_block *block, size_t rows) {
    if (block != run->known_block)
        return;
    run->misses = rows < FEW ? run->misses + 1 : 0;
    if (run->misses == MISSES) {
        wl_row_block_free(run->known_block);
        run->known_block = NULL;
    }
}

/* Reads iterations from the cursor on; returns the beginning of the next one. */
__attribute__((noinline)) static const uint8_t *read_turns(wl_run *run, const wl_instruction *step, const uint8_t *cursor,
                                 const uint8_t *limit) {
    wl_row_block *block = run->known_block ? run->known_block : run->block;
    size_t turns = most_turns(run, step), left = (size_t)(limit - cursor);
    if (turns < FEW || left < block->fixed * FEW || run->some_missing || wl_row_block_waits(block))
        return cursor;
    size_t before = left - block->fixed + 1;
    if (wl_row_block_reads_all(block))
        before = wl_smaller(before, WL_BLOCK_BYTES);
    const wl_ahead ahead = {.at = cursor,
                            .last = cursor + before,
                            .end = limit,
                            .rows = wl_smaller(turns, block->most),
                            .least = block->fixed,
                            .largest = INT64_MAX};
    block->at[0][0] = cursor;
    block->readable = cursor + wl_contents_readable(run, cursor);
    block->row = run->result->rows;
    size_t found = wl_row_block_find(block, &ahead), rows = wl_row_block_run(block, found, found);
    const uint8_t *next = block->at[0][rows];
    learn(block, rows, (size_t)(next - cursor));
    if (!rows) {
        review(run, block, 0);
        return cursor;
    }
    note_offsets(block, block->built);
    wl_loop *loop = run->loops + step->a;
    run->result->rows += block->built;
    run->result->dropped += rows - block->built;
    run->sound = run->block_begin ? run->block_end : wl_row_block_at(block, block->row_end, rows - 1);
    loop->remaining -= (wl_integer)(rows - 1);
    loop->index += rows - 1;
    run->items_left -= run->counts_items ? rows - 1 : 0;
    const wl_instruction *again = step + step->c;
    if (again->b == WL_LOOP_UNTIL)
        run->registers[again->d] = 0;
    if (block == run->block)
        specialize(run, step, found);
    review(run, block, rows);
    return next;
}

/* Whether an iteration searches for the end of the stream that contains the loop. */
static bool needs_end(const wl_instruction *first, const wl_instruction *last) {
    unsigned depth = 0;
    for (const wl_instruction *each = first; each < last; each++) {
        const unsigned operation = each->operation;
        const bool enters = operation == WL_RUN_LIMIT_REGISTER || operation == WL_RUN_LIMIT_FIXED;
        if (!depth && (operation == WL_RUN_BYTES_REST || (operation == WL_RUN_BYTES_TERMINATED && !(each->c & 4)) ||
                       (operation == WL_RUN_LIMIT_FIXED && each->a) || (operation == WL_RUN_MARK && each->b == 2) ||
                       operation == WL_RUN_STREAM || (operation == WL_RUN_LOOP && each->b == WL_LOOP_END)))
            return true;
        depth += enters;
        depth -= operation == WL_RUN_LIMIT_END || operation == WL_RUN_SEEK_END;
    }
    return false;
}

WL_HANDLER(wl_loop_rows) {
    if (WL_UNLIKELY(!run->tried_block)) {
        run->tried_block = true;
        run->decider = -1;
        run->block = wl_row_block_make(run, step + 1, step + step->c, (int)step->a, (wl_known_byte){.is_known = false});
        run->block_needs_end = needs_end(step + 1, step + step->c);
    }
    if (!run->block && !run->known_block)
        guess(run, step, cursor, limit);
    if ((run->block || run->known_block) && !(run->block_needs_end && wl_is_cut(run))) {
        const uint8_t *next = read_turns(run, step, cursor, limit);
        if (next != cursor) {
            cursor = next;
            GO_ON_AT(step + step->c);
        }
    }
    GO_ON;
}
