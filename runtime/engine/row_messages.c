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

static bool is_signed(unsigned kind) {
    return kind == WL_KIND_INT64 || kind == WL_KIND_INT32 || kind == WL_KIND_ENUM || kind >= WL_KIND_SFIXED32;
}

/* Numbers and their wire types; not fields with a length. */
static inline const uint8_t *take_number(reader *read, const wl_message_field *field, const uint8_t *cursor,
                                         const uint8_t *end, uint64_t *value) {
    if (WL_LIKELY(field->wire == WL_WIRE_VARINT)) {
        cursor = wl_varint_read(cursor, end, read->table->strict, value, &read->problem.what);
        if (WL_LIKELY(cursor != NULL))
            *value = wl_varint_value(field->kind, *value);
        return cursor;
    }
    size_t size = field->wire == WL_WIRE_FIXED64 ? 8 : 4;
    if (WL_UNLIKELY((size_t)(end - cursor) < size))
        return wrong(read, WL_UNIT_LENGTH);
    *value = size == 8 ? wl_load_le8(cursor) : wl_fixed32_value(field->kind, wl_load_le4(cursor));
    return cursor + size;
}

/* Whether a closed enum has the number. */
static bool is_member(const wl_run *run, const wl_message_field *field, uint64_t value) {
    if (!(field->flags & WL_TAKES_CLOSED))
        return true;
    const uint8_t *numbers = run->program->constants + field->closed;
    for (uint32_t i = 0; i < field->closed_count; i++) {
        if (wl_load_le4(numbers + 4 * (size_t)i) == (uint32_t)value)
            return true;
    }
    return false;
}

static void set_number(wl_run *run, const wl_message_field *field, uint64_t value) {
    if (field->value != WL_NOWHERE)
        run->registers[field->value] = is_signed(field->kind) ? (wl_integer)(int64_t)value : (wl_integer)value;
}

/* Marks the field as present, and the others of its oneof as absent. A message that has just begun is 2. */
static void set_present(wl_run *run, const wl_message_table *table, const wl_message_field *field) {
    if (field->present != WL_NOWHERE)
        run->registers[field->present] =
            field->kind == WL_KIND_MESSAGE && run->registers[field->present] == 0 ? 2 : 1;
    if (!field->group)
        return;
    const wl_message_field *others = run->program->message_fields + table->first;
    for (uint32_t i = 0; i < table->count; i++) {
        if (others[i].group == field->group && others + i != field && others[i].present != WL_NOWHERE)
            run->registers[others[i].present] = 0;
    }
}

static const wl_message_field *find(const wl_run *run, const wl_message_table *table, uint64_t number) {
    const wl_message_field *fields = run->program->message_fields + table->first;
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (fields[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && fields[low].number == number ? fields + low : NULL;
}

/* A tag of more than one byte, or with an unexpected wire type: like take_tag(). */
__attribute__((noinline)) static const uint8_t *other_tag(const wl_run *run, reader *read, const uint8_t *cursor,
                                                          const uint8_t *end, const wl_message_field **field,
                                                          unsigned *wire) {
    const wl_message_table *table = read->table;
    uint64_t tag;
    const uint8_t *next = wl_tag_read(cursor, end, table->strict, &tag, &read->problem);
    if (!next)
        return NULL;
    const wl_message_field *found = find(run, table, tag >> 3);
    *wire = tag & 7;
    if (found && (*wire == found->wire || (*wire == WL_WIRE_BYTES && (found->flags & WL_TAKES_SEVERAL)))) {
        *field = found;
        return next;
    }
    if (found && table->strict)
        return wrong(read, WL_UNIT_OTHER_WIRE_TYPE);
    return wl_field_skip(cursor, tag, next, end, table->strict, table->depth, &read->problem);
}

/* Returns the position after a tag and its field or, if there is none, after the content of an unknown field. NULL: it
 * is invalid. */
static inline const uint8_t *take_tag(const wl_run *run, reader *read, const uint8_t *cursor, const uint8_t *end,
                                      const wl_message_field **field, unsigned *wire) {
    unsigned index = read->table->by_tag[*cursor];
    if (WL_UNLIKELY(!index))
        return other_tag(run, read, cursor, end, field, wire);
    *field = run->program->message_fields + read->table->first + index - 1;
    *wire = *cursor & 7;
    return cursor + 1;
}

/* Values of a packed field up to the first that counts; `end` is the end of the values. */
static const uint8_t *take_packed(wl_run *run, reader *read, const wl_message_field *field, const uint8_t *cursor,
                                  const uint8_t *end, bool *counts) {
    const wl_message_table *table = read->table;
    while (!*counts && cursor < end) {
        uint64_t value;
        cursor = take_number(read, field, cursor, end, &value);
        if (WL_UNLIKELY(!cursor))
            return NULL;
        *counts = is_member(run, field, value);
        if (*counts)
            set_number(run, field, value);
    }
    if (cursor < end) {
        uint64_t index = (uint64_t)(field - run->program->message_fields) - table->first + 1;
        run->registers[table->left] = (wl_integer)((uint64_t)(end - cursor) | index << FIELD_SHIFT);
    }
    return cursor;
}

/* Fields with a length: bytes, text, a message, a packed field. */
static const uint8_t *take_sized(wl_run *run, reader *read, const wl_message_field *field, const uint8_t *cursor,
                                 const uint8_t *end, bool *counts) {
    uint64_t size;
    cursor = wl_varint_read(cursor, end, read->table->strict, &size, &read->problem.what);
    if (WL_UNLIKELY(!cursor))
        return NULL;
    if (WL_UNLIKELY(size > (uint64_t)(end - cursor)))
        return wrong(read, WL_UNIT_LENGTH);
    if (WL_UNLIKELY(field->wire != WL_WIRE_BYTES)) {
        if (field->wire != WL_WIRE_VARINT && size % (field->wire == WL_WIRE_FIXED64 ? 8 : 4))
            return wrong(read, WL_UNIT_PACKED);
        return take_packed(run, read, field, cursor, cursor + size, counts);
    }
    *counts = true;
    if (field->kind == WL_KIND_MESSAGE) {
        run->registers[field->value] = (wl_integer)size;
        return cursor;
    }
    if ((field->flags & WL_TAKES_TEXT) && !wl_text_is_utf8(cursor, (size_t)size))
        return wrong(read, WL_UNIT_TEXT);
    if (field->value != WL_NOWHERE)
        run->spans[field->value] = (wl_span){cursor, (size_t)size};
    return cursor + size;
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
        if (!index || index > table->count || size > (uint64_t)(end - cursor))
            return wrong(read, WL_UNIT_LENGTH);
        field = run->program->message_fields + table->first + index - 1;
        if (field->wire == WL_WIRE_BYTES)
            return wrong(read, WL_UNIT_LENGTH);
        cursor = take_packed(run, read, field, cursor, cursor + size, &counts);
    }
    while (cursor && !counts && cursor < end) {
        unsigned wire;
        field = NULL;
        /* A resync tries every offset: it must not process the same bytes forever. */
        if (WL_UNLIKELY(run->parse_only) && run->turns-- == 0)
            return run->turns = 0, wrong(read, WL_UNIT_LENGTH);
        cursor = take_tag(run, read, cursor, end, &field, &wire);
        if (WL_UNLIKELY(!cursor))
            return NULL;
        if (!field)
            continue;
        if (wire == WL_WIRE_BYTES) {
            cursor = take_sized(run, read, field, cursor, end, &counts);
        } else {
            uint64_t value;
            cursor = take_number(read, field, cursor, end, &value);
            if (WL_UNLIKELY(!cursor))
                return NULL;
            counts = is_member(run, field, value);
            if (counts)
                set_number(run, field, value);
        }
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
    for (uint32_t i = 0; i < table->count; i++, field++) {
        if (field->value != WL_NOWHERE && wl_field_has_span(field))
            run->spans[field->value] = (wl_span){cursor, 0};
        else if (field->value != WL_NOWHERE)
            wl_set_register(run, field->value, 0);
        if (field->present != WL_NOWHERE)
            run->registers[field->present] = 0;
    }
    GO_ON;
}
