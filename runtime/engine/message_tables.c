/* The message tables of a program: their packed form, and the checks that FIELDS relies on. */
#include <stdlib.h>

#include "message_internal.h"

static wl_message_field read_field(const uint8_t *at) {
    return (wl_message_field){
        /* Kinds beyond a byte are refused, not truncated. */
        .of = {.number = wl_load_le4(at),
               .kind = (uint8_t)wl_smaller(wl_load_le2(at + 4), UINT8_MAX),
               .value_count = wl_load_le4(at + 20)},
        .flags = wl_load_le2(at + 6),
        .arm = wl_load_le2(at + 8),
        .value = wl_load_le2(at + 10),
        .present = wl_load_le2(at + 12),
        .group = wl_load_le2(at + 14),
        .closed = wl_load_le4(at + 16),
    };
}

void wl_message_tables_read(wl_program *program, const uint8_t *packed, const uint8_t *fields) {
    for (uint32_t i = 0; i < program->message_count; i++, packed += WL_TABLE_BYTES) {
        program->messages[i] = (wl_message_table){
            .of = {.count = wl_load_le4(packed + 4), .strict = wl_load_le4(packed + 8)},
            .first = wl_load_le4(packed),
            .depth = wl_load_le4(packed + 12),
            .left = wl_load_le4(packed + 16),
            .broken = wl_load_le4(packed + 20),
        };
    }
    for (uint32_t i = 0; i < program->message_field_count; i++, fields += WL_TABLE_FIELD_BYTES)
        program->message_fields[i] = read_field(fields);
}

/* A register that steps may write. */
static bool is_written(const wl_program *program, uint32_t number) {
    return number >= program->input_register_count && number < program->register_count;
}

static const char *problem_of_field(const wl_program *program, wl_message_field *field) {
    const bool several = field->flags & WL_TAKES_SEVERAL, closed = field->flags & WL_TAKES_CLOSED;
    if (field->flags > WL_TAKES_FLAGS)
        return "has flags that do not belong to it";
    if ((uint64_t)field->closed + 4 * (uint64_t)field->of.value_count > program->constant_size)
        return "has numbers of a closed enum that do not exist";
    const char *problem = wl_wire_field_make(&field->of, field->flags & WL_TAKES_TEXT, several,
                                             closed ? program->constants + field->closed : NULL);
    if (problem)
        return problem;
    if (!field->arm && (several || field->of.kind == WL_KIND_MESSAGE))
        return "is repeated or a message, and has no arm";
    if (field->value == WL_NOWHERE ? field->of.kind == WL_KIND_MESSAGE
        : wl_field_has_span(field) ? field->value >= program->span_count
                                   : !is_written(program, field->value))
        return "has no place for its value";
    if (field->present != WL_NOWHERE && !is_written(program, field->present))
        return "has a register for its presence that does not exist, or is an input register";
    return NULL;
}

static const char *problem_of(const wl_program *program, wl_message_table *table, uint32_t *number) {
    if (table->first > program->message_field_count || table->of.count > program->message_field_count - table->first)
        return "its fields do not exist";
    if (table->depth > WL_DEEPEST_MESSAGE)
        return "its rules are none";
    if (!is_written(program, table->left) || !is_written(program, table->broken))
        return "its registers do not exist, or are input registers";
    wl_message_field *fields = program->message_fields + table->first;
    for (uint32_t i = 0; i < table->of.count; i++) {
        const char *problem = problem_of_field(program, fields + i);
        *number = fields[i].of.number;
        if (problem)
            return problem;
    }
    *number = 0;
    return wl_wire_message_make(&table->of, fields, sizeof *fields) == table->of.count
               ? NULL
               : "its fields are not in the order of their numbers";
}

bool wl_message_tables_check(const wl_program *program, uint32_t *at, uint32_t *number, const char **problem) {
    *number = 0;
    for (*at = 0; *at < program->message_count; ++*at) {
        *problem = problem_of(program, program->messages + *at, number);
        if (*problem)
            return false;
    }
    return true;
}
