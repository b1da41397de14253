/* Filling, frames and resync, by hand-made inputs in windows and batches of every size. */
#include "check.h"

static size_t put_frame(uint8_t *at, const uint8_t *payload, size_t size) {
    uint32_t words[2] = {(uint32_t)size + 13, ~crc_update(1, 0xFFFFFFFF, payload, size)};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++)
            at[4 * k + i] = (uint8_t)(words[k] >> (24 - 8 * i));
    }
    memset(at + 8, 0, 13);
    at[12] = (uint8_t)size;
    at[20] = 9;
    if (size)
        memcpy(at + 21, payload, size);
    return size + 21;
}

static size_t put_record(uint8_t *at, const uint8_t *payload, size_t size) {
    uint8_t record[9000];
    memset(record, 0xFF, 4);
    memcpy(record + 4, "\1\2\3\4", 4);
    memcpy(record + 8, payload, size);
    uint32_t crc = crc_update(1, 0, record, size + 8);
    for (int i = 0; i < 4; i++)
        record[i] = (uint8_t)(crc >> 8 * i);
    size_t used = wl_word_stuff(record, size + 8, at);
    memcpy(at + used, "\xFE\xFD", 2);
    return used + 2;
}

typedef size_t (*putter)(uint8_t *at, const uint8_t *payload, size_t size);

/* An input of `count` rows; the caller frees it. */
static uint8_t *make_input(source_of_chance *chance, putter put, size_t count, size_t largest, size_t padding,
                           size_t *size) {
    uint8_t *all = exactly(count * (largest * 2 + 64 + padding));
    *size = 0;
    for (size_t i = 0; i < count; i++) {
        size_t payload_size = chance_below(chance, largest + 1);
        uint8_t *payload = random_bytes(chance, payload_size);
        for (size_t k = 0; k < payload_size; k++)
            payload[k] = chance_below(chance, 6) ? payload[k] : (uint8_t)(0xFD + payload[k] % 2);
        *size += put(all + *size, payload, payload_size);
        memset(all + *size, 0xAA, padding);
        *size += padding;
        free(payload);
    }
    uint8_t *input = copy_of(all, *size);
    free(all);
    return input;
}

static feed plain_feed(const uint8_t *input, size_t size) {
    return (feed){.input = input,
                  .size = size,
                  .capacity = 64,
                  .room = 4096,
                  .damages = 16,
                  .max_record = 4096,
                  .stop = -1,
                  .wanted = 0x7F,
                  .verify = true};
}

/* The same input in other windows, from the `first` size on, and in other batches and rooms gives the same. */
static void same_in_pieces(const wl_program *program, const feed *whole, size_t first) {
    static const size_t chunks[] = {1, 2, 7, 20, 21, 22, 64, 257, 1000};
    outcome expected = read_all(program, whole);
    for (size_t i = first; i < sizeof chunks / sizeof *chunks; i++) {
        feed pieces = *whole;
        pieces.chunk = chunks[i];
        pieces.capacity = 1 + chunks[i] % 9;
        pieces.room = chunks[i];
        pieces.damages = 1 + chunks[i] % 3;
        outcome found = read_all(program, &pieces);
        CHECK(same_outcome(&expected, &found));
        free(found.bytes);
    }
    free(expected.bytes);
}

static void test_pieces(void) {
    static uint64_t seed = 11; /* another one at each level */
    source_of_chance chance = {seed++};
    wl_program *programs[] = {edgemq_program(), word_stuffed_program()};
    const putter putters[] = {put_frame, put_record};
    for (size_t round = 0; round < 6; round++) {
        size_t which = round % 2, size, padding = which == 0 && round % 4 == 0 ? 13 : 0;
        /* Of long rows a few: a window that grows by a byte is read as often as there are bytes. */
        size_t count = round % 3 ? 12 : 3;
        uint8_t *input = make_input(&chance, putters[which], count, round % 3 ? 90 : 600, padding, &size);
        feed whole = plain_feed(input, size);
        whole.padding = padding;
        outcome found = read_all(programs[which], &whole);
        CHECK(found.rows == count && found.damaged == 0 && found.status == WL_END);
        free(found.bytes);
        for (size_t damage = 0; damage < 6; damage++) {
            whole.null_rows = damage % 2;
            whole.verify = damage != 3;
            whole.max_record = damage == 4 ? 100 : 4096;
            whole.stop = damage == 5 ? (int64_t)chance_below(&chance, size) : -1;
            whole.wanted = damage == 2 ? 1 : 0x7F;
            /* Windows of one byte cost the most: one input in three has them. */
            same_in_pieces(programs[which], &whole, damage % 3);
            input[chance_below(&chance, size)] ^= (uint8_t)(1 + chance_below(&chance, 255));
            whole.size -= chance_below(&chance, 3);
        }
        free(input);
    }
    wl_program_free(programs[0]);
    wl_program_free(programs[1]);
}

/* Byte ranges: every cut of a self-synchronising log into two gives each row exactly once. */
static void test_stop(void) {
    source_of_chance chance = {12};
    wl_program *program = word_stuffed_program();
    size_t size;
    uint8_t *input = make_input(&chance, put_record, 6, 40, 0, &size);
    for (size_t cut = 0; cut <= size; cut++) {
        feed whole = plain_feed(input, size);
        whole.stop = (int64_t)cut;
        outcome before = read_all(program, &whole);
        wl_column columns[3] = {{.wanted = false}};
        wl_damage damages[4];
        size_t nulls[3], used[3];
        uint8_t offsets[64];
        wl_fill_arguments arguments = {.source = input,
                                       .begin = cut,
                                       .end = size,
                                       .at_end = true,
                                       .verify = true,
                                       .at_start = cut == 0,
                                       .capacity = 8,
                                       .columns = columns,
                                       .offsets = offsets,
                                       .damages = damages,
                                       .damage_capacity = 4,
                                       .max_record = 4096,
                                       .stop = -1};
        wl_fill_result after = {.null_counts = nulls, .data_used = used};
        CHECK(wl_fill(program, &arguments, &after));
        CHECK(after.status == WL_END && after.damage_count == 0 && before.damaged == 0);
        CHECK(before.rows + after.rows == 6);
        free(before.bytes);
    }
    free(input);
    wl_program_free(program);
}

/* A text with zeros in it, and its size. */
#define TEXT(text) text, sizeof(text) - 1

static void expect_end(const wl_program *program, const char *bytes, size_t size, size_t limit, size_t rows, int status,
                       uint32_t reason, size_t damaged) {
    uint8_t *input = copy_of((const uint8_t *)bytes, size);
    feed whole = plain_feed(input, size);
    whole.max_record = limit;
    outcome found = read_all(program, &whole);
    CHECK(found.rows == rows && found.status == status && found.reason == reason && found.damaged == damaged);
    free(found.bytes);
    same_in_pieces(program, &whole, 0);
    free(input);
}

static void test_ends(void) {
    wl_program *frames = edgemq_program(), *cobs = cobs_program();
    expect_end(frames, TEXT(""), 4096, 0, WL_END, 0, 0);
    expect_end(frames, TEXT("\0\0\0"), 4096, 0, WL_TRUNCATED, 0, 0);
    expect_end(frames, TEXT("\0\0\0\14aaaabcccccddddddddd"), 4096, 0, WL_LOST, WL_REASON_LENGTH, 0);
    /* 4 GiB claimed with few bytes left; and with more than the largest record left. */
    expect_end(frames, TEXT("\377\377\377\377aaaabcccccddddddddd"), 4096, 0, WL_TRUNCATED, 0, 0);
    expect_end(frames, TEXT("\377\377\377\377aaaabcccccddddddddd"), 23, 0, WL_LOST, WL_REASON_LIMIT, 0);
    expect_end(cobs, TEXT(""), 4096, 0, WL_END, 0, 0);
    expect_end(cobs, TEXT("\0"), 4096, 0, WL_END, 0, 0);
    expect_end(cobs, TEXT("\0\0"), 4096, 0, WL_END, 0, 0);
    expect_end(cobs, TEXT("\2a\0\2b"), 4096, 2, WL_END, 0, 0);
    expect_end(cobs, TEXT("\2a\0\3b"), 4096, 1, WL_TRUNCATED, 0, 0);
    expect_end(cobs, TEXT("\2a\0\3b\0\2c\0"), 4096, 2, WL_END, 0, 1);
    expect_end(cobs, TEXT("\2a\0\6bcdef\0\2c\0"), 5, 2, WL_END, 0, 1);
    expect_end(cobs, TEXT("\6bcdef"), 5, 0, WL_END, 0, 1);
    expect_end(cobs, TEXT("\6bcdef\0"), 6, 1, WL_END, 0, 0);
    wl_program_free(frames);
    wl_program_free(cobs);
}

/* The size of the row that holds at an offset; 0: none does. */
static size_t plain_row(const uint8_t *input, size_t at, size_t size, size_t limit) {
    if (size - at < 21)
        return 0;
    size_t length = wl_load_be4(input + at), payload = length - 13;
    if (length < 13 || length + 8 > limit || payload > size - at - 21)
        return 0;
    uint32_t crc = ~crc_update(1, 0xFFFFFFFF, input + at + 21, payload);
    return crc == wl_load_be4(input + at + 4) ? length + 8 : 0;
}

/* Whether the row at an offset can be trusted. One without a payload proves nothing, so the row after it must hold too,
 * and so on until one has a payload, there are three, or the input ends. */
static bool plain_counts(const uint8_t *input, size_t at, size_t size, size_t limit, size_t padding) {
    for (size_t rows = 1;; rows++) {
        size_t row = plain_row(input, at, size, limit);
        if (!row || row > 21 || rows == 3 || size - at - row <= padding)
            return row != 0;
        at += row + padding;
    }
}

/* The first offset where a row counts, tried one by one without any index. */
static size_t plain_resync(const uint8_t *input, size_t begin, size_t size, size_t limit, size_t padding) {
    for (size_t at = begin; at < size; at++) {
        if (plain_counts(input, at, size, limit, padding))
            return at;
    }
    return size;
}

/* `arguments` are those of the whole input. */
static void expect_resync(source_of_chance *chance, const wl_program *program, wl_fill_arguments arguments) {
    size_t begin = arguments.begin, size = arguments.end, index;
    size_t expected = plain_resync(arguments.source, begin, size, arguments.max_record, arguments.padding);
    bool found;
    CHECK(wl_resync(program, &arguments, &found, &index));
    CHECK(index == expected && found == (expected < size));
    /* With windows that grow, the answer is never another one. */
    arguments.at_end = false;
    for (arguments.end = begin; arguments.end < size; arguments.end += 1 + chance_below(chance, size / 8)) {
        CHECK(wl_resync(program, &arguments, &found, &index));
        CHECK(found ? index == expected : index <= expected || expected == size);
        CHECK(index >= arguments.begin && index <= arguments.end);
        if (found)
            break;
        arguments.begin = index;
    }
}

static void test_resync(void) {
    static uint64_t seed = 13; /* another one at each level */
    source_of_chance chance = {seed++};
    wl_program *program = edgemq_program();
    const size_t largest[] = {30, 3000, 1};
    for (size_t round = 0, rounds = rounds_of(45); round < rounds; round++) {
        size_t size, padding = round % 5 < 2 ? 13 : 0;
        uint8_t *input = make_input(&chance, put_frame, 30, largest[round % 3], padding, &size);
        size_t begin = 1 + chance_below(&chance, 200);
        /* Of some, nothing is left but a last row without a payload. */
        size_t damaged = round % 9 == 8 ? size - padding - 21 : size / 2;
        for (size_t k = 0; k < damaged; k++)
            input[k] = (uint8_t)(round % 4 < 2 ? chance_below(&chance, 3) % 2 : chance_next(&chance));
        wl_fill_arguments arguments = {.source = input,
                                       .begin = begin,
                                       .end = size - (round % 7 ? 0 : chance_below(&chance, padding + 2)),
                                       .at_end = true,
                                       .stop = -1,
                                       .max_record = 60000,
                                       .padding = padding};
        expect_resync(&chance, program, arguments);
        /* As large as the row that was found, and one byte less. */
        size_t found = plain_resync(input, begin, arguments.end, 60000, padding);
        arguments.max_record = plain_row(input, found, arguments.end, 60000);
        if (arguments.max_record) {
            expect_resync(&chance, program, arguments);
            arguments.max_record--;
            expect_resync(&chance, program, arguments);
        }
        free(input);
    }
    wl_program_free(program);
}

static void test_all(void) {
    test_pieces();
    test_stop();
    test_ends();
    test_resync();
}

int main(void) {
    for_every_level(test_all);
    return 0;
}
