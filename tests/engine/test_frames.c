/* Frames whose rows are read side by side: the same comes out as when they are read one by one, whatever is damaged and
 * wherever the input is cut. A program with a jump in it is read one by one. */
#include "check.h"

#define FIXED 23
#define ROWS 300

/* What a program has besides the fields that all have. */
typedef struct {
    bool sum, replaced, range, constant, time, rest, jump;
    unsigned stuffing;
    size_t payload; /* largest */
    unsigned letters;
} variant;

static variant any_variant(source_of_chance *chance) {
    static const size_t payloads[] = {0, 10, 60, 230, 400, 3000};
    return (variant){.sum = chance_below(chance, 4) != 0,
                     .replaced = chance_below(chance, 2),
                     .range = chance_below(chance, 2),
                     .constant = chance_below(chance, 2),
                     .time = chance_below(chance, 2),
                     .rest = chance_below(chance, 8) != 0,
                     .stuffing = 1 + (unsigned)chance_below(chance, 2),
                     .payload = payloads[chance_below(chance, sizeof payloads / sizeof *payloads)],
                     .letters = 2 + (unsigned)chance_below(chance, 40)};
}

/* A row: checksum, number, unsigned and signed number, "ok", three bytes of any kind, and the rest. */
static wl_program *program_of(const variant *what) {
    draft it = {.registers = 4, .spans = 2, .marks = 3, .column_count = 7, .rule_count = 1};
    it.stuffing = what->stuffing;
    it.delimiter_size = what->stuffing == WL_STUFFING_WORD ? 2 : 1;
    memcpy(it.delimiter, what->stuffing == WL_STUFFING_WORD ? "\xFE\xFD" : "\0", it.delimiter_size);
    memcpy(it.storages, (uint8_t[]){4, WL_VARIABLE, 8, 2, 8, WL_VARIABLE, 4}, 7);
    it.rules[0] = sum_rule(crc_of(CRC32C, 7, 9), what->replaced ? 0xFF : -1, 0, what->replaced ? 4 : 0);
    memcpy(it.constants, "ok", 2);
    it.constant_size = 2;
    if (what->jump)
        draft_step(&it, WL_OP_JUMP, 0, 0, 1, 0);
    draft_step(&it, WL_OP_MARK, 0, 1, 0, 0);
    draft_step(&it, WL_OP_NEED, 20, 0, 0, 0);
    draft_step(&it, WL_OP_MARK, 2, 0, what->replaced ? 0 : 4, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 0, WL_U4LE, 0, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 0, WL_U4LE, 0, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 1, WL_U4BE, 4, 0);
    if (what->range)
        draft_step(&it, WL_OP_CHECK_RANGE, 1, WL_REASON_VALUE << 8, 3, 0xF8000000);
    draft_step(&it, WL_OP_COLUMN_FIXED, 2, WL_U8BE, 8, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 2, WL_S2BE, 16, 0);
    draft_step(&it, WL_OP_COLUMN_REGISTER, 3, 2, WL_S2LE, 0);
    if (what->constant)
        draft_step(&it, WL_OP_CHECK_CONSTANT, 0, WL_REASON_VALUE << 8, 18, 2);
    draft_step(&it, WL_OP_BYTES_FIXED, 0, 0, 3, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, 5, 0, 0, 0);
    if (what->rest)
        draft_step(&it, WL_OP_BYTES_REST, 1, 0, 0, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, 1, what->rest, 0, 0);
    draft_step(&it, WL_OP_MARK, 1, 1, 0, 0);
    if (what->sum)
        draft_step(&it, WL_OP_CHECKSUM, 0, 0, 2, 1);
    if (what->time)
        draft_step(&it, WL_OP_COLUMN_TIMESTAMP, 4, 1, WL_SECONDS | WL_HAS_ABSENT, 7);
    else
        draft_step(&it, WL_OP_COLUMN_REGISTER, 4, 1, WL_U8LE, 0);
    draft_step(&it, WL_OP_COLUMN_FIXED, 6, WL_U4LE, 4, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    return draft_load(&it);
}

static size_t put_row(source_of_chance *chance, const variant *what, uint8_t *out) {
    size_t payload = what->payload ? chance_below(chance, what->payload) : 0, size = FIXED + payload;
    uint8_t *row = random_bytes(chance, size);
    for (size_t i = 20; i < size; i++)
        row[i] = (uint8_t)(0xFE + row[i] % what->letters);
    memcpy(row + 18, "ok", 2);
    if (chance_below(chance, 8) == 0)
        memcpy(row + 4, "\0\0\0\7", 4);
    memset(row, 0xFF, 4);
    /* Without a rest the range ends with what is always there. */
    size_t covered = what->rest ? size : FIXED;
    uint32_t crc = what->replaced ? crc_update(1, 7, row, covered) : crc_update(1, 7, row + 4, covered - 4);
    wl_store4(row, crc ^ 9);
    size_t used = what->stuffing == WL_STUFFING_WORD ? wl_word_stuff(row, size, out) : wl_cobs_stuff(row, size, out);
    memcpy(out + used, what->stuffing == WL_STUFFING_WORD ? "\xFE\xFD" : "\0", 2);
    free(row);
    return used + (what->stuffing == WL_STUFFING_WORD ? 2 : 1);
}

static uint8_t *make_input(source_of_chance *chance, const variant *what, size_t *size) {
    uint8_t *all = exactly(ROWS * (what->payload * 2 + 64));
    *size = 0;
    for (size_t i = 0; i < ROWS; i++)
        *size += put_row(chance, what, all + *size);
    uint8_t *input = copy_of(all, *size);
    free(all);
    return input;
}

static void compare(const variant *what, const feed *how, size_t *rows, size_t *damaged) {
    variant other = *what;
    other.jump = true;
    wl_program *together = program_of(what), *alone = program_of(&other);
    outcome found = read_all(together, how), expected = read_all(alone, how);
    CHECK(same_outcome(&expected, &found));
    *rows += found.rows;
    *damaged += found.damaged;
    free(found.bytes);
    free(expected.bytes);
    wl_program_free(together);
    wl_program_free(alone);
}

static void test_side_by_side(void) {
    static const size_t chunks[] = {0, 1000, 4097, 20000};
    static uint64_t seed = 71; /* another one at each level */
    source_of_chance chance = {seed++};
    size_t rows = 0, damaged = 0;
    for (size_t turn = 0, turns = rounds_of(45); turn < turns; turn++) {
        variant what = any_variant(&chance);
        size_t size;
        uint8_t *input = make_input(&chance, &what, &size);
        feed how = {.input = input,
                    .size = size,
                    .chunk = chunks[turn % 4],
                    .capacity = 1 + chance_below(&chance, 2 * ROWS),
                    .room = turn % 3 ? 100000 : 500,
                    .damages = 1 + chance_below(&chance, 40),
                    .max_record = turn % 5 ? 100000 : 100,
                    .stop = turn % 7 ? -1 : (int64_t)chance_below(&chance, size),
                    .wanted = turn % 6 ? 0x7F : (uint32_t)chance_below(&chance, 128),
                    .verify = turn % 8 != 0,
                    .null_rows = turn % 2};
        compare(&what, &how, &rows, &damaged);
        /* Few damaged rows, then many. */
        for (size_t damages = 3; damages < size; damages *= 20) {
            for (size_t i = 0; i < damages; i++)
                input[chance_below(&chance, size)] ^= (uint8_t)(1 + chance_below(&chance, 255));
            compare(&what, &how, &rows, &damaged);
        }
        free(input);
    }
    CHECK(rows > rounds_of(15000) && damaged > rounds_of(3000));
}

/* Headers of word stuffing that lie: every first byte of a record that is copied, then un-stuffed in its copy. */
static void test_headers_that_lie(void) {
    source_of_chance chance = {72};
    for (size_t turn = 0, turns = rounds_of(400); turn < turns; turn++) {
        size_t count = 1 + chance_below(&chance, 9);
        uint8_t *copies[9], *at[9], *ends[9], *expected[9];
        size_t sizes[9];
        uint8_t data[9][300];
        for (size_t i = 0; i < count; i++) {
            sizes[i] = 1 + chance_below(&chance, 300);
            for (size_t k = 0; k < sizes[i]; k++)
                data[i][k] = chance_below(&chance, 3) ? (uint8_t)chance_below(&chance, 12) : 0;
            /* No address is made that is not in the allocation. */
            copies[i] = exactly(sizes[i] + 1024);
            memcpy(copies[i], data[i] + 1, sizes[i] - 1);
            at[i] = copies[i] + data[i][0];
            ends[i] = copies[i] + sizes[i] - 1;
            expected[i] = exactly(sizes[i]);
        }
        wl_word_unstuff_copies(at, ends, count);
        for (size_t i = 0; i < count; i++) {
            size_t written = wl_word_unstuff(data[i], sizes[i], expected[i]);
            if (at[i] == ends[i]) {
                CHECK(written == sizes[i] - 1 && !memcmp(copies[i], expected[i], written));
            } else if (ends[i] - at[i] < 2) {
                CHECK(written == WL_NOT_FOUND);
            }
            free(copies[i]);
            free(expected[i]);
        }
    }
}

static void test_all(void) {
    test_side_by_side();
    test_headers_that_lie();
}

int main(void) {
    for_every_level(test_all);
    return 0;
}
