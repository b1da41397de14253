/* Tables of the values of expressions that depend on a single byte. */
#include "byte_tables.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "expression.h"
#include "jumping_code.h"
#include "row_block.h"

/* A program keeps at most this many. Expressions may contain values of the input's header, so there may be any number
 * of different ones. */
#define MOST_KEPT 64

/* Tables are only added, by any thread, and freed with the program. */
struct wl_byte_tables {
    _Atomic(wl_byte_table *) first;
    atomic_size_t count;
};

wl_byte_tables *wl_byte_tables_make(void) {
    wl_byte_tables *tables = malloc(sizeof *tables);
    if (tables) {
        atomic_init(&tables->first, NULL);
        atomic_init(&tables->count, 0);
    }
    return tables;
}

void wl_byte_table_free(wl_byte_table *table) {
    while (table) {
        wl_byte_table *next = table->next;
        free(table);
        table = next;
    }
}

void wl_byte_tables_free(wl_byte_tables *tables) {
    if (tables)
        wl_byte_table_free(atomic_load(&tables->first));
    free(tables);
}

static const wl_byte_table *find(const wl_byte_table *table, const uint8_t *code, size_t size, unsigned kind) {
    while (table && (table->size != size || table->kind != kind || memcmp(table->code, code, size) != 0))
        table = table->next;
    return table;
}

bool wl_depends_on_one(const uint8_t *code, size_t size, unsigned *number) {
    bool found = false;
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1)) {
        if (wl_code_is_span(code[at]) || wl_code_is_series(code[at]))
            return false;
        if (code[at] != CODE_REGISTER)
            continue;
        const unsigned each = wl_code_number(code + at + 1);
        if (found && each != *number)
            return false;
        *number = each;
        found = true;
    }
    return found;
}

static wl_byte_table *compute(wl_run *run, const uint8_t *code, size_t size, unsigned number, unsigned kind) {
    wl_byte_table *table = malloc(sizeof *table + size);
    if (!table)
        return NULL;
    const wl_instruction whole = {.constant = code, .d = (int64_t)size};
    wl_jumping_code *jumping = wl_jumping_code_make(code, size);
    const wl_integer before = run->registers[number];
    const bool some_missing = run->some_missing;
    /* The register may have had no value in the last row. */
    run->some_missing = false;
    table->holds = true;
    table->kind = kind;
    table->size = size;
    memcpy(table->code, code, size);
    for (unsigned byte = 0; byte < 256; byte++) {
        bool failed = false;
        run->registers[number] = wl_byte_value((uint8_t)byte, kind);
        const wl_integer value = wl_expression_value(run, jumping, &whole, &failed);
        table->values[byte] = failed ? 0 : (int64_t)value;
        table->failed[byte] = failed || value != (int64_t)value;
        table->holds &= !table->failed[byte];
    }
    run->registers[number] = before;
    run->some_missing = some_missing;
    free(jumping);
    return table;
}

const wl_byte_table *wl_byte_table_of(wl_run *run, const uint8_t *code, size_t size, unsigned number, unsigned kind) {
    unsigned only;
    if (!wl_depends_on_one(code, size, &only) || only != number)
        return NULL;
    wl_byte_tables *tables = run->program->byte_tables;
    wl_byte_table *first = atomic_load(&tables->first);
    const wl_byte_table *found = find(first, code, size, kind);
    if (!found)
        found = find(run->byte_tables, code, size, kind);
    if (found)
        return found;
    wl_byte_table *made = compute(run, code, size, number, kind);
    if (!made)
        return NULL;
    if (atomic_fetch_add(&tables->count, 1) < MOST_KEPT) {
        made->next = first;
        while (!atomic_compare_exchange_weak(&tables->first, &made->next, made)) {
        }
    } else {
        atomic_fetch_sub(&tables->count, 1);
        made->next = run->byte_tables;
        run->byte_tables = made;
    }
    return made;
}
