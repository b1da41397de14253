/* A fuzz target in libFuzzer's form: programs with rows inside of units, loops, lists, structs and sub-streams, over an
 * input from the same bytes, read at once and in pieces. As fuzz_fill.c otherwise: fuzz_units [ROUNDS [SEED]].
 * Both ways of reading must give the same rows, items and damages. */
#include "drive.h"
#include "expression.h"

#define LONGEST_INPUT 3000
#define DEEPEST 5
/* Spans of bytes that are found, and all of them. */
#define FOUND 3
#define SPANS 5

static size_t programs_run, rows_read, rows_damaged;

/* The columns: fixed, variable and a list of rows, then of the items of that list, then of those of a list in it. */
enum { BYTE, TEXT, LIST, STRUCT, WORD, ITEM_SHORT, ITEM_TEXT, ITEM_LIST, INNER, COLUMNS };
static const uint8_t storages[COLUMNS] = {1, WL_VARIABLE, WL_LIST, WL_STRUCT, 8, 2, WL_VARIABLE, WL_LIST, 4};
static const uint8_t levels[COLUMNS] = {0, 0, 0, 0, 0, 1, 1, 1, 2};

typedef struct {
    draft it;
    taker *bytes;
    bool has_rows;
    unsigned functions;
    bool in_function, bounded; /* in one, and whether it reads to the end of a stream */
    bool needs_end[2];         /* of each function: whether it does */
    unsigned rows;
    bool listed[3]; /* levels that have their list in this row */
    unsigned limits;
} author;

static void write_body(author *by, int level, bool in_row, unsigned depth);

static unsigned choose(author *by, unsigned count) { return take_below(by->bytes, count); }
static void step(author *by, unsigned op, unsigned a, uint32_t b, int64_t c, int64_t d) {
    draft_step(&by->it, op, a, b, c, d);
}

/* Whether the stream has an end of its own, to which a loop may go. */
static bool has_end(const author *by) {
    return by->limits || (by->in_function ? by->bounded : by->it.delimiter_size || by->it.whole);
}

static void write_loop(author *by, int level, bool in_row, unsigned depth) {
    unsigned number = by->it.loops++, first = (unsigned)by->it.step_count;
    unsigned kind = has_end(by) ? choose(by, 3) : choose(by, 2) * 2;
    unsigned counter = 2 + choose(by, 4);
    step(by, WL_OP_LOOP, number, kind, 0, counter);
    if (choose(by, 4) == 0)
        step(by, WL_OP_INDEX, 2 + choose(by, 4), number, 0, 0);
    write_body(by, level, in_row, depth);
    step(by, WL_OP_AGAIN, number, kind, first + 1, counter);
    by->it.steps[first].c = (int64_t)by->it.step_count;
}

static void write_limit(author *by, int level, bool in_row, unsigned depth) {
    unsigned contains = in_row || level >= 0 ? 0 : choose(by, 3);
    contains += contains == 2;
    bool is_span = false;
    if (!by->in_function && choose(by, 4) == 0)
        contains = WL_LIMIT_REFUSES;
    bool refuses = contains == WL_LIMIT_REFUSES; /* and then there are no rows in it */
    if (choose(by, 3))
        step(by, WL_OP_LIMIT_REGISTER, choose(by, 6), contains, (int64_t)choose(by, 5) - 1, 0);
    else if (has_end(by) && choose(by, 3) == 0)
        step(by, WL_OP_LIMIT_FIXED, 1, contains, 0, 0);
    else if (!by->in_function && choose(by, 3) == 0) {
        step(by, WL_OP_LIMIT_SPAN, choose(by, 3), contains, (int64_t)choose(by, 4) - 1, 0);
        is_span = true;
    } else
        step(by, WL_OP_LIMIT_FIXED, 0, contains, 1 + choose(by, 12), 0);
    by->limits++;
    if (!by->in_function && !is_span && choose(by, 3) == 0) {
        step(by, WL_OP_MARK, choose(by, 3), 2, 0, 0);
        if (choose(by, 3) == 0)
            step(by, WL_OP_CHECKSUM, 0, choose(by, 6), choose(by, 3), choose(by, 3));
        const unsigned lost = choose(by, 2);
        step(by, WL_OP_EXPAND, choose(by, 3), lost, choose(by, 6), (int64_t)choose(by, 12) - 6 < 0 ? -1 : 2);
        refuses |= !contains && !lost;
    }
    write_body(by, level, in_row || refuses, depth);
    step(by, WL_OP_LIMIT_END, 0, 0, 0, 0);
    by->limits--;
}

static void write_seek(author *by, int level, bool in_row, unsigned depth) {
    if (!by->it.whole && !by->limits)
        return;
    step(by, WL_OP_SEEK, choose(by, 6), 0, by->it.whole ? choose(by, by->limits + 1) : 1 + choose(by, by->limits), 0);
    by->limits++;
    write_body(by, level, in_row, depth);
    step(by, WL_OP_LIMIT_END, 0, 0, 0, 0);
    by->limits--;
}

/* What may fail without the row: registers and spans, and nothing that a function may not hold. */
static void write_attempt(author *by, int level, unsigned depth) {
    const unsigned reason = 2 + choose(by, 4);
    if (by->in_function || level > 0 || !has_end(by))
        return;
    step(by, WL_OP_ATTEMPT, reason, 0, 0, 0);
    by->limits++;
    by->in_function = true;
    write_body(by, -1, true, depth);
    by->in_function = false;
    by->limits--;
    step(by, WL_OP_ATTEMPT_END, reason, 0, 0, 0);
    if (level == 0)
        step(by, WL_OP_REFUSE, choose(by, 6), choose(by, COLUMNS + 1), 0, 0);
}

static void write_list(author *by, int level, unsigned depth) {
    unsigned column = level == 0 ? LIST : ITEM_LIST, inner = (unsigned)level + 1;
    if (level > 1 || by->listed[inner])
        return;
    by->listed[inner] = true;
    step(by, WL_OP_LIST, column, inner, 0, 0);
    unsigned number = by->it.loops++, first = (unsigned)by->it.step_count, counter = 2 + choose(by, 4);
    unsigned kind = has_end(by) ? choose(by, 2) : WL_LOOP_COUNT;
    step(by, WL_OP_LOOP, number, kind, 0, counter);
    step(by, WL_OP_ITEM, 0, inner, 0, 0);
    write_body(by, (int)inner, true, depth);
    step(by, WL_OP_ITEM_END, 0, inner, 0, 0);
    step(by, WL_OP_AGAIN, number, kind, first + 1, counter);
    by->it.steps[first].c = (int64_t)by->it.step_count;
    step(by, WL_OP_LIST_END, column, inner, 0, 0);
}

/* A list's values, and expressions about them, about bytes and about text. */
static void write_series(author *by) {
    unsigned series = choose(by, 2), span = choose(by, SPANS), at = (unsigned)by->it.constant_size;
    uint8_t *code = by->it.constants + at;
    static const uint8_t codes[] = {CODE_SERIES_SIZE, CODE_SERIES_LEAST, CODE_SERIES_GREATEST, CODE_SERIES_ITEM,
                                    CODE_SPAN_BYTE, CODE_SPAN_NUMBER, CODE_SPAN_COMPARE, CODE_SPAN_LENGTH};
    uint8_t each = codes[choose(by, sizeof codes)];
    size_t size = 0;
    if (!by->in_function && choose(by, 4) == 0)
        step(by, WL_OP_SERIES, series, 0, 0, 0);
    if (!by->in_function)
        step(by, WL_OP_SERIES_ADD, series, choose(by, 6), 0, 0);
    if (at > sizeof by->it.constants - 8)
        return;
    if (wl_code_takes(each)) {
        code[size++] = CODE_REGISTER;
        code[size++] = (uint8_t)choose(by, 6);
        code[size++] = 0;
    }
    code[size++] = each;
    code[size++] = (uint8_t)(each >= CODE_SPAN_BYTE ? span : series);
    code[size++] = 0;
    if (each == CODE_SPAN_NUMBER)
        code[size++] = (uint8_t)(2 + choose(by, 35));
    if (each == CODE_SPAN_COMPARE) {
        code[size++] = (uint8_t)choose(by, SPANS);
        code[size++] = 0;
    }
    by->it.constant_size += size;
    step(by, WL_OP_EXPRESSION, 2 + choose(by, 4), choose(by, 3), at, (int64_t)size);
}

/* Text of bytes that were found, and of other text. */
static void write_text(author *by) {
    const unsigned op = WL_OP_TEXT_CONSTANT + choose(by, WL_OP_SERIES_ADD_TEXT - WL_OP_TEXT_CONSTANT + 1);
    const unsigned made = FOUND + choose(by, SPANS - FOUND), from = choose(by, SPANS), size = choose(by, 4);
    switch (op) {
    case WL_OP_TEXT_CONSTANT:
        if (by->it.constant_size >= size)
            step(by, op, made, 0, (int64_t)by->it.constant_size - size, size);
        break;
    case WL_OP_TEXT_SELECT:
        step(by, op, made, choose(by, 6), from, (int64_t)choose(by, SPANS + 1) - 1);
        break;
    case WL_OP_TEXT_PART:
        step(by, op, made, from, choose(by, 6), choose(by, 6));
        break;
    case WL_OP_TEXT_ITEM:
        step(by, op, made, choose(by, 2), choose(by, 6), 0);
        break;
    case WL_OP_SERIES_ADD_TEXT:
        if (!by->in_function)
            step(by, op, choose(by, 2), choose(by, FOUND), (int64_t)choose(by, 7) - 1, 0);
        break;
    default:
        step(by, op, made, from, choose(by, WL_TEXT_TABLE), 0);
        break;
    }
}

static void write_call(author *by) {
    unsigned number = by->functions ? choose(by, by->functions) : 0;
    if (by->functions && (has_end(by) || !by->needs_end[number]))
        step(by, WL_OP_CALL, number, 0, 0, 0);
}

/* One step that reads or checks something, or writes a column of the level. */
static void write_simple(author *by, int level) {
    static const uint8_t fixed[] = {BYTE, ITEM_SHORT, INNER}, kinds[] = {WL_U1, WL_S2BE, WL_U4LE};
    unsigned size = level < 0 ? 1 : wl_kind_size(kinds[level]);
    switch (choose(by, 10)) {
    case 0:
    case 1:
        step(by, WL_OP_NEED, size, 0, 0, 0);
        step(by, WL_OP_REGISTER_FIXED, 2 + choose(by, 4), WL_U1, 0, 0);
        if (level >= 0)
            step(by, WL_OP_COLUMN_FIXED, fixed[level], kinds[level], 0, 0);
        break;
    case 2:
        step(by, WL_OP_BYTES_REGISTER, choose(by, 3), choose(by, 6), (int64_t)choose(by, 4) - 2, 0);
        break;
    case 3:
        if (choose(by, 4) == 0)
            step(by, WL_OP_CHECK_UTF8, choose(by, 3), 0, choose(by, WL_TEXT_TABLE), 0);
        if ((level == 0 || level == 1) && choose(by, 3) == 0)
            step(by, WL_OP_COLUMN_TEXT, level ? ITEM_TEXT : TEXT, choose(by, 3), choose(by, WL_TEXT_TABLE), 0);
        else if (level == 0 || level == 1)
            step(by, WL_OP_COLUMN_BYTES, level ? ITEM_TEXT : TEXT, choose(by, SPANS), 0, 0);
        break;
    case 4:
        if (choose(by, 4) == 0)
            step(by, WL_OP_ABSENT, 2 + choose(by, 4), 0, 0, 0);
        if (!by->in_function && choose(by, 4) == 0)
            step(by, WL_OP_VARIABLE, 2 + choose(by, 4), 2 + choose(by, 2), 0, 0);
        if (!by->in_function && choose(by, 4) == 0)
            step(by, WL_OP_SET, 2 + choose(by, 4), choose(by, 6), (int64_t)choose(by, 2) * 4 - 1, 0);
        if (!by->in_function && choose(by, 4) == 0)
            step(by, WL_OP_APPEND, 0, choose(by, 6), 2, 2 + choose(by, 4));
        if (!by->in_function && choose(by, 4) == 0)
            step(by, WL_OP_ITEM_OF, 2 + choose(by, 4), 0, choose(by, 6), 2);
        if (!by->in_function && choose(by, 4) == 0)
            step(by, WL_OP_SET_ENTRY, 1, choose(by, 6), 4, choose(by, 6));
        if (!by->in_function && choose(by, 4) == 0)
            step(by, WL_OP_ENTRY_OF, 2 + choose(by, 4), 1, choose(by, 6), 4);
        if (choose(by, 4) == 0)
            step(by, WL_OP_SLICE, choose(by, 3), choose(by, 3), choose(by, 6), choose(by, 6));
        step(by, WL_OP_CHECK_RANGE, choose(by, 6), choose(by, 2) | (1 + choose(by, 7)) << 8, -3, choose(by, 256));
        break;
    case 5:
        if (choose(by, 2))
            step(by, WL_OP_MARK, choose(by, 3), 1, 0, 0);
        else if (by->limits && choose(by, 2))
            step(by, WL_OP_STREAM, 2 + choose(by, 4), 1, 1 + choose(by, by->limits), 0);
        else if (by->limits && choose(by, 2))
            step(by, WL_OP_STREAM, 2 + choose(by, 4), 2, choose(by, by->limits), 0);
        else
            step(by, WL_OP_STREAM, 2 + choose(by, 4), 0, by->limits, 0);
        break;
    case 6:
        if (!by->in_function && choose(by, 2))
            step(by, WL_OP_RUNNING_CHECKSUM, 2 + choose(by, 4), choose(by, 2), 2 + choose(by, 4), choose(by, 3));
        step(by, WL_OP_CHECKSUM, choose(by, 2), choose(by, 6), choose(by, 3), choose(by, 3));
        if (!by->in_function && choose(by, 2))
            step(by, WL_OP_SET_RUNNING_CHECKSUM, choose(by, 2), choose(by, 6), 0, 0);
        break;
    case 7:
        if (level == 0 && choose(by, 2))
            step(by, WL_OP_COLUMN_REGISTER, WORD, choose(by, 6), WL_U8LE, 0);
        else if (level >= 0)
            step(by, WL_OP_COLUMN_NULL, fixed[level], 0, 0, 0);
        break;
    case 8:
        if (choose(by, 3) == 0)
            write_text(by);
        else if (choose(by, 2))
            draft_varint(&by->it, by->bytes, 2 + choose(by, 4));
        else
            write_series(by);
        break;
    default:
        if (level == 0)
            step(by, WL_OP_COLUMN_STRUCT, STRUCT, 0, 0, 0);
        else
            write_call(by);
        break;
    }
}

static void write_skip(author *by, int level) {
    size_t skip = by->it.step_count;
    step(by, WL_OP_SKIP_IF_ZERO, choose(by, 6), choose(by, 2), 0, 0);
    write_simple(by, level);
    by->it.steps[skip].c = (int64_t)by->it.step_count;
}

static void write_body(author *by, int level, bool in_row, unsigned depth) {
    if (choose(by, 8)) {
        step(by, WL_OP_NEED, 1, 0, 0, 0);
        step(by, WL_OP_REGISTER_FIXED, 2 + choose(by, 4), WL_U1, 0, 0);
    }
    bool in_unit = !in_row && level < 0 && choose(by, 3) == 0;
    if (in_unit)
        step(by, WL_OP_UNIT, 0, choose(by, 2), 0, 0);
    for (unsigned i = 1 + choose(by, 5); i && by->it.step_count < 200; i--) {
        unsigned choice = depth < DEEPEST ? choose(by, 10) : 9;
        if (choice == 9 && depth < DEEPEST && by->limits < 8 && choose(by, 3) == 0)
            write_seek(by, level, in_row, depth + 1);
        else if (choice == 9 && depth < DEEPEST && by->limits < 8 && choose(by, 2))
            write_attempt(by, level, depth + 1);
        else if (choice == 0 && by->it.loops < WL_MOST_LOOPS)
            write_loop(by, level, in_row, depth + 1);
        else if (choice == 1 && by->limits < 8)
            write_limit(by, level, in_row, depth + 1);
        else if (choice == 2 && level >= 0 && by->it.loops < WL_MOST_LOOPS)
            write_list(by, level, depth + 1);
        else if (choice <= 4 && by->has_rows && !in_row && level < 0 && by->rows < 3) {
            by->rows++;
            memset(by->listed, 0, sizeof by->listed);
            step(by, WL_OP_ROW, 0, 0, 0, 0);
            write_body(by, 0, true, depth + 1);
            if (choose(by, 3) == 0)
                step(by, WL_OP_WHERE, choose(by, 6), choose(by, 4) ? WL_REASON_NONE : WL_REASON_UNSUPPORTED, 0, 0);
            step(by, WL_OP_ROW_END, 0, 0, 0, 0);
        } else if (choice == 5)
            write_skip(by, level);
        else
            write_simple(by, level);
    }
    if (in_unit)
        step(by, WL_OP_UNIT_END, 0, 0, 0, 0);
}

/* Functions that call each other, after the steps of rows. */
static void write_functions(author *by) {
    for (unsigned i = 0; i < by->functions; i++) {
        const int64_t loops = (int64_t)by->it.loops;
        const unsigned first = (unsigned)by->it.step_count;
        by->in_function = true;
        by->bounded = by->needs_end[i];
        step(by, WL_OP_FUNCTION, i, by->bounded, (int64_t)(2 + choose(by, 2)) | 6 << 16 | (int64_t)SPANS << 48, 0);
        write_body(by, -1, true, 2);
        by->it.steps[first].d = (int64_t)3 << 16 | loops << 32 | (int64_t)by->it.loops << 48;
        step(by, WL_OP_RETURN, 0, 0, 0, 0);
    }
}

static draft write_program(taker *bytes) {
    author by = {.it = {.registers = 6,
                        .spans = SPANS,
                        .marks = 3,
                        .input_registers = 2,
                        .rule_count = 2,
                        .carried_value_count = 5,
                        .store_count = 2,
                        .series_count = 2,
                        .column_count = COLUMNS,
                        .level_count = 2},
                 .bytes = bytes};
    memcpy(by.it.storages, storages, COLUMNS);
    memcpy(by.it.levels, levels, COLUMNS);
    by.it.rules[0] = sum_rule(crc_of(CRC32C, 0, 0), -1, 0, 0);
    by.it.rules[1] = sum_rule(crc_of(CRC32C, 0, 0), -1, 0, 0);
    by.it.rules[1].start = 2;
    by.has_rows = choose(&by, 4) != 0;
    if (choose(&by, 4) == 0) {
        by.it.delimiter_size = 1;
        by.it.stuffing = choose(&by, 2) ? WL_STUFFING_COBS : WL_STUFFING_NONE;
    } else {
        by.it.whole = by.has_rows && choose(&by, 2) == 0;
    }
    by.functions = choose(&by, 3);
    by.needs_end[0] = choose(&by, 2);
    by.needs_end[1] = choose(&by, 2);
    write_body(&by, by.has_rows ? -1 : 0, !by.has_rows, 0);
    if (by.has_rows && !by.rows) {
        step(&by, WL_OP_ROW, 0, 0, 0, 0);
        step(&by, WL_OP_ROW_END, 0, 0, 0, 0);
    }
    step(&by, WL_OP_END, 0, 0, 0, 0);
    write_functions(&by);
    return by.it;
}

static void try_resync(const wl_program *program, const feed *how) {
    bool found;
    size_t index;
    wl_fill_arguments arguments = {.source = how->input,
                                   .end = how->size,
                                   .at_end = true,
                                   .stop = -1,
                                   .padding = how->padding,
                                   .max_record = how->max_record,
                                   .input_registers = how->input_registers,
                                   .expander = &repeating,
                                   .max_items = how->max_items};
    CHECK(wl_resync(program, &arguments, &found, &index) && index <= how->size);
    CHECK(contents_held == 0);
}

static void try_program(const wl_program *program, taker *bytes) {
    wl_integer input_registers[2] = {(wl_integer)take_below(bytes, 9), 1};
    feed whole = {.capacity = 200,
                  .room = 200,
                  .damages = 100,
                  .max_record = 1 + take(bytes) * 16,
                  .wanted = take(bytes) | (uint32_t)take(bytes) << 8,
                  .stop = -1,
                  .input_registers = input_registers};
    whole.verify = take_below(bytes, 4) != 0;
    whole.null_rows = take_below(bytes, 2);
    whole.padding = take_below(bytes, 3) ? 0 : take_below(bytes, 5);
    whole.predicate = take_below(bytes, 2) ? take(bytes) : 0;
    feed pieces = whole;
    whole.max_items = pieces.max_items = take(bytes);
    pieces.chunk = 1 + take_below(bytes, 50);
    pieces.capacity = 1 + take_below(bytes, 10);
    pieces.room = take_below(bytes, 30);
    pieces.damages = 1 + take_below(bytes, 3);
    size_t size = wl_smaller((size_t)(bytes->end - bytes->at), LONGEST_INPUT);
    uint8_t *input = copy_of(bytes->at, size);
    whole.input = pieces.input = input;
    whole.size = pieces.size = size;
    feed singly = whole;
    singly.row_by_row = true;
    outcome left = read_all(program, &whole), right = read_all(program, &pieces), single = read_all(program, &singly);
    programs_run++;
    rows_read += left.rows + left.dropped;
    rows_damaged += left.damaged;
    CHECK(same_outcome(&left, &right));
    CHECK(same_outcome(&left, &single));
    free(left.bytes);
    free(right.bytes);
    free(single.bytes);
    if (!wl_program_delimited(program))
        try_resync(program, &whole);
    free(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool started;
    char message[256];
    taker bytes = {data, data + size};
    if (!started)
        CHECK(started = wl_start(NULL, message, sizeof message));
    draft written = write_program(&bytes);
    size_t length;
    uint8_t *packed = draft_pack(&written, &length);
    wl_program *program = wl_program_load(packed, length, message, sizeof message);
    free(packed);
    if (!program)
        fprintf(stderr, "refused: %s\n", message);
    CHECK(program != NULL);
    try_program(program, &bytes);
    wl_program_free(program);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) {
    size_t rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 3000;
    source_of_chance chance = {count > 2 ? strtoul(arguments[2], NULL, 10) : 1};
    for (size_t round = 0; round < rounds; round++) {
        size_t size = 200 + chance_below(&chance, 600), small = chance_below(&chance, 4);
        uint8_t *bytes = exactly(size);
        for (size_t i = 0; i < size; i++) {
            uint64_t number = chance_next(&chance) >> 20;
            bytes[i] = i >= 120 && number % 4 < small ? (uint8_t)(number >> 8 & 7) : (uint8_t)(number >> 8);
        }
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    printf("%zu programs, %zu rows, %zu damaged\n", programs_run, rows_read, rows_damaged);
    CHECK(rounds < 1000 || (rows_read > rounds / 2 && rows_damaged > rounds / 8));
    return 0;
}
#endif
