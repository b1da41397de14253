/* Tables of the sizes of rows that are determined by bytes of their first stretch (row_block_sizes.h). */
#include "row_block_guards.h"

/* More than this is left to the functions for sizes of all kinds. */
#define MOST_MORE 0xffff

static bool is_in_table(const wl_string *string) {
    if (string->size.stretch)
        return false;
    return string->condition ||
           (string->kind == WL_U1 && string->more >= -MOST_MORE && string->more <= MOST_MORE);
}

static void fill(wl_size_table *table, const wl_string *string) {
    for (unsigned byte = 0; byte < 256; byte++) {
        const int64_t size = byte + string->more;
        if (string->condition)
            table->sizes[byte] = string->decides->table[byte].fails ? WL_NO_SIZE : string->decides->table[byte].size;
        else
            table->sizes[byte] = size < 0 ? WL_NO_SIZE : (uint32_t)size;
    }
}

void wl_row_block_find_sizes(wl_row_block *block) {
    wl_block_guards *guards = block->guards;
    size_t count = 0;
    int64_t before = 0;
    for (size_t i = 0; i < block->string_count; i++) {
        const wl_string *string = block->strings + i;
        if (count == WL_MOST_SIZE_TABLES || !is_in_table(string))
            return;
        wl_size_table *table = guards->sizes + count++;
        table->offset = string->size.offset;
        table->before = before += string->before;
        table->condition = string->condition ? string->decides : NULL;
        table->holds = string->condition ? string->taken[0] : NULL;
        fill(table, string);
        i += string->condition ? string->fixed - 1 : 0;
        table->ends = block->strings[i].begins;
    }
    guards->size_count = count;
}
