/* Checks a message program once, so that the walk only needs checks against the input and the available room. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "message_internal.h"

#define DEEPEST_VECTOR 64

/* What writes to a slot. */
enum { FROM_BYTES = 1, FROM_SCALAR = 2, FROM_MESSAGE = 4, FROM_JSON = 8 };

typedef struct {
    wl_message_program *program;
    uint8_t *writers; /* per slot */
    char *message;
    size_t message_size;
} checker;

__attribute__((format(printf, 2, 3))) static bool refuse(checker *check, const char *format, ...) {
    int used = snprintf(check->message, check->message_size, "the message program: ");
    if (used > 0 && (size_t)used < check->message_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(check->message + used, check->message_size - (size_t)used, format, arguments);
        va_end(arguments);
    }
    return false;
}

static bool below(checker *check, const char *what, uint32_t number, uint32_t count) {
    return number < count || refuse(check, "there is no %s %u, it has %u", what, number, count);
}

static bool none_or_below(checker *check, const char *what, uint32_t number, uint32_t count) {
    return number == WL_NONE || below(check, what, number, count);
}

static bool is_range(checker *check, const char *what, uint64_t first, uint64_t count, uint32_t have) {
    return (first <= have && count <= have - first) ||
           refuse(check, "%s %llu … + %llu do not exist", what, (unsigned long long)first, (unsigned long long)count);
}

static bool is_slot(checker *check, uint32_t number) {
    return below(check, "slot", number, check->program->slot_count);
}

static unsigned storage_of_kind(unsigned kind) {
    switch (kind) {
    case WL_KIND_STRING:
    case WL_KIND_BYTES:
        return WL_VARIABLE;
    case WL_KIND_BOOL:
        return 1;
    case WL_KIND_FLOAT:
    case WL_KIND_INT32:
    case WL_KIND_FIXED32:
    case WL_KIND_UINT32:
    case WL_KIND_ENUM:
    case WL_KIND_SFIXED32:
    case WL_KIND_SINT32:
        return 4;
    default:
        return 8;
    }
}

static unsigned action_of(const wl_field *field) {
    if (field->of.kind == WL_KIND_MESSAGE)
        return field->scope == WL_NONE ? WL_DO_MERGED : WL_DO_ITEM;
    if (field->flags & WL_FIELD_REPEATED)
        return WL_DO_REPEATED;
    if (field->flags & WL_FIELD_CLOSED)
        return WL_DO_CHOSEN;
    return WL_DO_VALUE;
}

static bool check_vector_of(checker *check, const wl_field *field) {
    const wl_message_program *program = check->program;
    if (field->vector == WL_NONE)
        return true;
    if (!below(check, "vector", field->vector, program->vector_count))
        return false;
    unsigned storage = field->flags & WL_FIELD_JSON ? WL_VARIABLE : storage_of_kind(field->of.kind);
    bool has_items = field->of.kind != WL_KIND_MESSAGE || (field->flags & WL_FIELD_JSON);
    return (has_items && program->shapes[field->vector].storage == storage) ||
           refuse(check, "the items of field %u do not fit vector %u", field->of.number, field->vector);
}

/* Whether the wire format can have the field. */
static bool check_wire(checker *check, wl_field *field) {
    const wl_message_program *program = check->program;
    const bool closed = field->flags & WL_FIELD_CLOSED, text = field->flags & WL_FIELD_TEXT;
    const bool several = (field->flags & WL_FIELD_REPEATED) && field->of.kind != WL_KIND_MESSAGE;
    if (!is_range(check, "values", field->values, field->of.value_count, program->value_count))
        return false;
    const char *problem =
        wl_wire_field_make(&field->of, text, several, closed ? program->values + 4 * (size_t)field->values : NULL);
    return !problem || refuse(check, "field %u %s", field->of.number, problem);
}

static bool check_clears(checker *check, const wl_field *field) {
    const wl_message_program *program = check->program;
    if (!is_range(check, "clearings", field->clears, field->clear_count, program->clear_count))
        return false;
    for (uint32_t i = 0; i < field->clear_count; i++) {
        const wl_clear *clear = program->clears + field->clears + i;
        if (!clear->is_list) {
            if (!is_slot(check, clear->number))
                return false;
        } else if (!below(check, "vector", clear->number, program->vector_count) ||
                   program->shapes[clear->number].storage != WL_LIST) {
            return refuse(check, "field %u clears vector %u, which is no list", field->of.number, clear->number);
        }
    }
    return true;
}

static bool check_field(checker *check, wl_field *field, const wl_node *node) {
    const wl_message_program *program = check->program;
    if (((field->flags & WL_FIELD_HEX) && field->of.kind != WL_KIND_BYTES) ||
        ((field->flags & (WL_FIELD_MAP | WL_FIELD_JSON)) && field->of.kind != WL_KIND_MESSAGE) ||
        ((field->flags & WL_FIELD_JSON) && (field->flags & WL_FIELD_REPEATED) && field->vector == WL_NONE))
        return refuse(check, "field %u cannot have the flags %u", field->of.number, field->flags);
    if (!check_wire(check, field))
        return false;
    if (field->of.kind == WL_KIND_MESSAGE && !below(check, "message type", field->node, program->node_count))
        return false;
    if (field->table != WL_NONE && (field->of.kind != WL_KIND_BYTES && field->of.kind != WL_KIND_STRING))
        return refuse(check, "field %u cannot be a table", field->of.number);
    if (field->oneof > node->of.count)
        return refuse(check, "there is no oneof %u", field->oneof);
    if (!is_slot(check, field->slot) || !none_or_below(check, "scope", field->scope, program->scope_count) ||
        !none_or_below(check, "table", field->table, program->table_count) ||
        !none_or_below(check, "slot", field->drop, program->slot_count) || !check_vector_of(check, field) ||
        !check_clears(check, field) ||
        !is_range(check, "constants", field->name, field->name_size, program->constant_size))
        return false;
    check->program->has_json |= (field->flags & WL_FIELD_JSON) != 0;
    field->action = (uint8_t)action_of(field);
    if (field->drop != WL_NONE)
        check->writers[field->drop] |= FROM_SCALAR;
    check->writers[field->slot] |= field->flags & WL_FIELD_JSON     ? FROM_JSON
                                   : field->of.kind == WL_KIND_MESSAGE ? FROM_MESSAGE
                                   : field->of.wire == WL_WIRE_BYTES   ? FROM_BYTES
                                                                    : FROM_SCALAR;
    return true;
}

static bool check_node(checker *check, wl_node *node) {
    const wl_message_program *program = check->program;
    unsigned required = 0;
    if (!is_range(check, "fields", node->first_field, node->of.count, program->field_count))
        return false;
    wl_field *fields = program->fields + node->first_field;
    for (uint32_t i = 0; i < node->of.count; i++) {
        wl_field *field = fields + i;
        if (!check_field(check, field, node))
            return false;
        node->has_oneof |= field->oneof != 0;
        if (field->flags & WL_FIELD_REQUIRED) {
            if (required == WL_MOST_REQUIRED)
                return refuse(check, "more than %u fields of a message are required", WL_MOST_REQUIRED);
            field->required = UINT64_C(1) << required++;
            node->required |= field->required;
        }
    }
    node->often_single = node->has_oneof || node->of.count == 1;
    uint32_t sorted = wl_wire_message_make(&node->of, fields, sizeof *fields);
    return sorted == node->of.count || refuse(check, "field %u does not precede field %u", fields[sorted].of.number,
                                              fields[sorted - 1].of.number);
}

/* Vectors are nested as their types are: a list has one child, a struct any number, the others none. */
static bool check_shapes(checker *check) {
    const wl_message_program *program = check->program;
    uint32_t ends[DEEPEST_VECTOR + 1] = {program->vector_count};
    unsigned depth = 0;
    for (uint32_t i = 0; i < program->vector_count; i++) {
        const wl_shape *shape = program->shapes + i;
        while (depth && i == ends[depth])
            depth--;
        if (shape->end <= i || shape->end > ends[depth])
            return refuse(check, "vector %u ends at %u", i, shape->end);
        switch (shape->storage) {
        case 1:
        case 2:
        case 4:
        case 8:
        case WL_VARIABLE:
            if (shape->end != i + 1)
                return refuse(check, "vector %u has children", i);
            continue;
        case WL_LIST:
            if (shape->end == i + 1 || program->shapes[i + 1].end != shape->end)
                return refuse(check, "vector %u is a list and does not have one child", i);
            break;
        case WL_STRUCT:
            break;
        default:
            return refuse(check, "vector %u has an unknown storage: %u", i, shape->storage);
        }
        if (depth == DEEPEST_VECTOR)
            return refuse(check, "vectors are nested more than %u deep", DEEPEST_VECTOR);
        ends[++depth] = shape->end;
    }
    return true;
}

/* Checks the source of the value, but not its use. */
static bool check_source(checker *check, const wl_emit *emit) {
    return is_slot(check, emit->slot) && none_or_below(check, "slot", emit->guard, check->program->slot_count);
}

static bool check_emit(checker *check, const wl_emit *emit) {
    const wl_message_program *program = check->program;
    if (!below(check, "vector", emit->vector, program->vector_count))
        return false;
    unsigned storage = program->shapes[emit->vector].storage;
    bool fits, sourced = true;
    switch (emit->op) {
    case WL_EMIT_FIXED:
        fits = storage <= 8;
        sourced = check_source(check, emit);
        break;
    case WL_EMIT_BYTES:
    case WL_EMIT_TEXT:
        fits = storage == WL_VARIABLE;
        sourced = check_source(check, emit) &&
                  is_range(check, "constants", emit->default_value, emit->default_size, program->constant_size) &&
                  (!(check->writers[emit->slot] & ~FROM_BYTES) || refuse(check, "slot %u has no bytes", emit->slot));
        break;
    case WL_EMIT_JSON:
        fits = storage == WL_VARIABLE;
        sourced = check_source(check, emit) && below(check, "message type", emit->node, program->node_count) &&
                  is_range(check, "constants", emit->default_value, emit->default_size, program->constant_size) &&
                  (!(check->writers[emit->slot] & ~FROM_JSON) || refuse(check, "slot %u has no JSON", emit->slot));
        break;
    case WL_EMIT_STRUCT:
        fits = storage == WL_STRUCT;
        sourced = check_source(check, emit);
        break;
    case WL_EMIT_LIST:
        fits = storage == WL_LIST;
        sourced = check_source(check, emit);
        break;
    case WL_EMIT_ROW_NUMBER:
        fits = storage == 4;
        break;
    case WL_EMIT_MARK:
        fits = storage == 1;
        break;
    case WL_EMIT_PARENT:
        fits = storage == 4;
        sourced = below(check, "vector", emit->slot, program->vector_count);
        break;
    default:
        return refuse(check, "there is no emit %u", emit->op);
    }
    return sourced && (fits || refuse(check, "emit %u does not fit vector %u", emit->op, emit->vector));
}

static bool check_lookup(checker *check, const wl_lookup *lookup) {
    const wl_message_program *program = check->program;
    if (!check_source(check, &lookup->index) || !below(check, "table", lookup->table, program->table_count) ||
        !below(check, "scope", lookup->scope, program->scope_count))
        return false;
    if (lookup->vector == WL_NONE)
        return true;
    return below(check, "vector", lookup->vector, program->vector_count) &&
           (program->shapes[lookup->vector].storage == WL_VARIABLE || refuse(check, "a look-up gives bytes"));
}

static bool check_header(checker *check) {
    const wl_message_program *program = check->program;
    if (!below(check, "message type", program->unit_node, program->node_count) ||
        !below(check, "scope", program->unit_scope, program->scope_count) ||
        !below(check, "scope", program->row_scope, program->scope_count) || !is_slot(check, 0) ||
        !is_range(check, "emits", program->unit_emits, program->unit_emit_count, program->emit_count) ||
        !is_range(check, "constants", program->prefix, program->prefix_size, program->constant_size))
        return false;
    if (program->max_depth > WL_DEEPEST_MESSAGE)
        return refuse(check, "messages may be nested %u deep, this engine allows %u", program->max_depth,
                      WL_DEEPEST_MESSAGE);
    if (!program->has_whole || program->whole == WL_NONE)
        return true;
    return below(check, "vector", program->whole, program->vector_count) &&
           (program->shapes[program->whole].storage == WL_VARIABLE || refuse(check, "a whole unit is bytes"));
}

/* The slots of messages that are written as JSON contain nothing else. */
static bool check_texts(checker *check) {
    const wl_message_program *program = check->program;
    for (uint32_t i = 0; i < program->field_count; i++) {
        const wl_field *field = program->fields + i;
        if ((field->flags & WL_FIELD_JSON) && !(field->flags & WL_FIELD_REPEATED) &&
            check->writers[field->slot] != FROM_JSON)
            return refuse(check, "slot %u has JSON and something else", field->slot);
    }
    return true;
}

/* Nodes have been checked one by one. */
static bool check_maps(checker *check) {
    const wl_message_program *program = check->program;
    for (uint32_t i = 0; i < program->field_count; i++) {
        const wl_field *field = program->fields + i;
        if (!(field->flags & WL_FIELD_MAP))
            continue;
        const wl_node *entry = program->nodes + field->node;
        const wl_field *fields = wl_fields_of(entry);
        if (!(field->flags & WL_FIELD_REPEATED) || entry->of.count != 2 || fields[0].of.kind == WL_KIND_MESSAGE)
            return refuse(check, "field %u is no map", field->of.number);
    }
    return true;
}

static bool check_parts(checker *check) {
    wl_message_program *program = check->program;
    if (!check_header(check) || !check_shapes(check))
        return false;
    for (uint32_t i = 0; i < program->node_count; i++) {
        if (!check_node(check, program->nodes + i))
            return false;
    }
    if (!check_maps(check) || !check_texts(check))
        return false;
    for (uint32_t i = 0; i < program->emit_count; i++) {
        if (!check_emit(check, program->emits + i))
            return false;
    }
    for (uint32_t i = 0; i < program->scope_count; i++) {
        const wl_scope *scope = program->scopes + i;
        if (!is_range(check, "emits", scope->emits, scope->emit_count, program->emit_count) ||
            !none_or_below(check, "slot", scope->drop, program->slot_count))
            return false;
    }
    for (uint32_t i = 0; i < program->lookup_count; i++) {
        if (!check_lookup(check, program->lookups + i))
            return false;
    }
    return true;
}

bool wl_message_program_check(wl_message_program *program, char *message, size_t message_size) {
    checker check = {.program = program, .message = message, .message_size = message_size};
    check.writers = calloc(program->slot_count + 1, 1);
    bool good = (check.writers || refuse(&check, "there is no memory for it")) && check_parts(&check) &&
                (wl_message_program_defer(program) || refuse(&check, "there is no memory for it"));
    free(check.writers);
    return good;
}
