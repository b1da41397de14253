/* Encoding against the plainest possible twin, and with arguments that make no sense. */
#include "check.h"

static const unsigned sizes[WL_KIND_COUNT] = {1, 2, 2, 4, 4, 8, 8, 1, 2, 2, 4, 4, 8, 8, 4, 4, 8, 8};

static bool is_big(unsigned kind) {
    return kind == WL_U2BE || kind == WL_U4BE || kind == WL_U8BE || kind == WL_S2BE || kind == WL_S4BE ||
           kind == WL_S8BE || kind == WL_F4BE || kind == WL_F8BE;
}

static void plain_put(uint8_t *to, unsigned kind, uint64_t value) {
    for (unsigned i = 0; i < sizes[kind]; i++)
        to[is_big(kind) ? sizes[kind] - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint32_t plain_crc(uint32_t polynomial, uint32_t state, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        state ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ polynomial : state >> 1;
    }
    return state;
}

#define MOST_FIELDS 8
#define FEW_ROWS 12
#define MANY_ROWS 200 /* several blocks, whose ends depend on the sizes */

typedef struct {
    wl_encode_arguments arguments;
    wl_encode_field fields[MOST_FIELDS];
    wl_algorithm *algorithm;
    uint8_t *values[MOST_FIELDS];
    uint8_t *offsets;
    uint8_t *data;
} sample;

static size_t edge(source_of_chance *chance) {
    static const size_t edges[] = {0, 1, 2, 3, 63, 64, 65, 251, 252, 253, 254, 255, 256, 1000};
    return edges[chance_below(chance, sizeof edges / sizeof *edges)];
}

static void make_fields(sample *each, source_of_chance *chance, bool checked) {
    size_t count = chance_below(chance, MOST_FIELDS - 1), place = chance_below(chance, count + 1);
    for (size_t i = 0; i < count + checked; i++) {
        wl_encode_field *field = each->fields + i;
        field->kind = (unsigned)chance_below(chance, WL_KIND_COUNT);
        field->holds = chance_below(chance, 4) ? WL_HOLDS_COLUMN : WL_HOLDS_SIZE;
        field->added = (int64_t)chance_below(chance, 40);
        if (checked && i == place) {
            field->kind = chance_below(chance, 2) ? WL_U4LE : WL_U4BE;
            field->holds = WL_HOLDS_CHECKSUM;
        }
        each->values[i] = random_bytes(chance, MANY_ROWS * sizes[field->kind]);
        field->values = each->values[i];
    }
    each->arguments.field_count = count + checked;
}

static sample make(source_of_chance *chance) {
    size_t rows = chance_below(chance, 16) ? FEW_ROWS : MANY_ROWS;
    sample each = {.arguments = {.rows = rows, .max_record = chance_below(chance, 4) ? INT32_MAX : 300}};
    wl_encode_arguments *arguments = &each.arguments;
    bool checked = chance_below(chance, 2);
    make_fields(&each, chance, checked);
    if (checked) {
        unsigned number = 1 + (unsigned)chance_below(chance, 2);
        uint32_t state = (uint32_t)chance_next(chance);
        each.algorithm = malloc(sizeof *each.algorithm);
        CHECK(each.algorithm != NULL);
        *each.algorithm = crc_algorithm(number, state, (uint32_t)chance_next(chance));
        arguments->algorithm = each.algorithm;
        arguments->replace = (uint8_t)chance_next(chance);
        arguments->begin = chance_below(chance, 40);
        arguments->end = chance_below(chance, 2) ? SIZE_MAX : chance_below(chance, 60);
    }
    if (chance_below(chance, 5)) {
        int32_t at = 0;
        each.offsets = exactly(4 * (rows + 1));
        memcpy(each.offsets, &at, 4);
        for (size_t i = 1; i <= rows; i++) {
            at += (int32_t)edge(chance);
            memcpy(each.offsets + 4 * i, &at, 4);
        }
        arguments->data_size = (size_t)at;
        each.data = random_bytes(chance, arguments->data_size);
        size_t letters = 2 + chance_below(chance, chance_below(chance, 2) ? 3 : 250);
        for (size_t i = 0; i < arguments->data_size; i++)
            each.data[i] = (uint8_t)(0xFD + each.data[i] % letters);
        arguments->offsets = each.offsets;
        arguments->data = each.data;
    }
    arguments->stuffing.kind = (uint8_t)chance_below(chance, 3);
    /* Some overlap with themselves. */
    static const char *const delimiters[] = {"\xFE\xFD\xFE\xFD", "\xFE\xFE\xFE\xFE", "\xFE\xFE\xFD\xFE"};
    arguments->delimiter_size = arguments->stuffing.kind ? 2 : chance_below(chance, 5);
    memcpy(arguments->delimiter, delimiters[arguments->stuffing.kind ? 0 : chance_below(chance, 3)], 4);
    arguments->padding = chance_below(chance, 3) * 7;
    return each;
}

/* The arguments point into the sample, which has its place only now. */
static void settle(sample *each) { each->arguments.fields = each->fields; }

static void let_go(sample *each) {
    for (size_t i = 0; i < MOST_FIELDS; i++)
        free(each->values[i]);
    free(each->algorithm);
    free(each->offsets);
    free(each->data);
}

/* Whether a search from after the first delimiter on, or from within it, finds the row between the two. */
static bool stands_alone(const uint8_t *row, size_t size, const uint8_t *delimiter, size_t width) {
    size_t length = size + 2 * width, at = 1;
    uint8_t *whole = exactly(length);
    memcpy(whole, delimiter, width);
    memcpy(whole + width, row, size);
    memcpy(whole + width + size, delimiter, width);
    while (memcmp(whole + at, delimiter, width) != 0)
        at++;
    free(whole);
    return size && at == width + size;
}

/* One row; its size, or WL_NOT_FOUND where it cannot be written. */
static size_t plain_row(const sample *each, size_t row, uint8_t *out) {
    const wl_encode_arguments *arguments = &each->arguments;
    int32_t from = 0, to = 0;
    uint8_t *bare = exactly(4096);
    size_t at = 0, checksum = 0, wire;
    unsigned kind = WL_U4LE;
    if (arguments->offsets) {
        memcpy(&from, arguments->offsets + 4 * row, 4);
        memcpy(&to, arguments->offsets + 4 * row + 4, 4);
    }
    for (size_t i = 0; i < arguments->field_count; i++) {
        const wl_encode_field *field = arguments->fields + i;
        unsigned size = sizes[field->kind];
        if (field->holds == WL_HOLDS_COLUMN) {
            uint64_t value = 0;
            memcpy(&value, field->values + row * size, size);
            plain_put(bare + at, field->kind, value);
        } else if (field->holds == WL_HOLDS_SIZE) {
            uint64_t value = (uint64_t)(to - from) + (uint64_t)field->added;
            if (size < 8 && value >> 8 * size)
                return free(bare), WL_NOT_FOUND;
            plain_put(bare + at, field->kind, value);
        } else {
            memset(bare + at, arguments->replace, size);
            checksum = at;
            kind = field->kind;
        }
        at += size;
    }
    for (int32_t i = from; i < to; i++)
        bare[at++] = arguments->data[i];
    if (arguments->algorithm) {
        size_t end = arguments->end < at ? arguments->end : at;
        uint32_t state = (uint32_t)arguments->algorithm->initial;
        if (arguments->begin < end)
            state = plain_crc((uint32_t)arguments->algorithm->crc->polynomial, state, bare + arguments->begin,
                              end - arguments->begin);
        plain_put(bare + checksum, kind, state ^ arguments->algorithm->of.final_xor);
    }
    if (arguments->stuffing.kind == WL_STUFFING_WORD) {
        wire = wl_word_stuff(bare, at, out);
    } else if (arguments->stuffing.kind == WL_STUFFING_COBS) {
        wire = wl_cobs_stuff(bare, at, out);
    } else {
        wire = at;
        memcpy(out, bare, at);
        if (arguments->delimiter_size && !stands_alone(bare, at, arguments->delimiter, arguments->delimiter_size))
            wire = WL_NOT_FOUND;
    }
    free(bare);
    if (wire == WL_NOT_FOUND || wire > arguments->max_record)
        return WL_NOT_FOUND;
    memcpy(out + wire, arguments->delimiter, arguments->delimiter_size);
    memset(out + wire + arguments->delimiter_size, 0, arguments->padding);
    return wire + arguments->delimiter_size + arguments->padding;
}

/* Rows come out as the twin makes them, whatever room there is at a time. */
static void test_rows(void) {
    source_of_chance chance = {31};
    for (size_t turn = 0; turn < 1500; turn++) {
        sample each = make(&chance);
        settle(&each);
        size_t row = 0, rows = each.arguments.rows, room = chance_below(&chance, 250 * rows);
        while (row < rows) {
            uint8_t *out = exactly(room), *expected = exactly(8192);
            wl_encode_result result;
            CHECK(wl_encode(&each.arguments, row, out, room, &result));
            CHECK(result.rows <= rows - row && result.size <= room);
            size_t at = 0;
            for (size_t i = 0; i < result.rows; i++) {
                size_t size = plain_row(&each, row + i, expected);
                CHECK(size != WL_NOT_FOUND && size <= result.size - at);
                CHECK(!memcmp(out + at, expected, size));
                at += size;
            }
            CHECK(at == result.size);
            row += result.rows;
            CHECK((result.status == WL_ENCODED) == (row == rows));
            if (result.status == WL_ENCODE_REFUSED) {
                CHECK(plain_row(&each, row, expected) == WL_NOT_FOUND);
                row++;
            } else if (result.status == WL_ENCODE_NO_ROOM) {
                CHECK(result.needed > room - result.size && result.needed < 8192);
                room = result.needed;
            }
            free(out);
            free(expected);
        }
        let_go(&each);
    }
}

/* Offsets that lead anywhere: nothing outside of the buffers is read, as the sanitizer would see. */
static void test_offsets_that_are_none(void) {
    source_of_chance chance = {32};
    for (size_t turn = 0; turn < 2000; turn++) {
        sample each = make(&chance);
        settle(&each);
        if (each.offsets) {
            int32_t value = (int32_t)chance_next(&chance);
            if (chance_below(&chance, 2))
                value %= 2000;
            memcpy(each.offsets + 4 * chance_below(&chance, each.arguments.rows + 1), &value, 4);
        }
        size_t room = each.arguments.rows * 1700;
        uint8_t *out = exactly(room);
        wl_encode_result result;
        CHECK(wl_encode(&each.arguments, 0, out, room, &result));
        CHECK(result.size <= room);
        free(out);
        let_go(&each);
    }
}

/* Rows about as long as the longest first block of word stuffing, with a delimiter about where that ends: some are put
 * together elsewhere than they will stand, and so are those after them. */
static void test_ends_of_first_blocks(void) {
    enum { ROWS = 8, LEAST = 246, SPAN = 12 };
    source_of_chance chance = {33};
    for (size_t turn = 0; turn < 3 * SPAN * SPAN; turn++) {
        size_t size = LEAST + turn % SPAN, found = LEAST - 2 + turn / SPAN % SPAN, all = ROWS * size;
        uint8_t *offsets = exactly(4 * (ROWS + 1)), *data = exactly(all + 64 * (turn & 1)), expected[2 * (size + 8)];
        memset(data, 'x', all);
        for (size_t i = 0; i <= ROWS; i++) {
            int32_t begin = (int32_t)(i * size);
            memcpy(offsets + 4 * i, &begin, 4);
            if (i < ROWS && found + 2 <= size && chance_below(&chance, 2))
                memcpy(data + i * size + found, "\xFE\xFD", 2);
        }
        wl_encode_arguments arguments = {.offsets = offsets,
                                         .data = data,
                                         .data_size = all + 64 * (turn & 1),
                                         .rows = ROWS,
                                         .delimiter = {0xFE, 0xFD},
                                         .delimiter_size = 2,
                                         .stuffing = {.kind = turn % 3 ? WL_STUFFING_WORD : WL_STUFFING_COBS},
                                         .max_record = INT32_MAX};
        size_t room = ROWS * (size + 8), at = 0, largest = 0;
        uint8_t *out = exactly(room);
        wl_encode_result result;
        CHECK(wl_encode(&arguments, 0, out, room, &result));
        CHECK(result.status == WL_ENCODED && result.rows == ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            size_t wire = turn % 3 ? wl_word_stuff(data + i * size, size, expected)
                                   : wl_cobs_stuff(data + i * size, size, expected);
            CHECK(!memcmp(out + at, expected, wire) && !memcmp(out + at + wire, "\xFE\xFD", 2));
            at += wire + 2;
            largest = wire > largest ? wire : largest;
        }
        CHECK(at == result.size);
        arguments.max_record = largest;
        CHECK(wl_encode(&arguments, 0, out, room, &result) && result.status == WL_ENCODED);
        arguments.max_record = largest - 1;
        CHECK(wl_encode(&arguments, 0, out, room, &result) && result.status == WL_ENCODE_REFUSED);
        free(out);
        free(data);
        free(offsets);
    }
}

/* Rows about as large as a block, and larger ones, each with a short one after it. */
static void test_long_rows(void) {
    static const size_t large[] = {8180, 8185, 8186, 8187, 8188, 8189, 8190, 8191, 8192, 8193, 20000, 70000};
    for (size_t turn = 0; turn < 12 * sizeof large / sizeof *large; turn++) {
        size_t size = large[turn / 12], all = size + 9, every = turn % 4 == 0 ? all : turn % 4 * 255;
        uint8_t *data = exactly(all), *offsets = exactly(12), *expected = exactly(2 * all + 16);
        int32_t ends[] = {0, (int32_t)size, (int32_t)all};
        bool words = turn / 4 % 3;
        memcpy(offsets, ends, 12);
        memset(data, 'x', all);
        for (size_t i = every; i + 2 <= all; i += every)
            memcpy(data + i, words ? "\xFE\xFD" : "\0", words ? 2 : 1);
        wl_encode_arguments arguments = {.offsets = offsets,
                                         .data = data,
                                         .data_size = all,
                                         .rows = 2,
                                         .delimiter = {words ? 0xFE : 0, 0xFD},
                                         .delimiter_size = words ? 2 : 1,
                                         .stuffing = {.kind = words ? WL_STUFFING_WORD : WL_STUFFING_COBS},
                                         .max_record = INT32_MAX};
        size_t room = 2 * all + 16, at = 0;
        uint8_t *out = exactly(room);
        wl_encode_result result;
        CHECK(wl_encode(&arguments, 0, out, room, &result) && result.rows == 2);
        for (size_t i = 0; i < 2; i++) {
            size_t plain = (size_t)(ends[i + 1] - ends[i]);
            size_t wire =
                words ? wl_word_stuff(data + ends[i], plain, expected) : wl_cobs_stuff(data + ends[i], plain, expected);
            CHECK(!memcmp(out + at, expected, wire));
            CHECK(!memcmp(out + at + wire, arguments.delimiter, arguments.delimiter_size));
            at += wire + arguments.delimiter_size;
        }
        CHECK(at == result.size);
        free(out);
        free(expected);
        free(offsets);
        free(data);
    }
}

static void test_all(void) {
    test_rows();
    test_long_rows();
    test_ends_of_first_blocks();
    test_offsets_that_are_none();
}

int main(void) {
    char message[256];
    CHECK(wl_start(NULL, message, sizeof message));
    for_every_level(test_all);
    return 0;
}
