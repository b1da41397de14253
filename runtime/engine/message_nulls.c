/* Deferred nulls. A value of one of several types is null in the vectors of all other types, and many messages have
 * fields that are mostly absent: writing each null would take most of the time. So a vector may have fewer elements
 * than its scope has had so far; what it lacks are nulls, which are written before its next value, or at the end of the
 * call. */
#include <stdlib.h>

#include "message_internal.h"

/* What is known about a vector. */
enum {
    ONE_WRITER = 1,
    SEVERAL_WRITERS = 2,
    COUNTED = 4, /* its length is used while a unit is read, or it receives values of another kind */
};

static void note_writer(uint8_t *known, uint32_t vector) {
    known[vector] |= known[vector] & ONE_WRITER ? SEVERAL_WRITERS : ONE_WRITER;
}

static void note_vectors(const wl_message_program *program, uint8_t *known) {
    for (uint32_t i = 0; i < program->vector_count; i++) {
        if (program->shapes[i].storage == WL_LIST)
            known[i + 1] |= COUNTED;
    }
    for (uint32_t i = 0; i < program->emit_count; i++) {
        if (program->emits[i].op == WL_EMIT_PARENT)
            known[program->emits[i].slot] |= COUNTED;
    }
    if (program->has_whole && program->whole != WL_NONE)
        known[program->whole] |= COUNTED;
    for (uint32_t i = 0; i < program->field_count; i++) {
        if (program->fields[i].vector != WL_NONE)
            note_writer(known, program->fields[i].vector);
    }
    for (uint32_t i = 0; i < program->lookup_count; i++) {
        if (program->lookups[i].vector != WL_NONE)
            note_writer(known, program->lookups[i].vector);
    }
    for (uint32_t i = 0; i < program->unit_emit_count; i++)
        note_writer(known, program->emits[program->unit_emits + i].vector);
    for (uint32_t i = 0; i < program->scope_count; i++) {
        const wl_scope *scope = program->scopes + i;
        for (uint32_t j = 0; j < scope->emit_count; j++)
            note_writer(known, program->emits[scope->emits + j].vector);
    }
}

/* The emit that writes the lead of a scope: one that is never deferred, if there is one. */
static const wl_emit *find_lead(const wl_message_program *program, const wl_scope *scope, const uint8_t *known) {
    const wl_emit *found = NULL;
    for (uint32_t i = 0; i < scope->emit_count; i++) {
        const wl_emit *emit = program->emits + scope->emits + i;
        if (!(known[emit->vector] & ONE_WRITER) || (known[emit->vector] & SEVERAL_WRITERS))
            continue;
        if (emit->op > WL_EMIT_TEXT && emit->op != WL_EMIT_JSON)
            return emit;
        if (!found)
            found = emit;
    }
    return found;
}

static bool is_deferred(const wl_emit *emit, uint8_t known) {
    if (known != ONE_WRITER)
        return false;
    if (emit->op == WL_EMIT_STRUCT)
        return !(emit->flags & WL_ABSENT_PRESENT);
    return (emit->op <= WL_EMIT_TEXT || emit->op == WL_EMIT_JSON) && (emit->flags & WL_ABSENT_NULL);
}

static int by_bit(const void *left, const void *right) {
    const wl_emit *one = left, *other = right;
    if (one->deferred != other->deferred)
        return one->deferred ? 1 : -1;
    if (one->deferred && one->bit != other->bit)
        return one->bit < other->bit ? -1 : 1;
    return one->vector < other->vector ? -1 : one->vector > other->vector;
}

static void sort_emits(const wl_message_program *program, wl_scope *scope) {
    wl_emit *emits = program->emits + scope->emits;
    qsort(emits, scope->emit_count, sizeof *emits, by_bit);
    for (uint32_t i = scope->emit_count; i-- && emits[i].deferred;) {
        scope->first_deferred = i;
        scope->bits |= UINT64_C(1) << emits[i].bit;
    }
    for (uint32_t i = scope->emit_count; i-- && emits[i].deferred;) {
        emits[i].more = i + 1 < scope->emit_count && emits[i + 1].bit == emits[i].bit;
        scope->by_bit[emits[i].bit] = (uint16_t)(i - scope->first_deferred);
    }
}

static uint64_t bit_of(uint32_t slot) { return UINT64_C(1) << slot % 64; }

static void note_bits(const wl_message_program *program) {
    for (uint32_t i = 0; i < program->field_count; i++) {
        wl_field *field = program->fields + i;
        field->set = bit_of(field->slot);
        field->replaces = 0;
        for (uint32_t j = 0; !(field->flags & WL_FIELD_CLOSED) && j < field->clear_count; j++) {
            const wl_clear *clear = program->clears + field->clears + j;
            field->replaces |= clear->is_list ? UINT64_MAX : bit_of(clear->number);
        }
    }
}

bool wl_message_program_defer(wl_message_program *program) {
    uint8_t *known = calloc((size_t)program->vector_count + 1, 1);
    if (!known)
        return false;
    note_bits(program);
    note_vectors(program, known);
    for (uint32_t i = 0; i < program->scope_count; i++) {
        wl_scope *scope = program->scopes + i;
        const wl_emit *lead = find_lead(program, scope, known);
        scope->lead = WL_NONE;
        for (uint32_t j = 0; lead && j < scope->emit_count; j++) {
            wl_emit *emit = program->emits + scope->emits + j;
            emit->bit = (uint8_t)(emit->slot % 64);
            emit->deferred = emit != lead && is_deferred(emit, known[emit->vector]);
            if (emit->deferred)
                scope->lead = lead->vector;
        }
        if (scope->lead != WL_NONE)
            sort_emits(program, scope);
    }
    free(known);
    return true;
}

void wl_nulls_start(wl_walk *walk) {
    for (uint32_t i = 0; i < walk->program->scope_count; i++) {
        const wl_scope *scope = walk->program->scopes + i;
        wl_room *room = walk->rooms + i;
        room->elements = SIZE_MAX;
        for (uint32_t j = 0; j < scope->emit_count; j++) {
            uint32_t vector = walk->program->emits[scope->emits + j].vector;
            if (walk->vectors[vector].capacity < room->elements)
                *room = (wl_room){walk->vectors[vector].capacity, vector};
        }
    }
}

/* Sets the bits [from, to). */
static void set_bits(uint8_t *bits, size_t from, size_t to) {
    if (to - from <= 8) {
        const unsigned mask = ((1u << (to - from)) - 1) << from % 8;
        bits[from / 8] |= (uint8_t)mask;
        if (mask > UINT8_MAX)
            bits[from / 8 + 1] |= (uint8_t)(mask >> 8);
        return;
    }
    for (; from < to && from % 8; from++)
        bits[from / 8] |= (uint8_t)(1u << from % 8);
    if (from < to)
        memset(bits + from / 8, 0xFF, (to - from) / 8);
    for (from += (to - from) / 8 * 8; from < to; from++)
        bits[from / 8] |= (uint8_t)(1u << from % 8);
}

void wl_nulls_reach(wl_walk *walk, uint32_t number, size_t length) {
    wl_vector *vector = walk->vectors + number;
    unsigned storage = walk->program->shapes[number].storage;
    size_t from = vector->length;
    set_bits(vector->validity, from, length);
    if (storage <= 8)
        memset(vector->values + from * storage, 0, (length - from) * storage);
    for (size_t i = from + 1; storage == WL_VARIABLE && i <= length; i++)
        wl_store4(vector->values + i * 4, (uint32_t)vector->used);
    vector->nulls += length - from;
    vector->length = length;
}

void wl_nulls_finish(wl_walk *walk) {
    for (uint32_t i = 0; i < walk->program->scope_count; i++) {
        const wl_scope *scope = walk->program->scopes + i;
        for (uint32_t j = 0; scope->lead != WL_NONE && j < scope->emit_count; j++) {
            const wl_emit *emit = walk->program->emits + scope->emits + j;
            size_t length = wl_smaller(walk->vectors[scope->lead].length, walk->rooms[i].elements);
            if (emit->deferred && walk->vectors[emit->vector].length < length)
                wl_nulls_reach(walk, emit->vector, length);
        }
    }
}
