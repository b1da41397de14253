/* Writing vectors: elements at the end of a scope, items of lists, and the removal of what a unit has written.
 *
 * During a call, a set bit in a validity bitmap means *null*, so that valid values, nearly all of them, cost nothing;
 * wl_vectors_finish() inverts the bits of this call's elements. */
#include "message_internal.h"

bool wl_no_room(wl_walk *walk, uint32_t vector, size_t elements, size_t data) {
    const wl_mark *mark = walk->marks + vector;
    if (elements - mark->length > INT32_MAX || data - mark->used > INT32_MAX)
        return wl_unit_wrong(walk, WL_UNIT_EXPANSION, walk->unit, 0, 0); /* more than a batch of its own can contain */
    walk->no_room = true;
    walk->result->vector = vector;
    walk->result->elements = elements;
    walk->result->data = data;
    return false;
}

/* Whether there is room for one more element. */
static inline bool has_room(wl_walk *walk, uint32_t number) {
    const wl_vector *vector = walk->vectors + number;
    return WL_LIKELY(vector->length < vector->capacity) || wl_no_room(walk, number, vector->length + 1, vector->used);
}

static inline void store_fixed(wl_vector *vector, unsigned storage, uint64_t value) {
    uint8_t *to = vector->values + vector->length * storage;
    switch (storage) {
    case 1:
        *to = (uint8_t)value;
        break;
    case 2:
        wl_store2(to, (uint16_t)value);
        break;
    case 4:
        wl_store4(to, (uint32_t)value);
        break;
    default:
        wl_store8(to, value);
    }
}

bool wl_append_fixed(wl_walk *walk, uint32_t number, uint64_t value) {
    wl_vector *vector = walk->vectors + number;
    if (!has_room(walk, number))
        return false;
    store_fixed(vector, walk->program->shapes[number].storage, value);
    vector->length++;
    return true;
}

/* `readable`: the number of bytes that may be read at `at`. */
static inline bool append(wl_walk *walk, uint32_t number, const uint8_t *at, size_t size, size_t readable, bool text) {
    wl_vector *vector = walk->vectors + number;
    size_t room = vector->data_size - vector->used;
    bool replaced = text && !wl_text_is_utf8(at, size);
    size_t real = WL_UNLIKELY(replaced) ? wl_text_replaced(at, size, NULL) : size;
    if (!has_room(walk, number))
        return false;
    if (WL_UNLIKELY(real > room))
        return wl_no_room(walk, number, vector->length + 1, vector->used + real);
    if (WL_UNLIKELY(replaced))
        wl_text_replaced(at, size, vector->data + vector->used);
    else
        wl_copy(vector->data + vector->used, at, size, room, readable);
    vector->used += real;
    vector->length++;
    wl_store4(vector->values + vector->length * 4, (uint32_t)vector->used);
    return true;
}

bool wl_append_bytes(wl_walk *walk, uint32_t number, const uint8_t *at, size_t size, bool text) {
    return append(walk, number, at, size, (size_t)(walk->readable - at), text);
}

/* Must only be called if there is room. */
static void put_null(wl_walk *walk, uint32_t number) {
    wl_vector *vector = walk->vectors + number;
    unsigned storage = walk->program->shapes[number].storage;
    wl_set_null(vector);
    if (storage <= 8)
        store_fixed(vector, storage, 0);
    else if (storage == WL_VARIABLE)
        wl_store4(vector->values + (vector->length + 1) * 4, (uint32_t)vector->used);
    else if (storage == WL_LIST)
        wl_store4(vector->values + (vector->length + 1) * 4, (uint32_t)walk->vectors[number + 1].length);
    vector->length++;
}

bool wl_emit_null(wl_walk *walk, uint32_t number) {
    if (!has_room(walk, number))
        return false;
    put_null(walk, number);
    return true;
}

/* The value is absent. */
static bool emit_absent(wl_walk *walk, const wl_emit *emit, uint64_t stamp) {
    if (wl_absent_is_null(walk, emit, stamp)) {
        put_null(walk, emit->vector);
        return true;
    }
    if (emit->op == WL_EMIT_FIXED)
        return wl_append_fixed(walk, emit->vector, emit->default_value);
    return append(walk, emit->vector, walk->program->constants + emit->default_value, emit->default_size,
                  emit->default_size, emit->op == WL_EMIT_TEXT);
}

/* Appends one element. */
static inline __attribute__((always_inline)) bool emit_one(wl_walk *walk, const wl_emit *emit, wl_vector *vector,
                                                           const wl_slot *slot, uint64_t stamp) {
    if (!has_room(walk, emit->vector))
        return false;
    switch (emit->op) {
    case WL_EMIT_FIXED:
        if (WL_UNLIKELY(slot->stamp != stamp))
            return emit_absent(walk, emit, stamp);
        store_fixed(vector, walk->program->shapes[emit->vector].storage, slot->value);
        break;
    case WL_EMIT_BYTES:
    case WL_EMIT_TEXT:
        if (WL_UNLIKELY(slot->stamp != stamp))
            return emit_absent(walk, emit, stamp);
        return append(walk, emit->vector, slot->at, (size_t)slot->value, (size_t)(walk->readable - slot->at),
                      emit->op == WL_EMIT_TEXT);
    case WL_EMIT_JSON:
        if (slot->stamp != stamp)
            return emit_absent(walk, emit, stamp);
        return wl_append_json(walk, emit->vector, emit->node, slot->at, (size_t)slot->value);
    case WL_EMIT_STRUCT:
        if (slot->stamp != stamp && !(emit->flags & WL_ABSENT_PRESENT))
            wl_set_null(vector);
        break;
    case WL_EMIT_LIST:
        if (emit->guard != WL_NONE && walk->slots[emit->guard].stamp != stamp)
            wl_set_null(vector);
        wl_store4(vector->values + (vector->length + 1) * 4, (uint32_t)vector[1].length);
        break;
    case WL_EMIT_ROW_NUMBER:
        wl_store4(vector->values + vector->length * 4, (uint32_t)walk->row);
        break;
    case WL_EMIT_MARK:
        vector->values[vector->length] = 1;
        break;
    default:
        wl_store4(vector->values + vector->length * 4, (uint32_t)walk->vectors[emit->slot].length);
        break;
    }
    vector->length++;
    return true;
}

static bool emit_all(wl_walk *walk, const wl_emit *emits, size_t count, uint64_t stamp) {
    for (const wl_emit *emit = emits; emit < emits + count; emit++) {
        if (!emit_one(walk, emit, walk->vectors + emit->vector, walk->slots + emit->slot, stamp))
            return false;
    }
    return true;
}

/* The deferred emits whose values are there; `before`: the number of elements that their vectors should have. */
static bool emit_deferred(wl_walk *walk, const wl_scope *scope, uint64_t stamp, size_t before) {
    const wl_emit *deferred = walk->program->emits + scope->emits + scope->first_deferred;
    for (uint64_t set = walk->set & scope->bits; set; set &= set - 1) {
        const wl_emit *emit = deferred + scope->by_bit[__builtin_ctzll(set)];
        for (bool more = true; more; emit++) {
            const wl_slot *slot = walk->slots + emit->slot;
            wl_vector *vector = walk->vectors + emit->vector;
            more = emit->more;
            if (WL_UNLIKELY(slot->stamp != stamp))
                continue;
            if (vector->length < before)
                wl_nulls_reach(walk, emit->vector, before);
            if (!emit_one(walk, emit, vector, slot, stamp))
                return false;
        }
    }
    return true;
}

__attribute__((noinline)) static bool emit_with_deferred(wl_walk *walk, const wl_scope *scope, uint64_t stamp) {
    const wl_room *room = walk->rooms + (scope - walk->program->scopes);
    size_t before = walk->vectors[scope->lead].length;
    if (WL_UNLIKELY(before >= room->elements))
        return wl_no_room(walk, room->vector, before + 1, walk->vectors[room->vector].used);
    return emit_all(walk, walk->program->emits + scope->emits, scope->first_deferred, stamp) &&
           emit_deferred(walk, scope, stamp, before);
}

bool wl_emit_scope(wl_walk *walk, const wl_scope *scope, uint64_t stamp) {
    if (scope->lead != WL_NONE)
        return emit_with_deferred(walk, scope, stamp);
    return emit_all(walk, walk->program->emits + scope->emits, scope->emit_count, stamp);
}

bool wl_emit_unit(wl_walk *walk, uint64_t stamp) {
    const wl_message_program *program = walk->program;
    return emit_all(walk, program->emits + program->unit_emits, program->unit_emit_count, stamp);
}

/* Clears the null bits of the elements [from, to). */
static size_t clear_nulls(uint8_t *bits, size_t from, size_t to) {
    size_t cleared = 0;
    for (size_t i = from; i < to; i++) {
        cleared += bits[i / 8] >> i % 8 & 1;
        bits[i / 8] &= (uint8_t)~(1u << i % 8);
    }
    return cleared;
}

void wl_vector_cut(wl_walk *walk, uint32_t number, size_t length) {
    const wl_shape *shape = walk->program->shapes + number;
    wl_vector *vector = walk->vectors + number;
    if (length < vector->length) {
        if (vector->nulls)
            vector->nulls -= wl_smaller(clear_nulls(vector->validity, length, vector->length), vector->nulls);
        vector->length = length;
        if (shape->storage == WL_VARIABLE)
            vector->used = wl_smaller(wl_load4(vector->values + length * 4), vector->used);
    }
    if (shape->storage == WL_LIST)
        wl_vector_cut(walk, number + 1, wl_load4(vector->values + vector->length * 4));
    else if (shape->storage == WL_STRUCT)
        for (uint32_t child = number + 1; child < shape->end; child = walk->program->shapes[child].end)
            wl_vector_cut(walk, child, length);
}

void wl_vectors_mark(wl_walk *walk) {
    for (uint32_t i = 0; i < walk->program->vector_count; i++) {
        const wl_vector *vector = walk->vectors + i;
        walk->marks[i] = (wl_mark){vector->length, vector->used, vector->nulls};
    }
}

void wl_vectors_take_back(wl_walk *walk) {
    for (uint32_t i = 0; i < walk->program->vector_count; i++) {
        wl_vector *vector = walk->vectors + i;
        const wl_mark *mark = walk->marks + i;
        if (vector->nulls != mark->nulls)
            clear_nulls(vector->validity, mark->length, vector->length);
        vector->length = mark->length;
        vector->used = mark->used;
        vector->nulls = mark->nulls;
    }
}

void wl_vectors_start(wl_walk *walk) {
    for (uint32_t i = 0; i < walk->program->vector_count; i++) {
        wl_vector *vector = walk->vectors + i;
        walk->starts[i] = vector->length;
        if (walk->program->shapes[i].storage == WL_VARIABLE || walk->program->shapes[i].storage == WL_LIST) {
            if (vector->length == 0)
                wl_store4(vector->values, 0);
        }
    }
    wl_nulls_start(walk);
}

void wl_vectors_finish(wl_walk *walk) {
    wl_nulls_finish(walk);
    for (uint32_t i = 0; i < walk->program->vector_count; i++) {
        wl_vector *vector = walk->vectors + i;
        size_t at = walk->starts[i];
        for (; at < vector->length && at % 8; at++)
            vector->validity[at / 8] ^= (uint8_t)(1u << at % 8);
        for (; at + 8 <= vector->length; at += 8)
            vector->validity[at / 8] = (uint8_t)~vector->validity[at / 8];
        for (; at < vector->length; at++)
            vector->validity[at / 8] ^= (uint8_t)(1u << at % 8);
    }
}
