/* Loading of a packed program: reads the sections one by one. The steps are checked in validate.c. */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "sections.h"

#define STEP_BYTES 24
#define RULE_BYTES (WL_PACKED_PARAMETERS + 36)

/* The sections of a packed program. */
typedef struct {
    const uint8_t *steps;
    const uint8_t *columns; /* the storages of all, and then their levels */
    const uint8_t *rules;
    const uint8_t *constants;
    const uint8_t *messages;
    const uint8_t *message_fields;
    const uint8_t *stuffing; /* its parameters */
} parts;

static bool read_header(wl_program *program, parts *at, const uint8_t *packed, size_t size, char *message,
                        size_t message_size) {
    uint32_t delimiter, stuffing, parameters;
    const wl_section sections[] = {
        {"steps", &program->step_count, WL_MOST_STEPS, STEP_BYTES, &at->steps},
        {"columns", &program->column_count, WL_MOST_COLUMNS, 2, &at->columns},
        {"checksums", &program->rule_count, WL_MOST_CHECKSUMS, RULE_BYTES, &at->rules},
        {"bytes of constants", &program->constant_size, WL_MOST_CONSTANTS, 1, &at->constants},
        {"messages", &program->message_count, WL_MOST_MESSAGES, WL_TABLE_BYTES, &at->messages},
        {"fields of messages", &program->message_field_count, WL_MOST_MESSAGE_FIELDS, WL_TABLE_FIELD_BYTES,
         &at->message_fields},
        {"parameters of stuffing", &parameters, UINT32_MAX, 1, &at->stuffing},
        {"registers", &program->register_count, WL_MOST_REGISTERS, 0, NULL},
        {"spans", &program->span_count, WL_MOST_SPANS, 0, NULL},
        {"marks", &program->mark_count, WL_MOST_MARKS, 0, NULL},
        {"input registers", &program->input_register_count, WL_MOST_REGISTERS, 0, NULL},
        {"delimiter bytes", &program->delimiter_size, WL_MOST_DELIMITER_BYTES, 0, NULL},
        {"delimiters", &delimiter, UINT32_MAX, 0, NULL},
        {"kinds of stuffing", &stuffing, WL_STUFFING_COUNT - 1, 0, NULL},
        {"loops", &program->loop_count, WL_MOST_LOOPS, 0, NULL},
        {"levels of lists", &program->level_count, WL_MOST_LEVELS, 0, NULL},
        {"whole inputs", &program->whole, 1, 0, NULL},
        {"carried values", &program->carried_value_count, WL_MOST_CARRIED_VALUES, 0, NULL},
        {"stores", &program->store_count, WL_MOST_STORES, 0, NULL},
        {"series", &program->series_count, WL_MOST_SERIES, 0, NULL},
    };
    if (!wl_sections_read(sections, sizeof sections / sizeof *sections, "program", packed, size, message, message_size))
        return false;
    for (size_t i = 0; i < sizeof program->delimiter; i++)
        program->delimiter[i] = (uint8_t)(delimiter >> 8 * i);
    program->stuffing.kind = (uint8_t)stuffing;
    if (parameters != wl_stuffing_parameters(stuffing))
        snprintf(message, message_size, "the program has %u bytes of parameters for stuffing %u, which takes %zu",
                 parameters, stuffing, wl_stuffing_parameters(stuffing));
    return parameters == wl_stuffing_parameters(stuffing);
}

static bool header_fits(const wl_program *program, char *message, size_t message_size) {
    if (program->input_register_count > program->register_count)
        snprintf(message, message_size, "the program has too many input registers: %u (at most %u)",
                 program->input_register_count, program->register_count);
    else if (program->step_count == 0)
        snprintf(message, message_size, "the program has no steps");
    else if (program->stuffing.kind != WL_STUFFING_NONE && program->delimiter_size == 0)
        snprintf(message, message_size, "the program has stuffing but no delimiter");
    else if (program->whole && program->delimiter_size)
        snprintf(message, message_size, "the program is for whole inputs but has a delimiter");
    else
        return true;
    return false;
}

static bool allocate(wl_program *program) {
    program->steps = wl_make(program->step_count, sizeof *program->steps);
    program->reachable = wl_make(program->step_count, sizeof *program->reachable);
    program->partner = wl_make(program->step_count, sizeof *program->partner);
    program->storages = wl_make(program->column_count, 1);
    program->levels = wl_make(program->column_count, 1);
    program->conditional = wl_make(program->column_count, sizeof *program->conditional);
    program->rules = wl_make(program->rule_count, sizeof *program->rules);
    program->constants = wl_make(program->constant_size, 1);
    program->functions = wl_make(WL_MOST_FUNCTIONS, sizeof *program->functions);
    program->kept = wl_make(program->step_count, sizeof *program->kept);
    program->messages = wl_make(program->message_count, sizeof *program->messages);
    program->message_fields = wl_make(program->message_field_count, sizeof *program->message_fields);
    const size_t values = (size_t)program->register_count + program->span_count + program->mark_count;
    program->unset = wl_make(values, sizeof *program->unset);
    program->idle = wl_make(program->step_count, sizeof *program->idle);
    program->readers = wl_make(program->register_count, sizeof *program->readers);
    return program->steps && program->reachable && program->partner && program->storages && program->levels &&
           program->conditional && program->rules && program->constants && program->messages &&
           program->message_fields && program->functions &&
           program->kept && program->idle && program->readers && program->unset && (program->byte_tables = wl_byte_tables_make());
}

static void read_parts(wl_program *program, const parts *from) {
    const uint8_t *at = from->steps;
    for (uint32_t i = 0; i < program->step_count; i++, at += STEP_BYTES) {
        wl_step *step = program->steps + i;
        step->op = wl_load_le2(at);
        step->a = wl_load_le2(at + 2);
        step->b = wl_load_le4(at + 4);
        step->c = (int64_t)wl_load_le8(at + 8);
        step->d = (int64_t)wl_load_le8(at + 16);
    }
    if (program->column_count) {
        memcpy(program->storages, from->columns, program->column_count);
        memcpy(program->levels, from->columns + program->column_count, program->column_count);
    }
    at = from->rules;
    for (uint32_t i = 0; i < program->rule_count; i++, at += RULE_BYTES) {
        wl_rule *rule = program->rules + i;
        const uint8_t *rest = at + WL_PACKED_PARAMETERS;
        rule->algorithm.of = wl_sum_parameters_read(at);
        rule->replace = (int32_t)wl_load_le4(rest);
        rule->own = wl_load_le4(rest + 4);
        rule->own_size = wl_load_le4(rest + 8);
        rule->start = wl_load_le4(rest + 12);
        rule->sum = wl_load_le4(rest + 16);
        rule->stored = wl_load_le4(rest + 20);
        rule->stored_size = wl_load_le4(rest + 24);
        rule->place = wl_load_le4(rest + 28);
        rule->extra = wl_load_le4(rest + 32);
    }
    if (program->constant_size)
        memcpy(program->constants, from->constants, program->constant_size);
    wl_message_tables_read(program, from->messages, from->message_fields);
    memcpy(&program->stuffing.value, from->stuffing, wl_stuffing_parameters(program->stuffing.kind));
}

static bool make_algorithms(wl_program *program, char *message, size_t message_size) {
    for (uint32_t i = 0; i < program->rule_count; i++) {
        const wl_sum_parameters of = program->rules[i].algorithm.of;
        if (!wl_algorithm_make(&program->rules[i].algorithm, &of)) {
            snprintf(message, message_size, "no memory for the program");
            return false;
        }
    }
    return true;
}

wl_program *wl_program_load(const uint8_t *packed, size_t size, char *message, size_t message_size) {
    parts from;
    wl_program *program = calloc(1, sizeof *program);
    if (!program) {
        snprintf(message, message_size, "no memory for the program");
        return NULL;
    }
    if (read_header(program, &from, packed, size, message, message_size) &&
        header_fits(program, message, message_size)) {
        if (!allocate(program)) {
            snprintf(message, message_size, "no memory for the program");
        } else {
            read_parts(program, &from);
            if (wl_program_check(program, message, message_size) && make_algorithms(program, message, message_size))
                return program;
        }
    }
    wl_program_free(program);
    return NULL;
}

void wl_program_free(wl_program *program) {
    if (!program)
        return;
    free(program->steps);
    free(program->reachable);
    free(program->partner);
    free(program->unset);
    free(program->readers);
    free(program->idle);
    free(program->storages);
    free(program->levels);
    free(program->conditional);
    for (uint32_t i = 0; program->rules && i < program->rule_count; i++)
        wl_algorithm_free(&program->rules[i].algorithm);
    free(program->rules);
    free(program->functions);
    free(program->kept);
    free(program->kept_numbers);
    free(program->kept_masks);
    free(program->constants);
    free(program->messages);
    free(program->message_fields);
    wl_byte_tables_free(program->byte_tables);
    free(program);
}

size_t wl_program_columns(const wl_program *program) { return program->column_count; }
size_t wl_program_input_registers(const wl_program *program) { return program->input_register_count; }
bool wl_program_delimited(const wl_program *program) { return program->delimiter_size != 0; }
unsigned wl_program_storage(const wl_program *program, size_t column) { return program->storages[column]; }
size_t wl_program_carried_values(const wl_program *program) { return program->carried_value_count; }
size_t wl_program_stores(const wl_program *program) { return program->store_count; }
size_t wl_program_levels(const wl_program *program) { return program->level_count; }
unsigned wl_program_level(const wl_program *program, size_t column) { return program->levels[column]; }
