/* A fuzz target in libFuzzer's form: an index over a window of long runs and text, and what it is asked.
 *
 * Every answer has to be that of going through the range byte by byte. The same index answers all the questions of an
 * input, more of them than it has tables for. */
#include "drive.h"

#define LONGEST 16384
#define MOST_QUESTIONS 200

/* The bytes of a window, one part after another: each begins where the one before ends, inside a character as well. */
static size_t put_part(taker *bytes, source_of_chance *chance, uint8_t *out, size_t room) {
    static const char *const texts[] = {"a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF0\x90\x80\x80z"};
    static const char *const broken[] = {"\x80", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC0\x80"};
    unsigned kind = take_below(bytes, 5), value = take(bytes);
    size_t size = wl_smaller(room, 1 + (size_t)take(bytes) * (kind == 4 ? 1 : 16));
    const char *text = kind == 1 ? texts[value % 5] : broken[value % 6];
    size_t length = strlen(text);
    for (size_t i = 0; i < size; i++) {
        switch (kind) {
        case 0:
            out[i] = (uint8_t)value;
            break;
        case 2:
            out[i] = (uint8_t)chance_next(chance);
            break;
        case 3:
            out[i] = 'a' + (uint8_t)(chance_next(chance) % 26);
            break;
        default:
            out[i] = (uint8_t)text[i % length];
        }
    }
    return kind == 4 ? wl_smaller(size, length) : size;
}

/* Any place, or at or right after the next byte there that is `value`, or that is another. */
static size_t place(taker *bytes, const uint8_t *window, size_t size, uint8_t value) {
    size_t number = take(bytes) | (size_t)take(bytes) << 8, at = number % (size + 1);
    unsigned choice = take_below(bytes, 8);
    if (choice >= 4)
        return at;
    while (at < size && (window[at] == value) == (choice & 1))
        at++;
    return wl_smaller(size, at + (choice >> 1));
}

static const uint8_t *plain_find(const uint8_t *from, const uint8_t *to, uint8_t value) {
    for (; from < to; from++) {
        if (*from == value)
            return from;
    }
    return NULL;
}

static size_t plain_trim(const uint8_t *from, size_t size, uint8_t value) {
    while (size && from[size - 1] == value)
        size--;
    return size;
}

static bool plain_text(bool ascii, const uint8_t *from, const uint8_t *to) {
    for (size_t step; from < to; from += step) {
        step = ascii ? *from < 0x80 : wl_text_character(from, (size_t)(to - from));
        if (!step)
            return false;
    }
    return true;
}

enum { CRCS = 3 };
static wl_algorithm algorithms[CRCS];
static wl_checksum checksums[CRCS];

/* The parts of a run that an index uses. */
static wl_run *make_run(const wl_program *program) {
    const wl_sum_parameters parameters[CRCS] = {
        crc_of(CRC32C, 0, 0),
        crc_of(CRC32, 0, 0),
        {.family = WL_CRC, .width = 61, .unit = 1, .polynomial = 0x123456789ABCD},
    };
    wl_run *run = calloc(1, sizeof *run);
    CHECK(run != NULL);
    for (size_t i = 0; i < CRCS; i++) {
        CHECK(wl_algorithm_make(algorithms + i, parameters + i));
        checksums[i] = (wl_checksum){
            .algorithm = algorithms + i, .update = algorithms[i].update, .tables = algorithms[i].tables};
    }
    run->program = program;
    run->checksums = checksums;
    return run;
}

static void ask_crc(wl_index *index, taker *bytes, const uint8_t *from, const uint8_t *to) {
    const wl_checksum *checksum = checksums + take_below(bytes, CRCS);
    uint64_t state = take(bytes) * UINT64_C(0x0101010101010101) >> (64 - checksum->algorithm->of.width);
    CHECK(wl_index_crc(index, checksum, state, from, to) ==
          checksum->update(state, from, (size_t)(to - from), checksum->tables));
}

static void ask(wl_index *index, taker *bytes, const uint8_t *window, size_t size) {
    unsigned question = take_below(bytes, 4);
    uint8_t value = (uint8_t)take(bytes);
    size_t one = place(bytes, window, size, value), other = place(bytes, window, size, value);
    const uint8_t *from = window + wl_smaller(one, other), *to = window + (one > other ? one : other);
    if (question == 2 && take_below(bytes, 2)) {
        /* The only byte that stays is the first. */
        for (from = to; from > window && from[-1] == value;)
            from--;
        from -= from > window;
    }
    if (question == 0)
        ask_crc(index, bytes, from, to);
    else if (question == 1)
        CHECK(wl_index_find(index, value, from, to) == plain_find(from, to, value));
    else if (question == 2)
        CHECK(wl_index_trim(index, value, from, (size_t)(to - from)) == plain_trim(from, (size_t)(to - from), value));
    else
        CHECK(wl_index_is_text(index, value & 1, from, (size_t)(to - from)) == plain_text(value & 1, from, to));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    taker bytes = {data, data + size};
    choose_level(take(&bytes));
    unsigned parts = 1 + take_below(&bytes, 40), questions = 1 + take_below(&bytes, MOST_QUESTIONS);
    source_of_chance chance = {1 + take(&bytes)};
    uint8_t *all = exactly(LONGEST);
    size_t used = 0;
    for (; parts && used < LONGEST; parts--)
        used += put_part(&bytes, &chance, all + used, LONGEST - used);
    uint8_t *window = copy_of(all, used);
    free(all);
    const wl_program program = {.rule_count = CRCS};
    wl_run *run = make_run(&program);
    wl_index *index = wl_index_make(run, window, window + used);
    CHECK(index != NULL);
    for (; questions; questions--)
        ask(index, &bytes, window, used);
    wl_index_free(index);
    wl_algorithm_free(algorithms + CRCS - 1);
    free(run);
    free(window);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) { return drive(count, arguments, "\0\1\2\3\4az\xFF", 8); }
#endif
