/* What loads and what is refused, and steps that the formats in the box do not use. */
#include "check.h"

static draft one_column(unsigned storage) {
    return (draft){.registers = 8, .spans = 2, .marks = 2, .column_count = 1, .storages = {(uint8_t)storage}};
}

static void expect_refused(const draft *program, const char *part) {
    char message[256] = "";
    size_t size;
    uint8_t *packed = draft_pack(program, &size);
    if (wl_program_load(packed, size, message, sizeof message))
        fprintf(stderr, "not refused: expected \"%s\"\n", part);
    CHECK(!wl_program_load(packed, size, message, sizeof message));
    if (!strstr(message, part))
        fprintf(stderr, "expected \"%s\" in \"%s\"\n", part, message);
    CHECK(strstr(message, part));
    /* Cut anywhere, it is refused too. */
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *shorter = copy_of(packed, cut);
        CHECK(!wl_program_load(shorter, cut, message, sizeof message));
        free(shorter);
    }
    free(packed);
}

static void expect_step_refused(unsigned op, unsigned a, uint32_t b, int64_t c, int64_t d, const char *part) {
    draft it = one_column(4);
    it.input_registers = 1;
    it.rules[0] = sum_rule(crc_of(CRC32C, 0, 0), -1, 0, 0);
    it.rule_count = 1;
    draft_step(&it, WL_OP_NEED, 8, 0, 0, 0);
    draft_step(&it, op, a, b, c, d);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&it, part);
}

static void test_refusals(void) {
    draft empty = {.registers = 0};
    expect_refused(&empty, "no steps");
    draft endless = one_column(4);
    draft_step(&endless, WL_OP_NEED, 8, 0, 0, 0);
    expect_refused(&endless, "not END");
    draft stuffed = one_column(4);
    stuffed.stuffing = WL_STUFFING_WORD;
    draft_step(&stuffed, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&stuffed, "no delimiter");
    draft odd = one_column(3);
    draft_step(&odd, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&odd, "unknown storage");
    expect_step_refused(WL_OP_COUNT, 0, 0, 0, 0, "no operation");
    expect_step_refused(WL_OP_COLUMN_FIXED, 1, WL_U4LE, 0, 0, "no column 1");
    expect_step_refused(WL_OP_COLUMN_FIXED, 0, WL_U8LE, 0, 0, "not stored that way");
    expect_step_refused(WL_OP_COLUMN_FIXED, 0, WL_U4LE, 5, 0, "covers 8");
    expect_step_refused(WL_OP_COLUMN_FIXED, 0, WL_U4LE, -1, 0, "covers 8");
    expect_step_refused(WL_OP_COLUMN_FIXED, 0, 99, 0, 0, "no kind");
    expect_step_refused(WL_OP_REGISTER_FIXED, 8, WL_U4LE, 0, 0, "no register 8");
    expect_step_refused(WL_OP_REGISTER_FIXED, 0, WL_U4LE, 0, 0, "input register");
    expect_step_refused(WL_OP_REGISTER_FIXED, 1, WL_F4LE, 0, 0, "float");
    expect_step_refused(WL_OP_BYTES_REGISTER, 0, 1, INT64_MIN, 0, "operand c");
    expect_step_refused(WL_OP_BYTES_FIXED, 0, 0, -1, 0, "size");
    expect_step_refused(WL_OP_BYTES_REST, 0, 0, 0, 0, "neither a frame nor a sub-stream");
    expect_step_refused(WL_OP_BYTES_TERMINATED, 0, 0, 0, 0, "neither a frame nor a sub-stream");
    expect_step_refused(WL_OP_BYTES_TERMINATED, 0, 256, 4, 0, "byte 256");
    expect_step_refused(WL_OP_COLUMN_BYTES, 0, 0, 0, 0, "not stored that way");
    expect_step_refused(WL_OP_CHECK_RANGE, 0, 2, 0, 0, "not an outcome");
    expect_step_refused(WL_OP_CHECK_TRUE, 0, 1 | 9 << 8, 0, 0, "not an outcome");
    expect_step_refused(WL_OP_CHECK_CONSTANT, 0, 1 | 3 << 8, 0, 4, "constants");
    expect_step_refused(WL_OP_CHECKSUM, 1, 0, 0, 1, "no checksum");
    expect_step_refused(WL_OP_CHECKSUM, 0, 0, 0, 2, "no mark 2");
    expect_step_refused(WL_OP_MARK, 0, 0, 9, 0, "covers 8");
    expect_step_refused(WL_OP_SKIP_IF_ZERO, 0, 0, 1, 0, "not further on");
    expect_step_refused(WL_OP_JUMP, 0, 0, 3, 0, "not further on");
    expect_step_refused(WL_OP_JUMP, 0, 0, -5, 0, "not further on");
    expect_step_refused(WL_OP_LIMIT_END, 0, 0, 0, 0, "no sub-stream");
    expect_step_refused(WL_OP_LIMIT_FIXED, 0, 0, 2, 0, "inside a sub-stream");
    expect_step_refused(WL_OP_EXPRESSION, 1, 0, 0, 1, "constants");
    expect_step_refused(WL_OP_CHECK_UTF8, 0, 0, 5, 0, "operand c");
    expect_step_refused(WL_OP_CHECK_UTF8, 0, 0, 4, 0, "constants");
    expect_step_refused(WL_OP_TRIM_RIGHT, 0, 0, 256, 0, "byte");
    expect_step_refused(WL_OP_EXPAND, 0, 0, 0, -1, "no sub-stream of its own");
    expect_step_refused(WL_OP_MARK, 0, 2, 0, 0, "no sub-stream is open");
    expect_step_refused(WL_OP_ABSENT, 8, 0, 0, 0, "no register 8");
    expect_step_refused(WL_OP_STREAM, 1, 4, 0, 0, "operand b");
    expect_step_refused(WL_OP_STREAM, 1, 2, 0, 0, "stream 0");
    expect_step_refused(WL_OP_STREAM, 8, 0, 0, 0, "no register 8");
    expect_step_refused(WL_OP_STREAM, 1, 1, 1, 0, "stream 1");
    expect_step_refused(WL_OP_STREAM, 1, 1, 0, 0, "neither a frame nor a sub-stream");
    expect_step_refused(WL_OP_SEEK, 0, 0, 0, 0, "not read as a whole");
    expect_step_refused(WL_OP_ATTEMPT, 1, 0, 0, 0, "operation 0 cannot be in an attempt");
    expect_step_refused(WL_OP_ATTEMPT_END, 1, 0, 0, 0, "ends an attempt");
    expect_step_refused(WL_OP_REFUSE, 8, 0, 0, 0, "no register 8");
    expect_step_refused(WL_OP_REFUSE, 0, 9, 0, 0, "no column 8");
    expect_step_refused(WL_OP_SERIES, 0, 0, 0, 0, "no series 0");
    expect_step_refused(WL_OP_SERIES_ADD, 0, 0, 0, 0, "no series 0");
    expect_step_refused(WL_OP_CALL, 0, 0, 0, 0, "no function 0");
    expect_step_refused(WL_OP_RETURN, 0, 0, 0, 0, "no function is complete");
    expect_step_refused(WL_OP_FUNCTION, 0, 0, 2 | 2 << 16, 0, "operation 0 cannot be in a function");
    expect_step_refused(WL_OP_FUNCTION, 1, 0, 0, 0, "function 1 cannot be here");
    expect_step_refused(WL_OP_FUNCTION, 0, 0, 99 << 16, 0, "up to 99, does not exist");
    expect_step_refused(WL_OP_LIMIT_FIXED, 1, 0, 0, 0, "neither a frame nor a sub-stream");
}

/* In a sub-stream: a step that decompresses it, then another step. */
static void expect_expansion_refused(uint32_t b, int64_t c, int64_t d, unsigned op, const char *part) {
    draft it = one_column(4);
    it.input_registers = 1;
    draft_step(&it, WL_OP_LIMIT_FIXED, 0, 0, 8, 0);
    draft_step(&it, WL_OP_EXPAND, 0, b, c, d);
    draft_step(&it, op, 0, 0, 0, op == WL_OP_EXPAND ? -1 : 0);
    draft_step(&it, WL_OP_LIMIT_END, 0, 0, 0, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&it, part);
}

static void test_expansions(void) {
    expect_expansion_refused(2, 0, -1, WL_OP_NEED, "operand b");
    expect_expansion_refused(0, 8, -1, WL_OP_NEED, "no register 8");
    expect_expansion_refused(0, -1, -1, WL_OP_NEED, "no register -1");
    expect_expansion_refused(0, 0, 8, WL_OP_NEED, "no register 8");
    expect_expansion_refused(0, 0, -2, WL_OP_NEED, "no register -2");
    expect_expansion_refused(0, 0, -1, WL_OP_EXPAND, "no sub-stream of its own");
    /* What a NEED has covered before a sub-stream ends is not covered after it. */
    draft it = one_column(4);
    draft_step(&it, WL_OP_LIMIT_FIXED, 0, 0, 8, 0);
    draft_step(&it, WL_OP_NEED, 4, 0, 0, 0);
    draft_step(&it, WL_OP_LIMIT_END, 0, 0, 0, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 0, WL_U4LE, 0, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&it, "covers 0");
}

/* Parameters that no algorithm has are refused when the program is loaded, also where no step uses them. */
static void test_unknown_checksums(void) {
    const wl_sum_parameters crc = crc_of(CRC32C, 0, 0);
    wl_sum_parameters unknown[14];
    for (size_t i = 0; i < 14; i++)
        unknown[i] = crc;
    unknown[0].family = 0;
    unknown[1].family = WL_FAMILIES;
    unknown[2].family = UINT32_MAX;
    unknown[3].unit = 2;
    unknown[4].width = 2;
    unknown[5].width = 65;
    unknown[6].width = UINT32_MAX;
    unknown[7].reflects = 4;
    unknown[8].initial = UINT64_C(1) << 32;
    unknown[9].polynomial = UINT64_MAX;
    unknown[10].final_xor = UINT64_C(1) << 63;
    unknown[11] = (wl_sum_parameters){.family = WL_MD5, .width = 256, .unit = 1};
    unknown[12] = (wl_sum_parameters){.family = WL_SUM_LE, .width = 64, .unit = 8};
    unknown[13] = (wl_sum_parameters){.family = WL_ADLER, .width = 16, .unit = 1};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CHECK(!wl_sum_parameters_hold(unknown + i));
        for (int used = 0; used < 2; used++) {
            draft it = one_column(4);
            it.rules[0] = sum_rule(unknown[i], used ? 0 : -1, 0, 0);
            it.rule_count = 1;
            draft_step(&it, WL_OP_NEED, 8, 0, 0, 0);
            if (used)
                draft_step(&it, WL_OP_CHECKSUM, 0, 0, 0, 1);
            draft_step(&it, WL_OP_END, 0, 0, 0, 0);
            expect_refused(&it, "no such algorithm");
        }
    }
}

/* Whether or not a step uses it. */
static void expect_rule_refused(wl_rule rule, const char *part) {
    draft it = one_column(4);
    it.input_registers = 1;
    it.rules[0] = rule;
    it.rule_count = 1;
    /* Register 1, the size of span 0, and a sum of nothing. */
    memcpy(it.constants, (uint8_t[]){1, 1, 0, 2, 0, 0, 3}, 7);
    it.constant_size = 7;
    draft_step(&it, WL_OP_NEED, 8, 0, 0, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&it, part);
    it.steps[1] = (wl_step){.op = WL_OP_CHECKSUM, .d = 1};
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&it, part);
}

static void test_rules(void) {
    const wl_sum_parameters md5 = {.family = WL_MD5, .width = 128, .unit = 1};
    const wl_rule digest = sum_rule(md5, -1, 0, 0), plain = sum_rule(crc_of(CRC32C, 0, 0), -1, 0, 0);
    wl_rule rule = plain;
    expect_rule_refused(sum_rule(crc_of(CRC32C, 0, 0), 300, 0, 0), "count as");
    expect_rule_refused(sum_rule(crc_of(CRC32C, 0, 0), 0, 0, 17), "size 17");
    expect_rule_refused(sum_rule(crc_of(CRC32C, 0, 0), 0, 2, 4), "no mark 2");
    rule.place = WL_SUM_PLACES;
    expect_rule_refused(rule, "in place 3");
    expect_rule_refused(digest, "in place 0");
    rule = digest;
    rule.place = WL_SUM_IN_SPAN_LE;
    rule.start = 1;
    expect_rule_refused(rule, "no start value");
    rule.start = WL_NO_REGISTER;
    rule.replace = 0;
    expect_rule_refused(rule, "not computed in pieces");
    rule = plain;
    rule.start = 99;
    expect_rule_refused(rule, "no register 99");
    rule = plain;
    rule.extra = 99;
    expect_rule_refused(rule, "no register 99");
    rule = digest;
    rule.place = WL_SUM_IN_SPAN_LE;
    rule.extra = 1;
    expect_rule_refused(rule, "no byte follows");
    rule = plain;
    rule.sum = 1;
    rule.stored_size = 3;
    rule.place = WL_SUM_IN_SPAN_BE;
    expect_rule_refused(rule, "stand for the checksum itself");
    rule.place = WL_SUM_IN_REGISTER;
    rule.sum = 0;
    expect_rule_refused(rule, "input register");
    rule.sum = 1;
    rule.stored = 6;
    rule.stored_size = 1;
    expect_rule_refused(rule, "");
    rule.stored_size = 9;
    expect_rule_refused(rule, "constants");
}

static void test_unbalanced(void) {
    draft it = one_column(4);
    draft_step(&it, WL_OP_SKIP_IF_ZERO, 1, 0, 2, 0);
    draft_step(&it, WL_OP_LIMIT_FIXED, 0, 0, 2, 0);
    draft_step(&it, WL_OP_NEED, 1, 0, 0, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&it, "open sub-streams");
}

/* Expressions: the value of one, by way of a row of one byte. */
static bool evaluate(const uint8_t *code, size_t size, int64_t *value) {
    draft it = one_column(8);
    memcpy(it.constants, code, size);
    it.constant_size = size;
    draft_step(&it, WL_OP_NEED, 1, 0, 0, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 1, WL_S1, 0, 0);
    draft_step(&it, WL_OP_EXPRESSION, 2, 0, 0, (int64_t)size);
    draft_step(&it, WL_OP_COLUMN_REGISTER, 0, 2, WL_S8LE, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    wl_program *program = draft_load(&it);
    uint8_t validity[1] = {0}, values[8], input[1] = {0xF9}; /* register 1 is -7 */
    wl_column column = {.wanted = true, .validity = validity, .values = values};
    wl_damage damages[1];
    size_t nulls, used;
    const wl_fill_arguments arguments = {.source = input,
                                         .end = 1,
                                         .at_end = true,
                                         .verify = true,
                                         .capacity = 1,
                                         .columns = &column,
                                         .damages = damages,
                                         .damage_capacity = 1,
                                         .max_record = 10,
                                         .stop = -1};
    wl_fill_result result = {.null_counts = &nulls, .data_used = &used};
    CHECK(wl_fill(program, &arguments, &result));
    CHECK(result.status == WL_END && result.rows + result.damage_count == 1);
    CHECK(result.rows || damages[0].reason == WL_REASON_VALUE);
    memcpy(value, values, 8);
    wl_program_free(program);
    return result.rows == 1;
}

#define CONSTANT(value)                                                                                                \
    0, (uint8_t)(value), ((value) < 0 ? 255 : 0), ((value) < 0 ? 255 : 0), ((value) < 0 ? 255 : 0),                    \
        ((value) < 0 ? 255 : 0), ((value) < 0 ? 255 : 0), ((value) < 0 ? 255 : 0), ((value) < 0 ? 255 : 0)

#define REGISTER 1, 1, 0

/* -2^126: -2^63 · 2^63. */
#define HALF_OF_LEAST 25, 0, 0, 0, 0, 0, 0, 0, 128, 13, 25, 0, 0, 0, 0, 0, 0, 0, 128, 5

/* -2^127, which a sum makes, but no product and no shift. */
#define LEAST HALF_OF_LEAST, HALF_OF_LEAST, 3

static void expect_value(const uint8_t *code, size_t size, int64_t expected) {
    int64_t value;
    CHECK(evaluate(code, size, &value));
    CHECK(value == expected);
}

static void expect_failure(const uint8_t *code, size_t size) {
    int64_t value;
    CHECK(!evaluate(code, size, &value));
}

#define VALUE(expected, ...)                                                                                           \
    do {                                                                                                               \
        static const uint8_t code_[] = {__VA_ARGS__};                                                                  \
        expect_value(code_, sizeof code_, expected);                                                                   \
    } while (0)
#define FAILURE(...)                                                                                                   \
    do {                                                                                                               \
        static const uint8_t code_[] = {__VA_ARGS__};                                                                  \
        expect_failure(code_, sizeof code_);                                                                           \
    } while (0)

static void test_expressions(void) {
    VALUE(-7, REGISTER);
    VALUE(5, CONSTANT(5));
    VALUE(-2, REGISTER, CONSTANT(5), 3);
    VALUE(-14, REGISTER, REGISTER, 3);
    VALUE(-7, REGISTER, 27, WL_S1);
    FAILURE(REGISTER, 27, WL_U8LE);
    VALUE(-128, CONSTANT(-128), 27, WL_S1);
    FAILURE(CONSTANT(-128), CONSTANT(-1), 3, 27, WL_S1);
    VALUE(-1, 25, 255, 255, 255, 255, 255, 255, 255, 255, 27, WL_U8BE);
    FAILURE(25, 255, 255, 255, 255, 255, 255, 255, 255, 27, WL_S8BE);
    VALUE(-12, REGISTER, CONSTANT(5), 4);
    VALUE(-35, REGISTER, CONSTANT(5), 5);
    VALUE(-4, REGISTER, CONSTANT(2), 6);
    VALUE(1, REGISTER, CONSTANT(2), 7);
    VALUE(-1, REGISTER, CONSTANT(-2), 7);
    VALUE(3, REGISTER, CONSTANT(-2), 6);
    FAILURE(REGISTER, CONSTANT(0), 6);
    FAILURE(REGISTER, CONSTANT(0), 7);
    VALUE(5, CONSTANT(5), LEAST, 7, LEAST, 4);
    VALUE(-1, CONSTANT(5), LEAST, 6);
    VALUE(0, LEAST, CONSTANT(-1), 7);
    FAILURE(LEAST, CONSTANT(-1), 6);
    VALUE(1, REGISTER, CONSTANT(3), 8);
    VALUE(-5, REGISTER, CONSTANT(3), 9);
    VALUE(-6, REGISTER, CONSTANT(3), 10);
    VALUE(-28, REGISTER, CONSTANT(2), 11);
    VALUE(-2, REGISTER, CONSTANT(2), 12);
    VALUE(-1, REGISTER, CONSTANT(100), 12, CONSTANT(100), 12);
    VALUE(1, CONSTANT(-1), CONSTANT(126), 11, HALF_OF_LEAST, 15);
    FAILURE(CONSTANT(-1), CONSTANT(127), 11);
    FAILURE(REGISTER, CONSTANT(127), 11);
    FAILURE(CONSTANT(-1), CONSTANT(128), 11);
    FAILURE(REGISTER, CONSTANT(-1), 11);
    FAILURE(REGISTER, CONSTANT(-1), 12);
    VALUE(0, CONSTANT(0), CONSTANT(127), 11);
    VALUE(7, REGISTER, 13);
    VALUE(6, REGISTER, 14);
    VALUE(1, REGISTER, CONSTANT(-7), 15);
    VALUE(0, REGISTER, CONSTANT(-7), 16);
    VALUE(1, REGISTER, CONSTANT(0), 17);
    VALUE(1, REGISTER, CONSTANT(-7), 18);
    VALUE(0, REGISTER, CONSTANT(0), 19);
    VALUE(1, REGISTER, CONSTANT(-7), 20);
    VALUE(0, REGISTER, 21);
    VALUE(1, REGISTER, CONSTANT(4), 22);
    VALUE(0, CONSTANT(0), CONSTANT(0), 23);
    VALUE(1, REGISTER, 25, 255, 255, 255, 255, 255, 255, 255, 255, 17);
    /* 2^63 · 2^63 fits, squared it does not. */
    FAILURE(25, 0, 0, 0, 0, 0, 0, 0, 128, 25, 0, 0, 0, 0, 0, 0, 0, 128, 5, 25, 0, 0, 0, 0, 0, 0, 0, 128, 5);
    /* A failure in the branch that is not taken, or after a decided AND or OR, is none. */
    VALUE(5, CONSTANT(1), CONSTANT(5), REGISTER, CONSTANT(0), 6, 24);
    FAILURE(CONSTANT(0), CONSTANT(5), REGISTER, CONSTANT(0), 6, 24);
    VALUE(0, CONSTANT(0), REGISTER, CONSTANT(0), 6, 22);
    FAILURE(CONSTANT(1), REGISTER, CONSTANT(0), 6, 22);
    VALUE(1, CONSTANT(9), REGISTER, CONSTANT(0), 6, 23);
    FAILURE(REGISTER, CONSTANT(0), 6, CONSTANT(0), 22);
}

static void test_bad_code(void) {
    static const struct {
        uint8_t code[7];
        size_t size;
        const char *part;
    } cases[] = {
        {{0}, 0, "exactly one"},          {{99}, 1, "unknown code"},   {{0, 1}, 2, "ends inside"},
        {{1, 8, 0}, 3, "register"},          {{2, 2, 0}, 3, "span"},         {{3}, 1, "not there"},
        {{1, 1, 0, 1, 1, 0}, 6, "exactly one"}, {{1, 1, 0, 3}, 4, "not there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draft it = one_column(8);
        memcpy(it.constants, cases[i].code, cases[i].size);
        it.constant_size = cases[i].size;
        draft_step(&it, WL_OP_EXPRESSION, 2, 0, 0, (int64_t)cases[i].size);
        draft_step(&it, WL_OP_END, 0, 0, 0, 0);
        expect_refused(&it, cases[i].part);
    }
    draft deep = one_column(8);
    for (size_t i = 0; i < 33; i++)
        memcpy(deep.constants + 3 * i, (uint8_t[]){REGISTER}, 3);
    memset(deep.constants + 99, 3, 32);
    deep.constant_size = 131;
    draft_step(&deep, WL_OP_EXPRESSION, 2, 0, 0, 131);
    draft_step(&deep, WL_OP_END, 0, 0, 0, 0);
    expect_refused(&deep, "too deep");
}

/* A failed register decides nothing silently: a size of it loses the row. */
static void test_failed_size(void) {
    draft it = one_column(WL_VARIABLE);
    memcpy(it.constants, (uint8_t[]){REGISTER, REGISTER, 6}, 7);
    it.constant_size = 7;
    draft_step(&it, WL_OP_NEED, 1, 0, 0, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 1, WL_U1, 0, 0);
    draft_step(&it, WL_OP_EXPRESSION, 2, 0, 0, 7);
    draft_step(&it, WL_OP_BYTES_REGISTER, 0, 2, 0, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, 0, 0, 0, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    wl_program *program = draft_load(&it);
    feed how = {.input = (const uint8_t *)"\5a\0b",
                .size = 4,
                .capacity = 4,
                .room = 9,
                .damages = 2,
                .max_record = 99,
                .stop = -1,
                .wanted = 1,
                .verify = true};
    outcome found = read_all(program, &how);
    CHECK(found.rows == 1 && found.status == WL_LOST && found.reason == WL_REASON_VALUE && found.position == 2);
    free(found.bytes);
    wl_program_free(program);
}

/* The longest row there is: a compiler that makes no jumps of tail calls must still have stack enough. */
static void test_most_steps(void) {
    draft *it = calloc(1, sizeof *it);
    CHECK(it != NULL);
    *it = one_column(1);
    draft_step(it, WL_OP_NEED, 1, 0, 0, 0);
    while (it->step_count < WL_MOST_STEPS - 1)
        draft_step(it, WL_OP_COLUMN_FIXED, 0, WL_U1, 0, 0);
    draft_step(it, WL_OP_END, 0, 0, 0, 0);
    wl_program *program = draft_load(it);
    feed how = {.input = (const uint8_t *)"abc",
                .size = 3,
                .capacity = 4,
                .room = 9,
                .damages = 2,
                .max_record = 99,
                .stop = -1,
                .wanted = 1,
                .verify = true};
    outcome found = read_all(program, &how);
    CHECK(found.rows == 3 && found.status == WL_END);
    free(found.bytes);
    wl_program_free(program);
    free(it);
}

int main(void) {
    char message[256];
    CHECK(wl_start(NULL, message, sizeof message));
    test_refusals();
    test_expansions();
    test_unknown_checksums();
    test_rules();
    test_unbalanced();
    test_expressions();
    test_bad_code();
    test_failed_size();
    test_most_steps();
    return 0;
}
