/* Look-ups: columns that are items of a table, which may come after the rows that refer to them. Rows only record their
 * indices; at the end of the message with the tables, its rows receive their items. */
#include <stdlib.h>

#include "message_internal.h"

/* What is known about an item. */
enum { ITEM_INTEGER = 1, ITEM_NO_INTEGER = 2, ITEM_TEXT = 4, ITEM_NO_TEXT = 8 };

#define ABSENT UINT64_MAX
/* Limits of the size of look-ups in a unit's rows: this many times the unit's bytes, and the second number, since many
 * small rows may refer to one large item. Partition keys of 1,024 bytes in records of six result in a factor of 170. */
#define EXPANSION 256
#define FREE_EXPANSION ((size_t)1 << 16)
#define MOST_EXPANSION ((size_t)1 << 30)

static bool no_memory(wl_walk *walk) {
    walk->no_memory = true;
    return false;
}

bool wl_table_append(wl_walk *walk, uint32_t number, const uint8_t *at, size_t size) {
    wl_table *table = walk->tables + number;
    if (WL_UNLIKELY(table->count == table->capacity)) {
        size_t capacity = table->capacity ? table->capacity * 2 : 64;
        wl_item *items = realloc(table->items, capacity * sizeof *items);
        if (!items)
            return no_memory(walk);
        table->items = items;
        table->capacity = capacity;
    }
    table->items[table->count++] = (wl_item){at, (uint32_t)size, 0};
    return true;
}

static bool grow_indices(wl_walk *walk) {
    size_t capacity = walk->index_capacity ? walk->index_capacity * 2 : 256;
    for (uint32_t i = 0; i < walk->program->lookup_count; i++) {
        uint64_t *grown = realloc(walk->indices[i], capacity * sizeof *grown);
        if (!grown)
            return no_memory(walk);
        walk->indices[i] = grown;
    }
    walk->index_capacity = capacity;
    return true;
}

bool wl_lookups_note(wl_walk *walk, uint64_t stamp) {
    if (WL_UNLIKELY(walk->row == walk->index_capacity) && !grow_indices(walk))
        return false;
    for (uint32_t i = 0; i < walk->program->lookup_count; i++) {
        const wl_lookup *lookup = walk->program->lookups + i;
        const wl_slot *slot = walk->slots + lookup->index.slot;
        uint64_t index;
        if (slot->stamp == stamp)
            index = slot->value & lookup->mask;
        else if (wl_absent_is_null(walk, &lookup->index, stamp))
            index = ABSENT;
        else
            index = lookup->index.default_value & lookup->mask;
        if (index == ABSENT && slot->stamp == stamp)
            index--; /* both are beyond the end of every table */
        walk->indices[i][walk->row] = index;
    }
    return true;
}

/* The zeros of the scripts whose digits count as decimal digits, after ASCII's (Unicode's category Nd). The reference,
 * Java's BigInteger, accepts all of them, but none beyond 16 bits. */
static const uint16_t other_zeros[] = {
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
    0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
};

static bool is_other_digit(const uint8_t *text, size_t size) {
    uint32_t character = size == 2   ? (text[0] & 0x1Fu) << 6 | (text[1] & 0x3Fu)
                         : size == 3 ? (text[0] & 0x0Fu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu)
                                     : 0;
    for (size_t i = 0; i < sizeof other_zeros / sizeof *other_zeros; i++) {
        if (character - other_zeros[i] < 10)
            return true;
    }
    return false;
}

/* An optional sign, then at least one digit, and nothing else. */
static bool is_integer(const uint8_t *text, size_t size) {
    size_t at = size && (text[0] == '+' || text[0] == '-');
    if (at == size)
        return false;
    while (at < size) {
        size_t width = wl_text_character(text + at, size - at);
        bool is_digit = width == 1 ? text[at] >= '0' && text[at] <= '9' : is_other_digit(text + at, width);
        if (!is_digit)
            return false;
        at += width;
    }
    return true;
}

static bool item_is_integer(wl_item *item) {
    if (!(item->known & (ITEM_INTEGER | ITEM_NO_INTEGER)))
        item->known |= is_integer(item->at, item->size) ? ITEM_INTEGER : ITEM_NO_INTEGER;
    return item->known & ITEM_INTEGER;
}

static bool item_is_text(wl_item *item) {
    if (!(item->known & (ITEM_TEXT | ITEM_NO_TEXT)))
        item->known |= wl_text_is_utf8(item->at, item->size) ? ITEM_TEXT : ITEM_NO_TEXT;
    return item->known & ITEM_TEXT;
}

/* Invalidates the rows from `row` on. */
static void end_rows(wl_walk *walk, uint32_t what, uint32_t lookup, size_t row, uint64_t value, size_t count) {
    wl_unit_problem *problem = &walk->problem;
    walk->bad = row;
    problem->what = what;
    problem->offset = 0;
    problem->lookup = lookup;
    problem->row = row;
    problem->value = value;
    problem->count = count;
}

/* Resolves one look-up of the rows [begin, end). */
static bool resolve(wl_walk *walk, uint32_t number, size_t begin, size_t end) {
    const wl_lookup *lookup = walk->program->lookups + number;
    const wl_table *table = walk->tables + lookup->table;
    const uint64_t *indices = walk->indices[number];
    wl_vector *vector = lookup->vector == WL_NONE ? NULL : walk->vectors + lookup->vector;
    size_t most = wl_smaller(EXPANSION * walk->unit_size + FREE_EXPANSION, MOST_EXPANSION);
    for (size_t row = begin; row < end; row++) {
        uint64_t index = indices[row];
        if (index == ABSENT) {
            if (vector && !wl_emit_null(walk, lookup->vector))
                return false;
            continue;
        }
        if (WL_UNLIKELY(index >= table->count)) {
            end_rows(walk, WL_UNIT_INDEX, number, row, index, table->count);
            return true;
        }
        wl_item *item = table->items + index;
        if (lookup->integer && WL_UNLIKELY(!item_is_integer(item))) {
            end_rows(walk, WL_UNIT_INTEGER, number, row, index, table->count);
            return true;
        }
        /* Counted even if the column is not wanted, since the validity of rows does not depend on that. */
        walk->looked_up[number] += item->size;
        if (WL_UNLIKELY(walk->looked_up[number] > most)) {
            end_rows(walk, WL_UNIT_EXPANSION, number, row, most, 0);
            return true;
        }
        if (!vector)
            continue;
        if (!wl_append_bytes(walk, lookup->vector, item->at, item->size, lookup->text && !item_is_text(item)))
            return false;
    }
    return true;
}

bool wl_lookups_resolve(wl_walk *walk, uint32_t scope, size_t begin) {
    for (uint32_t i = 0; i < walk->program->lookup_count; i++) {
        const wl_lookup *lookup = walk->program->lookups + i;
        if (lookup->scope != scope)
            continue;
        if (begin < walk->bad && !resolve(walk, i, begin, wl_smaller(walk->row, walk->bad)))
            return false;
    }
    for (uint32_t i = 0; i < walk->program->lookup_count; i++) {
        if (walk->program->lookups[i].scope == scope)
            walk->tables[walk->program->lookups[i].table].count = 0;
    }
    return true;
}
