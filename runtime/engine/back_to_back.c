/* Reads consecutive rows in blocks, as a row block. */
#include "row_block.h"

/* Number of rows left to the handlers before another block of large rows is tried. */
#define REST 1024

/* The maximum extent of the block that begins at `begin`; `row` is the number of its first row. */
static wl_ahead reach(const wl_row_block *block, size_t begin, size_t row) {
    const wl_fill_arguments *arguments = block->run->arguments;
    size_t left = arguments->end - begin, least = block->fixed + arguments->padding;
    size_t before = left < least ? 0 : left - least + 1;
    if (wl_row_block_reads_all(block))
        before = wl_smaller(before, WL_BLOCK_BYTES);
    if (arguments->stop >= 0) {
        uint64_t here = arguments->base_offset + begin, stop = (uint64_t)arguments->stop;
        before = stop <= here ? 0 : wl_smaller(before, stop - here);
    }
    return (wl_ahead){.at = arguments->source + begin,
                      .last = arguments->source + begin + before,
                      .end = block->run->readable,
                      .rows = wl_smaller(arguments->capacity - row, block->most),
                      .least = least,
                      .largest = arguments->max_record - block->fixed};
}

static void note_offsets(const wl_row_block *block, size_t rows, size_t row) {
    const wl_fill_arguments *arguments = block->run->arguments;
    if (!arguments->offsets)
        return;
    uint8_t *out = arguments->offsets + row * 8;
    /* Not read again after each store. */
    const uint64_t base = arguments->base_offset;
    const uint8_t *const source = arguments->source;
    for (size_t i = 0; i < rows; i++)
        wl_store8(out + i * 8, base + (size_t)(block->at[0][i] - source));
}

size_t wl_block_read(wl_row_block *block, wl_fill_result *result, size_t begin) {
    if (wl_row_block_waits(block) || (block->has_default && wl_unit_follows_damage(block->run, result, begin)))
        return begin;
    wl_ahead ahead = reach(block, begin, result->rows);
    block->at[0][0] = ahead.at;
    block->readable = block->run->readable;
    block->padding = block->run->arguments->padding;
    block->row = result->rows;
    size_t found = wl_row_block_find(block, &ahead), rows = wl_row_block_run(block, found, found);
    note_offsets(block, block->built, result->rows);
    result->rows += block->built;
    result->dropped += rows - block->built;
    size_t size = (size_t)(block->at[0][rows] - ahead.at);
    /* For large rows the bytes take most of the time, and the handlers are faster with them. */
    if (wl_row_block_reads_all(block) && !block->chooses && size / WL_LARGE_ROW > rows)
        block->wait = REST;
    return begin + size;
}
