/* Message programs that are right, made from bytes. Included by
 * fuzz_messages.c. */
#ifndef WIRELOOM_MESSAGE_AUTHOR_H
#define WIRELOOM_MESSAGE_AUTHOR_H

#include "drive.h"
#include "message_check.h"

typedef struct {
    message_draft it;
    taker *bytes;
    unsigned depth;
} author;

/* What a message is read into: `scope` WL_NONE: nothing. */
typedef struct {
    uint32_t scope;
    uint32_t guard;
    uint32_t clear_base; /* first clearing of what this message has */
} place;

static const uint8_t kinds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 9, 12, 4, 14};

static unsigned storage_of(unsigned kind) {
    return kind == WL_KIND_STRING || kind == WL_KIND_BYTES                             ? WL_VARIABLE
           : kind == WL_KIND_BOOL                                                      ? 1
           : wl_wire_of_kind(kind) == WL_WIRE_FIXED64                                  ? 8
           : kind == WL_KIND_INT64 || kind == WL_KIND_UINT64 || kind == WL_KIND_SINT64 ? 8
                                                                                       : 4;
}

static uint32_t write_node(author *by, place where);
static uint32_t write_entry(author *by, place where);

static bool is_full(const author *by) {
    return by->it.vector_count > 90 || by->it.node_count > 24 || by->it.scope_count > DRAFT_SCOPES - 3 ||
           by->it.clear_count > 48 || by->depth > 4;
}

/* Whether a field of a message at `where` can have no column of its own. */
static bool is_unread(const author *by, place where) {
    return where.scope == WL_NONE || is_full(by) || by->it.scopes[where.scope].emit_count > DRAFT_EMITS - 6;
}

static void close_values(author *by, wl_field *field) {
    static const int32_t known[] = {-1, 0, 1, 7};
    if (by->it.value_count > 24)
        return;
    field->flags |= WL_FIELD_CLOSED;
    field->values = by->it.value_count;
    field->of.value_count = 4;
    memcpy(by->it.values + by->it.value_count, known, sizeof known);
    by->it.value_count += 4;
}

static void write_scalar(author *by, wl_field *field, place where, unsigned label) {
    message_draft *it = &by->it;
    bool unchecked = field->of.kind == WL_KIND_STRING && take_below(by->bytes, 2);
    if (field->of.kind == WL_KIND_STRING && !unchecked)
        field->flags |= WL_FIELD_TEXT;
    if (field->of.kind == WL_KIND_ENUM && take_below(by->bytes, 2))
        close_values(by, field);
    if (is_unread(by, where))
        return;
    if (field->flags & WL_FIELD_REPEATED) {
        uint32_t list = message_draft_vector(it, WL_LIST);
        field->vector = message_draft_vector(it, storage_of(field->of.kind));
        it->shapes[list].end = it->vector_count;
        message_draft_emit(it, where.scope, WL_EMIT_LIST, list, 0, where.guard, 0);
        return;
    }
    field->slot = it->slot_count++;
    unsigned op = storage_of(field->of.kind) != WL_VARIABLE ? WL_EMIT_FIXED : unchecked ? WL_EMIT_TEXT : WL_EMIT_BYTES;
    const uint32_t vector = message_draft_vector(it, storage_of(field->of.kind));
    message_draft_emit(it, where.scope, op, vector, field->slot, where.guard,
                       label == 3 ? 0 : WL_ABSENT_NULL);
}

/* A message that is kept as text; the type of it is made anew, or is that of
 * the row. Maps are not written so. */
static bool write_text(author *by, uint32_t node, uint32_t index, place where) {
    message_draft *it = &by->it;
    wl_field *field = it->nodes[node].fields + index;
    if ((field->flags & WL_FIELD_MAP) || is_unread(by, where) || take_below(by->bytes, 3))
        return false;
    field->flags |= WL_FIELD_JSON;
    wl_emit *emit = NULL;
    if (field->flags & WL_FIELD_REPEATED) {
        uint32_t list = message_draft_vector(it, WL_LIST);
        field->vector = message_draft_vector(it, WL_VARIABLE);
        it->shapes[list].end = it->vector_count;
        message_draft_emit(it, where.scope, WL_EMIT_LIST, list, 0, where.guard, 0);
    } else {
        field->slot = it->slot_count++;
        message_draft_emit(it, where.scope, WL_EMIT_JSON, message_draft_vector(it, WL_VARIABLE), field->slot,
                           where.guard, WL_ABSENT_NULL);
        emit = it->scopes[where.scope].emits + it->scopes[where.scope].emit_count - 1;
    }
    by->depth++;
    uint32_t made = is_full(by) || take_below(by->bytes, 4) == 0 ? 0 : write_node(by, (place){WL_NONE, WL_NONE, 0});
    by->depth--;
    it->nodes[node].fields[index].node = made;
    if (emit)
        emit->node = made;
    return true;
}

static void write_message(author *by, uint32_t node, uint32_t index, place where) {
    message_draft *it = &by->it;
    wl_field *field = it->nodes[node].fields + index;
    bool repeated = field->flags & WL_FIELD_REPEATED;
    if (write_text(by, node, index, where))
        return;
    place inner = {WL_NONE, WL_NONE, 0};
    uint32_t vector = WL_NONE;
    if (!is_unread(by, where)) {
        if (repeated) {
            uint32_t list = message_draft_vector(it, WL_LIST);
            message_draft_emit(it, where.scope, WL_EMIT_LIST, list, 0, where.guard, 0);
            field->scope = inner.scope = it->scope_count++;
            vector = message_draft_vector(it, WL_STRUCT);
            message_draft_emit(it, inner.scope, WL_EMIT_STRUCT, vector, 0, WL_NONE, WL_ABSENT_PRESENT);
        } else {
            inner.scope = where.scope;
            field->slot = inner.guard = it->slot_count++;
            vector = message_draft_vector(it, WL_STRUCT);
            message_draft_emit(it, where.scope, WL_EMIT_STRUCT, vector, field->slot, WL_NONE, 0);
        }
    }
    by->depth++;
    uint32_t made = is_full(by) && inner.scope == WL_NONE ? 0
                    : field->flags & WL_FIELD_MAP         ? write_entry(by, inner)
                                                          : write_node(by, inner);
    by->depth--;
    /* The type may have been written on top of others; find the field again. */
    it->nodes[node].fields[index].node = made;
    if (vector != WL_NONE) {
        it->shapes[vector].end = it->vector_count;
        if (repeated)
            it->shapes[vector - 1].end = it->vector_count;
    }
}

/* What is made absent with a member of a oneof: its slots and lists, and those
 * inside of it in the same scope. */
static void note_clears(author *by, uint32_t first_slot, uint32_t first_vector, uint32_t scope, wl_clear *clears,
                        uint32_t *count) {
    message_draft *it = &by->it;
    for (uint32_t i = 0; i < it->scopes[scope].emit_count; i++) {
        const wl_emit *emit = it->scopes[scope].emits + i;
        if (emit->vector < first_vector || *count == 12)
            continue;
        if (emit->op == WL_EMIT_LIST)
            clears[(*count)++] = (wl_clear){1, emit->vector};
        else if (emit->slot >= first_slot)
            clears[(*count)++] = (wl_clear){0, emit->slot};
    }
}

static uint32_t write_node(author *by, place where) {
    message_draft *it = &by->it;
    uint32_t node = it->node_count++;
    it->nodes[node].strict = take_below(by->bytes, 3) == 0;
    unsigned count = take_below(by->bytes, 5), number = 0, oneof = 0;
    struct {
        wl_clear clears[12];
        uint32_t count;
        uint32_t field;
    } members[2] = {{.count = 0}};
    for (unsigned i = 0; i < count; i++) {
        unsigned choice = take(by->bytes), label = choice % 4;
        number += 1 + (choice >> 4 == 15 ? 20 : 0);
        bool is_message = (choice >> 2 & 3) == 0 && by->depth < 4;
        unsigned kind = is_message ? WL_KIND_MESSAGE : kinds[take_below(by->bytes, sizeof kinds)];
        unsigned flags = label == 0   ? WL_FIELD_REPEATED
                         : label == 1 ? WL_FIELD_REQUIRED
                         : label == 3 ? WL_FIELD_IMPLICIT
                                      : 0;
        if (is_message && label == 0 && choice & 32 && !is_full(by))
            flags |= WL_FIELD_MAP;
        uint32_t first_slot = it->slot_count, first_vector = it->vector_count;
        uint32_t index = it->nodes[node].field_count;
        wl_field *field = message_draft_field(it, node, number, kind, flags);
        if (is_message)
            write_message(by, node, index, where);
        else
            write_scalar(by, field, where, label);
        if (label == 2 && oneof < 2 && choice & 64) {
            it->nodes[node].fields[index].oneof = 1;
            members[oneof].field = index;
            if (where.scope != WL_NONE)
                note_clears(by, first_slot, first_vector, where.scope, members[oneof].clears, &members[oneof].count);
            oneof++;
        }
    }
    for (unsigned i = 0; i < oneof; i++) {
        wl_field *field = it->nodes[node].fields + members[i].field;
        uint32_t others = members[1 - i].count;
        if (oneof < 2 || it->clear_count + others > 64)
            continue;
        field->clears = it->clear_count;
        field->clear_count = others;
        memcpy(it->clears + it->clear_count, members[1 - i].clears, others * sizeof(wl_clear));
        it->clear_count += others;
    }
    return node;
}

/* The entry of a map: a key, and a value that may be a message. A value that is
 * of no known number drops the entry. */
static uint32_t write_entry(author *by, place where) {
    message_draft *it = &by->it;
    uint32_t node = it->node_count++;
    it->nodes[node].strict = take_below(by->bytes, 3) == 0;
    for (uint32_t i = 0; i < 2; i++) {
        unsigned choice = take(by->bytes);
        bool is_message = i == 1 && choice & 1 && by->depth < 4;
        unsigned kind = is_message ? WL_KIND_MESSAGE : kinds[(choice >> 1) % sizeof kinds];
        wl_field *field = message_draft_field(it, node, i + 1, kind, choice >> 6 == 3 ? WL_FIELD_REQUIRED : 0);
        if (is_message)
            write_message(by, node, i, where);
        else
            write_scalar(by, field, where, 3);
        if (i == 1 && field->flags & WL_FIELD_CLOSED && where.scope != WL_NONE)
            field->drop = it->scopes[where.scope].drop = it->slot_count++;
    }
    return node;
}

/* A unit with rows, tables, and look-ups into them; or one that is a row
 * itself. */
static message_draft write_program(taker *bytes) {
    author by = {.bytes = bytes};
    message_draft *it = &by.it;
    message_draft_start(it);
    unsigned shape = take(bytes);
    it->max_depth = 3 + (shape & 15);
    it->unit_node = it->node_count++;
    if (shape & 16)
        it->prefix[it->prefix_size++] = 0xF3;
    it->digest = (shape & 96) == 96 ? WL_MD5 + (shape & 3) : 0;
    it->least = shape >> 7;
    wl_field *table = message_draft_field(it, 0, 1, WL_KIND_STRING, WL_FIELD_REPEATED);
    table->table = it->table_count++;
    message_draft_field(it, 0, 2, WL_KIND_UINT64, 0)->slot = it->slot_count++;
    message_draft_emit(it, DRAFT_SCOPES, WL_EMIT_FIXED, message_draft_vector(it, 8), it->slot_count - 1, WL_NONE,
                       WL_ABSENT_NULL);
    wl_field *rows = message_draft_field(it, 0, 3, WL_KIND_MESSAGE, WL_FIELD_REPEATED);
    it->row_scope = rows->scope = it->scope_count++;
    it->scopes[it->row_scope].is_row = true;
    uint32_t made = write_node(&by, (place){it->row_scope, WL_NONE, 0});
    it->nodes[0].fields[2].node = made;
    message_draft_emit(it, it->row_scope, WL_EMIT_ROW_NUMBER, message_draft_vector(it, 4), 0, WL_NONE, 0);
    message_draft_emit(it, it->row_scope, WL_EMIT_MARK, message_draft_vector(it, 1), 0, WL_NONE, 0);
    message_draft_emit(it, it->row_scope, WL_EMIT_PARENT, message_draft_vector(it, 4), 0, WL_NONE, 0);
    unsigned more = take(bytes);
    if (more & 1) {
        /* A number of the row is an index into the table. */
        wl_lookup *lookup = it->lookups + it->lookup_count++;
        *lookup = (wl_lookup){.index = {.slot = 0, .guard = WL_NONE, .flags = WL_ABSENT_NULL},
                              .vector = more & 2 ? message_draft_vector(it, WL_VARIABLE) : WL_NONE,
                              .integer = more & 4,
                              .text = more & 8,
                              .mask = more & 16 ? 7 : UINT64_MAX};
        for (uint32_t i = 0; i < it->nodes[made].field_count; i++) {
            const wl_field *field = it->nodes[made].fields + i;
            if (field->slot && wl_wire_of_kind(field->of.kind) == WL_WIRE_VARINT)
                lookup->index.slot = field->slot;
        }
        if (!lookup->index.slot)
            lookup->index.slot = it->slot_count++;
    }
    for (uint32_t i = 0; more & 32 && i < it->nodes[made].field_count; i++) {
        /* The bytes of a row may be the whole unit. */
        const wl_field *field = it->nodes[made].fields + i;
        if (!field->slot || field->of.kind != WL_KIND_BYTES)
            continue;
        for (uint32_t j = 0; j < it->scopes[it->row_scope].emit_count; j++) {
            if (it->scopes[it->row_scope].emits[j].slot == field->slot)
                it->whole = it->scopes[it->row_scope].emits[j].vector;
        }
    }
    it->has_whole = it->whole != WL_NONE || more & 64;
    return *it;
}

#endif
