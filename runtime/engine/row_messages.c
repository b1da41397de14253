/* Handlers for messages in rows: FIELDS reads the fields of one, in any order, into registers and spans.
 *
 * A repeated occurrence of a value replaces the previous one, so the values at the end of the message count. If a field
 * needs separate steps (a message, an item of a list), FIELDS ends with the number of its arm and continues from there
 * in the next iteration of the loop around it. The values of a packed field are returned one by one: the rest of it is
 * in a register, with the field. */
#include "handlers.h"
#include "message_wire.h"

#define FIELD_SHIFT 40 /* in the register with the rest of a packed field */

typedef struct {
    const wl_message_table *table;
    wl_wire_problem problem;
} reader;

static const uint8_t *wrong(reader *read, uint32_t what) {
    read->problem.what = what;
    return NULL;
}

/* Reads one value; `counts`: whether it is none that a closed enum does not have, and so is stored. */
static inline const uint8_t *take_value(wl_run *run, reader *read, const wl_message_field *field, const uint8_t *cursor,
                                        const uint8_t *end, bool *counts) {
    const uint8_t *at = cursor;
    uint64_t value;
    cursor = wl_value_read(&field->of, cursor, end, end, read->table->of.strict, &at, &value, &read->problem);
    if (WL_UNLIKELY(!cursor))
        return NULL;
    *counts = !field->of.values || wl_is_member(&field->of, value);
    if (!*counts || field->value == WL_NOWHERE)
        return cursor;
    if (wl_field_has_span(field))
        run->spans[field->value] = (wl_span){at, (size_t)value};
    else
        run->registers[field->value] =
            wl_is_signed_kind(field->of.kind) ? (wl_integer)(int64_t)value : (wl_integer)value;
    return cursor;
}

/* Marks the field as present, and the others of its oneof as absent. A message that has just begun is 2. */
static void set_present(wl_run *run, const wl_message_table *table, const wl_message_field *field) {
    if (field->present != WL_NOWHERE)
        run->registers[field->present] =
            field->of.kind == WL_KIND_MESSAGE && run->registers[field->present] == 0 ? 2 : 1;
    if (!field->group)
        return;
    const wl_message_field *others = run->program->message_fields + table->first;
    for (uint32_t i = 0; i < table->of.count; i++) {
        if (others[i].group == field->group && others + i != field && others[i].present != WL_NOWHERE)
            run->registers[others[i].present] = 0;
    }
}

/* Returns the position after a tag and its field or, if there is none, after the content of an unknown field. NULL: it
 * is invalid. */
static inline const uint8_t *take_tag(reader *read, const uint8_t *cursor, const uint8_t *end,
                                      const wl_message_field **field, unsigned *wire) {
    const wl_wire_field *known = read->table->of.by_tag[*cursor];
    *wire = *cursor & 7;
    if (WL_LIKELY(known != NULL))
        cursor++;
    else
        cursor = wl_other_tag(&read->table->of, cursor, end, read->table->depth, &known, wire, &read->problem);
    *field = (const void *)known;
    return cursor;
}

/* Values of a packed field up to the first that counts; `end` is the end of the values. */
static const uint8_t *take_packed(wl_run *run, reader *read, const wl_message_field *field, const uint8_t *cursor,
                                  const uint8_t *end, bool *counts) {
    const wl_message_table *table = read->table;
    while (!*counts && cursor < end) {
        cursor = take_value(run, read, field, cursor, end, counts);
        if (WL_UNLIKELY(!cursor))
            return NULL;
    }
    if (cursor < end) {
        uint64_t index = (uint64_t)(field - run->program->message_fields) - table->first + 1;
        run->registers[table->left] = (wl_integer)((uint64_t)(end - cursor) | index << FIELD_SHIFT);
    }
    return cursor;
}

/* The content of a field with that wire type. */
static const uint8_t *take_content(wl_run *run, reader *read, const wl_message_field *field, unsigned wire,
                                   const uint8_t *cursor, const uint8_t *end, bool *counts) {
    const bool strict = read->table->of.strict;
    uint64_t size;
    if (wire != field->of.wire) {
        cursor = wl_packed_read(&field->of, cursor, end, strict, &size, &read->problem);
        return cursor ? take_packed(run, read, field, cursor, cursor + size, counts) : NULL;
    }
    if (field->of.kind != WL_KIND_MESSAGE)
        return take_value(run, read, field, cursor, end, counts);
    cursor = wl_size_read(cursor, end, strict, &size, &read->problem);
    *counts = true;
    if (cursor)
        run->registers[field->value] = (wl_integer)size;
    return cursor;
}

/* Reads from `cursor` on, up to a field with an arm, which is then *arm, or the message's end. NULL: it is invalid. */
static const uint8_t *take_fields(wl_run *run, reader *read, const uint8_t *cursor, const uint8_t *end, uint32_t *arm) {
    const wl_message_table *table = read->table;
    const uint64_t state = (uint64_t)run->registers[table->left];
    const wl_message_field *field = NULL;
    bool counts = false;
    run->registers[table->left] = 0;
    if (state) {
        const uint64_t size = state & ((UINT64_C(1) << FIELD_SHIFT) - 1), index = state >> FIELD_SHIFT;
        if (!index || index > table->of.count || size > (uint64_t)(end - cursor))
            return wrong(read, WL_UNIT_LENGTH);
        field = run->program->message_fields + table->first + index - 1;
        if (field->of.wire == WL_WIRE_BYTES)
            return wrong(read, WL_UNIT_LENGTH);
        cursor = take_packed(run, read, field, cursor, cursor + size, &counts);
    }
    while (cursor && !counts && cursor < end) {
        unsigned wire;
        field = NULL;
        /* A resync tries every offset: it must not process the same bytes forever. */
        if (WL_UNLIKELY(run->parse_only) && run->turns-- == 0)
            return run->turns = 0, wrong(read, WL_UNIT_LENGTH);
        cursor = take_tag(read, cursor, end, &field, &wire);
        if (WL_UNLIKELY(!cursor))
            return NULL;
        if (!field)
            continue;
        cursor = take_content(run, read, field, wire, cursor, end, &counts);
        if (!counts)
            continue;
        set_present(run, table, field);
        counts = field->arm != 0;
    }
    *arm = cursor && counts ? field->arm : 0;
    return cursor;
}

WL_HANDLER(wl_fields) {
    reader read = {.table = run->program->messages + step->b};
    const uint8_t *next = limit;
    uint32_t arm = 0;
    if (WL_LIKELY(run->registers[read.table->broken] == 0))
        next = take_fields(run, &read, cursor, limit, &arm);
    if (WL_UNLIKELY(!next)) {
        uint32_t reason = read.problem.what == WL_UNIT_DEEP ? WL_REASON_LIMIT : WL_REASON_MESSAGE;
        if (step->c)
            return wl_lost(run, reason);
        wl_refuse(run, reason);
        run->registers[read.table->broken] = 1;
        next = limit;
    }
    cursor = next;
    run->registers[step->a] = arm;
    GO_ON;
}

WL_HANDLER(wl_blank) {
    const wl_message_table *table = run->program->messages + step->b;
    const wl_message_field *field = run->program->message_fields + table->first;
    run->registers[table->left] = 0;
    for (uint32_t i = 0; i < table->of.count; i++, field++) {
        if (field->value != WL_NOWHERE && wl_field_has_span(field))
            run->spans[field->value] = (wl_span){cursor, 0};
        else if (field->value != WL_NOWHERE)
            wl_set_register(run, field->value, 0);
        if (field->present != WL_NOWHERE)
            run->registers[field->present] = 0;
    }
    GO_ON;
}
