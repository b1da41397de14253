/* The message tables of a program: their packed form, and the checks that FIELDS relies on. */
#include <stdlib.h>

#include "message_internal.h"

static wl_message_field read_field(const uint8_t *at) {
    return (wl_message_field){
        .number = wl_load_le4(at),
        .kind = wl_load_le2(at + 4),
        .flags = wl_load_le2(at + 6),
        .arm = wl_load_le2(at + 8),
        .value = wl_load_le2(at + 10),
        .present = wl_load_le2(at + 12),
        .group = wl_load_le2(at + 14),
        .closed = wl_load_le4(at + 16),
        .closed_count = wl_load_le4(at + 20),
    };
}

void wl_message_tables_read(wl_program *program, const uint8_t *packed) {
    for (uint32_t i = 0; i < program->message_count; i++, packed += WL_TABLE_BYTES) {
        program->messages[i] = (wl_message_table){
            .first = wl_load_le4(packed),
            .count = wl_load_le4(packed + 4),
            .strict = wl_load_le4(packed + 8),
            .depth = wl_load_le4(packed + 12),
            .left = wl_load_le4(packed + 16),
            .broken = wl_load_le4(packed + 20),
        };
    }
    for (uint32_t i = 0; i < program->message_field_count; i++, packed += WL_TABLE_FIELD_BYTES)
        program->message_fields[i] = read_field(packed);
}

static uint16_t wire_of(unsigned kind) {
    switch (kind) {
    case WL_KIND_DOUBLE:
    case WL_KIND_FIXED64:
    case WL_KIND_SFIXED64:
        return WL_WIRE_FIXED64;
    case WL_KIND_FLOAT:
    case WL_KIND_FIXED32:
    case WL_KIND_SFIXED32:
        return WL_WIRE_FIXED32;
    case WL_KIND_STRING:
    case WL_KIND_MESSAGE:
    case WL_KIND_BYTES:
        return WL_WIRE_BYTES;
    default:
        return WL_WIRE_VARINT;
    }
}

/* A register that steps may write. */
static bool is_written(const wl_program *program, uint32_t number) {
    return number >= program->input_register_count && number < program->register_count;
}

static const char *problem_of_field(const wl_program *program, const wl_message_field *field) {
    if (field->number < 1 || field->number > WL_MOST_FIELD_NUMBER)
        return "a field has no number that fields have";
    if (field->kind < WL_KIND_DOUBLE || field->kind > WL_KIND_SINT64 || field->kind == 10)
        return "there is no such kind of field";
    if (field->flags > WL_TAKES_FLAGS || ((field->flags & WL_TAKES_TEXT) && field->kind != WL_KIND_STRING) ||
        ((field->flags & WL_TAKES_CLOSED) && field->kind != WL_KIND_ENUM))
        return "a field has flags that do not belong to it";
    if (!field->arm && ((field->flags & WL_TAKES_SEVERAL) || field->kind == WL_KIND_MESSAGE))
        return "a repeated field or a message has no arm";
    if (field->value == WL_NOWHERE ? field->kind == WL_KIND_MESSAGE
        : wl_field_has_span(field) ? field->value >= program->span_count
                                   : !is_written(program, field->value))
        return "the value of a field has no place";
    if (field->present != WL_NOWHERE && !is_written(program, field->present))
        return "a register that says whether a field is there does not exist, or is an input register";
    if ((uint64_t)field->closed + 4 * (uint64_t)field->closed_count > program->constant_size)
        return "the numbers of a closed enum do not exist";
    return NULL;
}

static const char *problem_of(const wl_program *program, wl_message_table *table) {
    if (table->first > program->message_field_count || table->count > program->message_field_count - table->first)
        return "its fields do not exist";
    if (table->strict > 1 || table->depth > WL_DEEPEST_MESSAGE)
        return "its rules are none";
    if (!is_written(program, table->left) || !is_written(program, table->broken))
        return "its registers do not exist, or are input registers";
    memset(table->by_tag, 0, sizeof table->by_tag);
    for (uint32_t i = 0; i < table->count; i++) {
        wl_message_field *field = program->message_fields + table->first + i;
        const char *problem = problem_of_field(program, field);
        if (problem)
            return problem;
        if (i && field->number <= field[-1].number)
            return "its fields are not in the order of their numbers";
        field->wire = wire_of(field->kind);
        if (field->number < 16 && i < UINT8_MAX) {
            table->by_tag[field->number << 3 | field->wire] = (uint8_t)(i + 1);
            if (field->flags & WL_TAKES_SEVERAL)
                table->by_tag[field->number << 3 | WL_WIRE_BYTES] = (uint8_t)(i + 1);
        }
    }
    return NULL;
}

bool wl_message_tables_check(const wl_program *program, uint32_t *at, const char **problem) {
    for (*at = 0; *at < program->message_count; ++*at) {
        *problem = problem_of(program, program->messages + *at);
        if (*problem)
            return false;
    }
    return true;
}
