/* Tables of the values of expressions that depend on a single byte. */
#include "byte_tables.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "expression.h"
#include "handlers.h"
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

bool wl_first_register(const uint8_t *code, size_t size, unsigned *number) {
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1)) {
        if (wl_code_is_span(code[at]) || wl_code_is_series(code[at]))
            return false;
        if (code[at] == CODE_REGISTER) {
            *number = wl_code_number(code + at + 1);
            return true;
        }
    }
    return false;
}

/* Whether an expression depends on nothing but registers. */
static bool is_of_registers(const uint8_t *code, size_t size) {
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1)) {
        if (wl_code_is_span(code[at]) || wl_code_is_series(code[at]))
            return false;
    }
    return true;
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

/* The registers of an expression other than `number` have no value while a table is computed, so that it has the values
 * that do not depend on them. `held`: their contents. */
static void hide(wl_run *run, const uint8_t *code, size_t size, unsigned number, wl_integer *held) {
    memset(run->missing, 0, sizeof run->missing);
    run->some_missing = false;
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1)) {
        const unsigned each = code[at] == CODE_REGISTER ? wl_code_number(code + at + 1) : number;
        if (each == number || wl_is_missing(run, each))
            continue;
        *held++ = run->registers[each];
        wl_set_missing(run, each, WL_FAILED);
    }
}

static void show(wl_run *run, const uint8_t *code, size_t size, unsigned number, const wl_integer *held) {
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1)) {
        const unsigned each = code[at] == CODE_REGISTER ? wl_code_number(code + at + 1) : number;
        if (each == number || !wl_is_missing(run, each))
            continue;
        wl_set_register(run, each, *held++);
    }
}

static wl_byte_table *compute(wl_run *run, const uint8_t *code, size_t size, unsigned number, unsigned kind) {
    wl_byte_table *table = malloc(sizeof *table + size);
    wl_integer *held = malloc((size + 1) * sizeof *held);
    if (!table || !held) {
        free(table);
        free(held);
        return NULL;
    }
    const wl_instruction whole = {.constant = code, .d = (int64_t)size};
    wl_jumping_code *jumping = wl_jumping_code_make(code, size);
    const wl_integer before = run->registers[number];
    const bool some_missing = run->some_missing;
    uint64_t missing[WL_MOST_REGISTERS / 64];
    memcpy(missing, run->missing, sizeof missing);
    hide(run, code, size, number, held);
    table->holds = true;
    memset(table->failing, 0, sizeof table->failing);
    memset(table->true_for, 0, sizeof table->true_for);
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
        const uint64_t bit = UINT64_C(1) << byte % 64;
        table->failing[byte / 64] |= table->failed[byte] ? bit : 0;
        table->true_for[byte / 64] |= table->values[byte] ? bit : 0;
    }
    run->registers[number] = before;
    show(run, code, size, number, held);
    memcpy(run->missing, missing, sizeof missing);
    run->some_missing = some_missing;
    free(held);
    free(jumping);
    return table;
}

const wl_byte_table *wl_byte_table_of(wl_run *run, const uint8_t *code, size_t size, unsigned number, unsigned kind) {
    unsigned only = number;
    return wl_depends_on_one(code, size, &only) && only == number ? wl_partial_table_of(run, code, size, number, kind) : NULL;
}

const wl_byte_table *wl_partial_table_of(wl_run *run, const uint8_t *code, size_t size, unsigned number, unsigned kind) {
    wl_byte_tables *tables = run->program->byte_tables;
    if (!is_of_registers(code, size))
        return NULL;
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
