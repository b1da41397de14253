#include "check.h"

static void put4(uint8_t **at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        *(*at)++ = (uint8_t)(value >> 8 * i);
}

static void put8(uint8_t **at, uint64_t value) {
    for (int i = 0; i < 8; i++)
        *(*at)++ = (uint8_t)(value >> 8 * i);
}

void draft_step(draft *program, unsigned op, unsigned a, uint32_t b, int64_t c, int64_t d) {
    CHECK(program->step_count < sizeof program->steps / sizeof *program->steps);
    program->steps[program->step_count++] = (wl_step){(uint16_t)op, (uint16_t)a, b, c, d};
}

enum { RULE_BYTES = WL_PACKED_PARAMETERS + 36 };

static void put_messages(uint8_t **at, const draft *program) {
    for (size_t i = 0; i < program->message_count; i++) {
        const wl_message_table *table = program->messages + i;
        const uint32_t words[] = {table->first, table->of.count, table->of.strict,
                                  table->depth, table->left,     table->broken};
        for (size_t k = 0; k < 6; k++)
            put4(at, words[k]);
    }
    for (size_t i = 0; i < program->message_field_count; i++) {
        const wl_message_field *field = program->message_fields + i;
        const uint32_t words[] = {field->of.number,
                                  field->of.kind | (uint32_t)field->flags << 16,
                                  field->arm | (uint32_t)field->value << 16,
                                  field->present | (uint32_t)field->group << 16,
                                  field->closed,
                                  field->of.value_count,
                                  0};
        for (size_t k = 0; k < 7; k++)
            put4(at, words[k]);
    }
}

wl_stuffing stuffing_of(unsigned kind, uint8_t delimiter, uint8_t escape, uint8_t flip) {
    wl_stuffing made = {.kind = (uint8_t)kind, .value = kind == WL_STUFFING_ESCAPE ? escape : delimiter};
    for (size_t i = 0; i < 256; i++) {
        made.meanings[i] = made.codes[i] = (uint8_t)(i ^ flip);
        made.flags[i] = (uint8_t)(1 | (i == delimiter || i == escape ? 2 : 0));
    }
    return made;
}

uint8_t *draft_pack(const draft *program, size_t *size) {
    *size = 84 + program->step_count * 24 + 2 * program->column_count + program->rule_count * RULE_BYTES +
            program->constant_size + program->message_count * WL_TABLE_BYTES +
            program->message_field_count * WL_TABLE_FIELD_BYTES + wl_stuffing_parameters(program->stuffing);
    uint8_t *packed = exactly(*size), *at = packed;
    const uint32_t header[] = {WL_PACKED_VERSION,
                               (uint32_t)program->step_count,
                               (uint32_t)program->column_count,
                               (uint32_t)program->rule_count,
                               (uint32_t)program->constant_size,
                               (uint32_t)program->message_count,
                               (uint32_t)program->message_field_count,
                               (uint32_t)wl_stuffing_parameters(program->stuffing),
                               program->registers,
                               program->spans,
                               program->marks,
                               program->input_registers,
                               program->delimiter_size,
                               wl_load_le4(program->delimiter),
                               program->stuffing,
                               program->loops,
                               program->level_count,
                               program->whole,
                               program->carried_value_count,
                               program->store_count,
                               program->series_count};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        put4(&at, header[i]);
    for (size_t i = 0; i < program->step_count; i++) {
        put4(&at, program->steps[i].op | (uint32_t)program->steps[i].a << 16);
        put4(&at, program->steps[i].b);
        put8(&at, (uint64_t)program->steps[i].c);
        put8(&at, (uint64_t)program->steps[i].d);
    }
    memcpy(at, program->storages, program->column_count);
    at += program->column_count;
    memcpy(at, program->levels, program->column_count);
    at += program->column_count;
    for (size_t i = 0; i < program->rule_count; i++) {
        const wl_rule *rule = program->rules + i;
        const wl_sum_parameters *of = &rule->algorithm.of;
        const uint32_t first[] = {of->family, of->width, of->unit, of->reflects};
        const uint32_t rest[] = {(uint32_t)rule->replace, rule->own,    rule->own_size,    rule->start,
                                 rule->sum,               rule->stored, rule->stored_size, rule->place,
                                 rule->extra};
        for (size_t k = 0; k < 4; k++)
            put4(&at, first[k]);
        put8(&at, of->polynomial);
        put8(&at, of->initial);
        put8(&at, of->final_xor);
        for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
            put4(&at, rest[k]);
    }
    memcpy(at, program->constants, program->constant_size);
    at += program->constant_size;
    put_messages(&at, program);
    memcpy(at, &program->codes.value, wl_stuffing_parameters(program->stuffing));
    return packed;
}

wl_program *draft_load(const draft *program) {
    char message[256] = "";
    size_t size;
    uint8_t *packed = draft_pack(program, &size);
    wl_program *loaded = wl_program_load(packed, size, message, sizeof message);
    if (!loaded)
        fprintf(stderr, "refused: %s\n", message);
    CHECK(loaded != NULL);
    free(packed);
    return loaded;
}

wl_program *edgemq_program(void) {
    draft it = {.registers = 3, .spans = 1, .marks = 2, .column_count = 7, .rule_count = 1};
    memcpy(it.storages, (uint8_t[]){1, 4, 8, WL_VARIABLE, 8, 4, 4}, 7);
    it.rules[0] = sum_rule(crc_of(CRC32C, 0xFFFFFFFF, 0xFFFFFFFF), -1, 0, 0);
    draft_step(&it, WL_OP_NEED, 21, 0, 0, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 0, WL_U4BE, 0, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 5, WL_U4BE, 0, 0);
    draft_step(&it, WL_OP_CHECK_RANGE, 0, 1 | WL_REASON_LENGTH << 8, 13, 4294967295);
    draft_step(&it, WL_OP_REGISTER_FIXED, 1, WL_U4BE, 4, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 6, WL_U4BE, 4, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 0, WL_U1, 8, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 1, WL_U4BE, 9, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 2, WL_U8BE, 13, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 4, WL_U8BE, 13, 0);
    draft_step(&it, WL_OP_MARK, 0, 1, 0, 0);
    draft_step(&it, WL_OP_BYTES_REGISTER, 0, 0, -13, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, 3, 0, 0, 0);
    draft_step(&it, WL_OP_MARK, 1, 1, 0, 0);
    draft_step(&it, WL_OP_CHECKSUM, 0, 1, 0, 1);
    draft_step(&it, WL_OP_COLUMN_TIMESTAMP, 2, 2, WL_MILLISECONDS, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    return draft_load(&it);
}

wl_program *word_stuffed_program(void) {
    draft it = {.registers = 1,
                .spans = 1,
                .marks = 2,
                .column_count = 3,
                .rule_count = 1,
                .delimiter_size = 2,
                .delimiter = {0xFE, 0xFD},
                .stuffing = WL_STUFFING_WORD};
    memcpy(it.storages, (uint8_t[]){4, WL_VARIABLE, 4}, 3);
    it.rules[0] = sum_rule(crc_of(CRC32C, 0, 0), 0xFF, 0, 4);
    draft_step(&it, WL_OP_MARK, 0, 1, 0, 0);
    draft_step(&it, WL_OP_NEED, 8, 0, 0, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 0, WL_U4LE, 0, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 2, WL_U4LE, 0, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 0, WL_U4LE, 4, 0);
    draft_step(&it, WL_OP_BYTES_REST, 0, 0, 0, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, 1, 0, 0, 0);
    draft_step(&it, WL_OP_MARK, 1, 1, 0, 0);
    draft_step(&it, WL_OP_CHECKSUM, 0, 0, 0, 1);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    return draft_load(&it);
}

wl_program *cobs_program(void) {
    draft it = {
        .spans = 1, .column_count = 1, .delimiter_size = 1, .stuffing = WL_STUFFING_COBS, .storages = {WL_VARIABLE}};
    draft_step(&it, WL_OP_BYTES_REST, 0, 0, 0, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, 0, 0, 0, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    return draft_load(&it);
}

void for_every_level(void (*test)(void)) {
    char message[256];
    for (size_t i = 0; wl_level_at(i); i++) {
        CHECK(wl_start(wl_level_at(i), message, sizeof message));
        test();
    }
}
