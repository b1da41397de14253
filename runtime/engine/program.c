/* Loading of a packed program: compares the header's counts with the available bytes, then reads the parts one by one.
 * The steps are checked in validate.c. */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#define PROGRAM_VERSION 7
#define HEADER_BYTES 76
#define STEP_BYTES 24
#define RULE_BYTES (WL_PACKED_PARAMETERS + 32)

static const char too_many[] = "the program has too many %s: %u (at most %u)";

static bool header_fits(const wl_program *program, size_t size, char *message, size_t message_size) {
    const struct {
        const char *what;
        uint32_t count;
        uint32_t most;
    } counts[] = {
        {"steps", program->step_count, WL_MOST_STEPS},
        {"columns", program->column_count, WL_MOST_COLUMNS},
        {"registers", program->register_count, WL_MOST_REGISTERS},
        {"spans", program->span_count, WL_MOST_SPANS},
        {"marks", program->mark_count, WL_MOST_MARKS},
        {"bytes of constants", program->constant_size, WL_MOST_CONSTANTS},
        {"checksums", program->rule_count, WL_MOST_CHECKSUMS},
        {"input registers", program->input_register_count, program->register_count},
        {"delimiter bytes", program->delimiter_size, WL_MOST_DELIMITER_BYTES},
        {"loops", program->loop_count, WL_MOST_LOOPS},
        {"levels of lists", program->level_count, WL_MOST_LEVELS},
        {"kinds of stuffing", program->stuffing.kind, WL_STUFFING_COUNT - 1},
        {"whole inputs", program->whole, 1},
        {"carried values", program->carried_value_count, WL_MOST_CARRIED_VALUES},
        {"series", program->series_count, WL_MOST_SERIES},
        {"messages", program->message_count, WL_MOST_MESSAGES},
        {"fields of messages", program->message_field_count, WL_MOST_MESSAGE_FIELDS},
        {"stores", program->store_count, WL_MOST_STORES},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].count > counts[i].most) {
            snprintf(message, message_size, too_many, counts[i].what, counts[i].count, counts[i].most);
            return false;
        }
    }
    if (program->step_count == 0) {
        snprintf(message, message_size, "the program has no steps");
        return false;
    }
    if (program->stuffing.kind != WL_STUFFING_NONE && program->delimiter_size == 0) {
        snprintf(message, message_size, "the program has stuffing but no delimiter");
        return false;
    }
    if (program->whole && program->delimiter_size) {
        snprintf(message, message_size, "the program is for whole inputs but has a delimiter");
        return false;
    }
    uint64_t expected = HEADER_BYTES + (uint64_t)program->step_count * STEP_BYTES + 2 * (uint64_t)program->column_count +
                        (uint64_t)program->rule_count * RULE_BYTES + program->constant_size +
                        (uint64_t)program->message_count * WL_TABLE_BYTES +
                        (uint64_t)program->message_field_count * WL_TABLE_FIELD_BYTES +
                        wl_stuffing_parameters(program->stuffing.kind);
    if (size != expected) {
        snprintf(message, message_size, "the program has %zu bytes, its header says %llu", size,
                 (unsigned long long)expected);
        return false;
    }
    return true;
}

static void read_header(wl_program *program, const uint8_t *packed) {
    program->step_count = wl_load_le4(packed + 4);
    program->column_count = wl_load_le4(packed + 8);
    program->register_count = wl_load_le4(packed + 12);
    program->span_count = wl_load_le4(packed + 16);
    program->mark_count = wl_load_le4(packed + 20);
    program->constant_size = wl_load_le4(packed + 24);
    program->rule_count = wl_load_le4(packed + 28);
    program->input_register_count = wl_load_le4(packed + 32);
    program->delimiter_size = wl_load_le4(packed + 36);
    memcpy(program->delimiter, packed + 40, 4);
    uint32_t stuffing = wl_load_le4(packed + 44);
    program->stuffing.kind = stuffing > UINT8_MAX ? UINT8_MAX : (uint8_t)stuffing;
    program->loop_count = wl_load_le4(packed + 48);
    program->level_count = wl_load_le4(packed + 52);
    program->whole = wl_load_le4(packed + 56);
    program->carried_value_count = wl_load_le2(packed + 60);
    program->store_count = wl_load_le2(packed + 62);
    program->series_count = wl_load_le4(packed + 64);
    program->message_count = wl_load_le4(packed + 68);
    program->message_field_count = wl_load_le4(packed + 72);
}

/* Never 0 bytes, so that NULL always means out of memory. */
static void *make(size_t count, size_t size) { return calloc(count ? count : 1, size); }

static bool allocate(wl_program *program) {
    program->steps = make(program->step_count, sizeof *program->steps);
    program->reachable = make(program->step_count, sizeof *program->reachable);
    program->partner = make(program->step_count, sizeof *program->partner);
    program->storages = make(program->column_count, 1);
    program->levels = make(program->column_count, 1);
    program->conditional = make(program->column_count, sizeof *program->conditional);
    program->rules = make(program->rule_count, sizeof *program->rules);
    program->constants = make(program->constant_size, 1);
    program->functions = make(WL_MOST_FUNCTIONS, sizeof *program->functions);
    program->messages = make(program->message_count, sizeof *program->messages);
    program->message_fields = make(program->message_field_count, sizeof *program->message_fields);
    program->unset = make((size_t)program->register_count + program->span_count + program->mark_count, sizeof *program->unset);
    return program->steps && program->reachable && program->partner && program->storages && program->levels &&
           program->conditional && program->rules && program->constants && program->messages &&
           program->message_fields && program->functions &&
           program->unset && (program->byte_tables = wl_byte_tables_make());
}

static void read_parts(wl_program *program, const uint8_t *at) {
    for (uint32_t i = 0; i < program->step_count; i++, at += STEP_BYTES) {
        wl_step *step = program->steps + i;
        step->op = wl_load_le2(at);
        step->a = wl_load_le2(at + 2);
        step->b = wl_load_le4(at + 4);
        step->c = (int64_t)wl_load_le8(at + 8);
        step->d = (int64_t)wl_load_le8(at + 16);
    }
    if (program->column_count) {
        memcpy(program->storages, at, program->column_count);
        at += program->column_count;
        memcpy(program->levels, at, program->column_count);
        at += program->column_count;
    }
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
    }
    if (program->constant_size)
        memcpy(program->constants, at, program->constant_size);
    at += program->constant_size;
    wl_message_tables_read(program, at);
    at += (size_t)program->message_count * WL_TABLE_BYTES + (size_t)program->message_field_count * WL_TABLE_FIELD_BYTES;
    memcpy(&program->stuffing.value, at, wl_stuffing_parameters(program->stuffing.kind));
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
    if (size < HEADER_BYTES) {
        snprintf(message, message_size, "the program ends inside its header");
        return NULL;
    }
    if (wl_load_le4(packed) != PROGRAM_VERSION) {
        snprintf(message, message_size, "the program has version %u, this engine runs version %u",
                 (unsigned)wl_load_le4(packed), PROGRAM_VERSION);
        return NULL;
    }
    wl_program *program = calloc(1, sizeof *program);
    if (!program) {
        snprintf(message, message_size, "no memory for the program");
        return NULL;
    }
    read_header(program, packed);
    if (header_fits(program, size, message, message_size)) {
        if (!allocate(program)) {
            snprintf(message, message_size, "no memory for the program");
        } else {
            read_parts(program, packed + HEADER_BYTES);
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
    free(program->storages);
    free(program->levels);
    free(program->conditional);
    for (uint32_t i = 0; program->rules && i < program->rule_count; i++)
        wl_algorithm_free(&program->rules[i].algorithm);
    free(program->rules);
    free(program->functions);
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
