/* Columns of parts that only some rows have. */
#include "row_block_guards.h"

#include "byte_tables.h"
#include "expression.h"

const uint8_t wl_zeros[WL_GUARDED_BYTES + 64];

bool wl_guards_exclude(const wl_block_guards *guards, uint32_t one, uint32_t other) {
    const uint32_t holding = 0xAAAAAAAA, failing = ~holding & ~UINT32_C(1);
    uint32_t ours = guards->ancestors[one], theirs = guards->ancestors[other];
    return ((ours & holding) << 1 & theirs) | ((ours & failing) >> 1 & theirs);
}

bool wl_condition_tabulate(wl_row_block *block, size_t number, const wl_instruction *code, uint32_t from,
                           uint32_t kind) {
    wl_decision *decisions = block->guards->conditions[number].table;
    const wl_byte_table *table =
        code ? wl_byte_table_of(block->run, code->constant, (size_t)code->d, from, kind) : NULL;
    for (unsigned byte = 0; byte < 256; byte++) {
        const bool holds = table ? table->values[byte] != 0 : byte != 0;
        decisions[byte] = (wl_decision){.holds = holds, .fails = table && table->failed[byte]};
    }
    return table || !code;
}

/* The values from `low` to `high`, which have 64 bits, signed or unsigned. An empty range is the complement of all
 * others. */
static bool set_range(wl_condition *condition, wl_integer low, wl_integer high, bool natural) {
    wl_integer least = natural ? 0 : INT64_MIN, most = natural ? (wl_integer)UINT64_MAX : INT64_MAX;
    low = low > least ? low : least;
    high = high < most ? high : most;
    if (low > high) {
        condition->inverted = !condition->inverted;
        low = least;
        high = most;
    }
    condition->low = (uint64_t)low;
    condition->reach = (uint64_t)(high - low);
    return condition->by_range = true;
}

bool wl_condition_range(wl_condition *condition, const wl_instruction *code, bool natural) {
    const wl_integer all = (wl_integer)1 << 64;
    condition->inverted = !code;
    if (!code)
        return set_range(condition, 0, 0, natural);
    const uint8_t *codes = code->constant;
    if (code->d != 13 || codes[0] != CODE_REGISTER || codes[3] != CODE_CONSTANT)
        return false;
    const wl_integer constant = (int64_t)wl_load_le8(codes + 4);
    switch (codes[12]) {
    case CODE_NOT_EQUAL:
        condition->inverted = true;
        return set_range(condition, constant, constant, natural);
    case CODE_EQUAL:
        return set_range(condition, constant, constant, natural);
    case CODE_LESS:
        return set_range(condition, -all, constant - 1, natural);
    case CODE_LESS_EQUAL:
        return set_range(condition, -all, constant, natural);
    case CODE_GREATER:
        return set_range(condition, constant + 1, all, natural);
    case CODE_GREATER_EQUAL:
        return set_range(condition, constant, all, natural);
    default:
        return false;
    }
}

void wl_condition_sizes(wl_condition *condition, size_t holding, size_t failing) {
    for (size_t byte = 0; byte < 256; byte++)
        condition->table[byte].size = (uint16_t)(condition->table[byte].holds ? holding : failing);
}

/* Tables of the sizes of rows --------------------------------------------------------------------------------------- */

/* More than this is left to the functions for sizes of all kinds. */
#define MOST_MORE 0xffff

static bool is_in_table(const wl_string *string) {
    if (string->size.stretch || string->guard)
        return false;
    return string->condition ? string->fixed
                             : string->kind == WL_U1 && string->more >= -MOST_MORE && string->more <= MOST_MORE;
}

static void fill_table(wl_size_table *table, const wl_string *string) {
    for (unsigned byte = 0; byte < 256; byte++) {
        const int64_t size = byte + string->more;
        if (string->condition)
            table->sizes[byte] = string->decides->table[byte].fails ? WL_NO_SIZE : string->decides->table[byte].size;
        else
            table->sizes[byte] = size < 0 ? WL_NO_SIZE : (uint32_t)size;
    }
}

bool wl_row_block_find_sizes(wl_row_block *block) {
    wl_block_guards *guards = block->guards;
    size_t count = 0;
    int64_t before = 0;
    for (size_t i = 0; i < block->string_count; i++) {
        const wl_string *string = block->strings + i;
        if (count == WL_MOST_SIZE_TABLES || !is_in_table(string))
            return false;
        wl_size_table *table = guards->sizes + count++;
        table->offset = string->size.offset;
        table->before = before += string->before;
        table->condition = string->condition ? string->decides : NULL;
        table->holds = string->condition ? string->taken[0] : NULL;
        fill_table(table, string);
        i += string->condition ? string->fixed - 1 : 0;
        table->ends = block->strings[i].begins;
    }
    for (size_t i = 0; i < block->copy_count; i++) {
        if (block->copies[i].guard)
            return false;
    }
    guards->size_count = count;
    return true;
}

/* Columns ---------------------------------------------------------------------------------------------------------- */

static const uint8_t *taken_of(const wl_row_block *block, const wl_row_block_step *step) {
    return block->guards->taken[step->guard];
}

/* Sets the null bits of rows that are `taken` to `null`. */
static void set_nulls(wl_row_block *block, size_t column, const uint8_t *taken, bool null, size_t rows) {
    uint8_t *validity = block->run->arguments->columns[column].validity;
    for (size_t i = 0; i < rows;) {
        size_t bit = (block->row + i) % 8, count = wl_smaller(8 - bit, rows - i);
        unsigned bits = 0;
        if (WL_LIKELY(count == 8))
            bits = (unsigned)(wl_load_le8(taken + i) * UINT64_C(0x0102040810204080) >> 56);
        else
            for (size_t j = 0; j < count; j++)
                bits |= (unsigned)taken[i + j] << (bit + j);
        uint8_t *at = validity + (block->row + i) / 8;
        *at = (uint8_t)(null ? *at | bits : *at & ~bits);
        i += count;
    }
}

/* Sets the null bits of all rows. */
static void set_all_nulls(wl_row_block *block, size_t column, size_t rows) {
    uint8_t *validity = block->run->arguments->columns[column].validity;
    const size_t first = block->row, end = first + rows, whole = (first + 7) / 8;
    if (end < whole * 8) {
        validity[first / 8] |= (uint8_t)((1u << rows) - 1u) << first % 8;
        return;
    }
    if (first % 8)
        validity[first / 8] |= (uint8_t)(0xFFu << first % 8);
    memset(validity + whole, 0xFF, end / 8 - whole);
    if (end % 8)
        validity[end / 8] |= (uint8_t)((1u << end % 8) - 1u);
}

size_t wl_row_block_unset(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    set_all_nulls(block, step->column, rows);
    if (step->width <= 8)
        memset(step->out + block->row * step->width, 0, rows * step->width);
    uint8_t *offsets = step->out + block->row * 4;
    for (size_t i = 0; step->width == WL_LIST && i < rows; i++)
        memcpy(offsets + (i + 1) * 4, offsets, 4);
    return rows;
}

size_t wl_row_block_guarded_valid(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    set_nulls(block, step->column, taken_of(block, step), false, rows);
    return rows;
}

/* Without a branch on what is taken, which may be practically random. */
#define STORE(width, type, store)                                                                                      \
    case width:                                                                                                        \
        for (size_t i = 0; i < rows; i++, out += width) {                                                              \
            type there;                                                                                                \
            memcpy(&there, out, sizeof there);                                                                         \
            store(out, (type)(there ^ ((there ^ (type)values[i]) & (type)(0 - (type)taken[i]))));                      \
        }                                                                                                              \
        break

static inline void store1(uint8_t *at, uint8_t value) { *at = value; }

size_t wl_row_block_guarded_column(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint64_t *values = wl_row_block_values(block, step, rows);
    const uint8_t *taken = taken_of(block, step);
    uint8_t *out = step->out + block->row * step->width;
    set_nulls(block, step->column, taken, false, rows);
    switch (step->width) {
        STORE(1, uint8_t, store1);
        STORE(2, uint16_t, wl_store2);
        STORE(4, uint32_t, wl_store4);
        STORE(8, uint64_t, wl_store8);
    }
    return rows;
}
