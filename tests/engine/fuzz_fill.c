/* A fuzz target in libFuzzer's form: a program and an input from the same bytes, read at once and in pieces.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -Iruntime/engine -Itests/engine \
 *         tests/engine/fuzz_fill.c tests/engine/check.c tests/engine/feed.c runtime/engine/[a-z]*.c
 *
 * Compiled with -DWITH_MAIN it drives itself, by random bytes from a seed: fuzz_fill [ROUNDS [SEED]].
 * Beside what the sanitizers see, the read in pieces must give exactly what the read at once gives, and so must a read
 * without blocks of rows; resync must find the same row with and without more input to come. */
#include "drive.h"

#define LONGEST_INPUT 12000

/* What came of it all, so that the driver can tell a target that tests something from one that does not. */
static size_t programs_run, rows_read, rows_damaged;

/* A program that is mostly right ----------------------------------------------------------------------------------- */

typedef struct {
    draft it;
    int64_t safe; /* bytes that the last NEED covers */
    unsigned depth;
    unsigned jumps[16]; /* steps whose target is still open */
    size_t jump_count;
} author;

static unsigned kind_of_size(taker *bytes, unsigned size) {
    unsigned kind = take_below(bytes, WL_KIND_COUNT);
    while (wl_kind_size(kind) != size)
        kind = (kind + 1) % WL_KIND_COUNT;
    return kind;
}

/* An offset at which `size` bytes are covered, or one that is refused where there is none. */
static int64_t covered(taker *bytes, const author *by, unsigned size) {
    return by->safe >= size ? (int64_t)take_below(bytes, (unsigned)(by->safe - size + 1)) : 0;
}

static void write_expression(taker *bytes, draft *it, unsigned target) {
    size_t begin = it->constant_size, depth = 0;
    while (it->constant_size + 16 < sizeof it->constants && (depth != 1 || take_below(bytes, 3))) {
        uint8_t *code = it->constants + it->constant_size;
        unsigned choice = take_below(bytes, 4);
        if (choice == 0 || depth == 0) {
            *code++ = 1;
            *code++ = (uint8_t)take_below(bytes, 6);
            *code++ = 0;
            depth++;
        } else if (choice == 1) {
            *code++ = take_below(bytes, 2) ? 0 : 25;
            for (int i = 0; i < 8; i++)
                *code++ = i ? (uint8_t)(take_below(bytes, 8) ? 0 : take(bytes)) : (uint8_t)take(bytes);
            depth++;
        } else if (depth >= 2) {
            *code++ = (uint8_t)(3 + take_below(bytes, 18));
            if (code[-1] == 13 || code[-1] == 14)
                depth++;
            depth--;
        } else {
            *code++ = (uint8_t)(13 + take_below(bytes, 2));
        }
        it->constant_size = (size_t)(code - it->constants);
    }
    draft_step(it, WL_OP_EXPRESSION, target, target % 3, (int64_t)begin, (int64_t)(it->constant_size - begin));
}

static void write_column(taker *bytes, author *by) {
    draft *it = &by->it;
    unsigned column = take_below(bytes, (unsigned)it->column_count), storage = it->storages[column];
    unsigned choice = take_below(bytes, 8);
    if (choice == 0)
        draft_step(it, WL_OP_COLUMN_NULL, column, 0, 0, 0);
    else if (storage == WL_VARIABLE)
        draft_step(it, WL_OP_COLUMN_BYTES, column, take_below(bytes, 3), 0, 0);
    else if (choice == 1 && storage == 8)
        draft_step(it, WL_OP_COLUMN_TIMESTAMP, column, take_below(bytes, 6),
                   take_below(bytes, 2 * WL_HAS_ABSENT), take_below(bytes, 9));
    else if (choice < 4)
        draft_step(it, WL_OP_COLUMN_REGISTER, column, take_below(bytes, 6),
                   storage == 1   ? WL_U1
                   : storage == 2 ? WL_S2BE
                   : storage == 4 ? WL_U4LE
                                  : WL_S8LE,
                   0);
    else if (by->safe >= (int64_t)storage)
        draft_step(it, WL_OP_COLUMN_FIXED, column, kind_of_size(bytes, storage), covered(bytes, by, storage), 0);
}

static void write_bytes(taker *bytes, author *by) {
    draft *it = &by->it;
    bool ends = it->delimiter_size || by->depth;
    unsigned span = take_below(bytes, 3);
    switch (take_below(bytes, 7)) {
    case 0:
        draft_step(it, WL_OP_BYTES_FIXED, span, 0, take_below(bytes, 20), 0);
        break;
    case 1:
        if (ends)
            draft_step(it, WL_OP_BYTES_REST, span, 0, 0, 0);
        break;
    case 2:
        draft_step(it, WL_OP_BYTES_TERMINATED, span, take_below(bytes, 4), take_below(bytes, 8) | (ends ? 0 : 4), 0);
        break;
    case 3:
        draft_step(it, WL_OP_TRIM_RIGHT, span, 0, take_below(bytes, 3), 0);
        break;
    case 4:
        draft_step(it, WL_OP_CUT_TERMINATOR, span, take_below(bytes, 2), take_below(bytes, 3), 0);
        break;
    case 5:
        draft_step(it, WL_OP_SKIP_REGISTER, take_below(bytes, 6), 0, (int64_t)take_below(bytes, 9) - 4, 0);
        break;
    default:
        draft_step(it, WL_OP_BYTES_REGISTER, span, take_below(bytes, 6), (int64_t)take_below(bytes, 9) - 4, 0);
        break;
    }
}

/* Some varints side by side, most of which have columns. */
static void write_varints(taker *bytes, author *by) {
    draft *it = &by->it;
    for (unsigned count = 1 + take_below(bytes, 5); count; count--) {
        unsigned number = 2 + take_below(bytes, 4), column = take_below(bytes, (unsigned)it->column_count);
        draft_varint(it, bytes, number);
        if (it->storages[column] == 8)
            draft_step(it, WL_OP_COLUMN_REGISTER, column, number, WL_U8LE, 0);
    }
}

static void write_check(taker *bytes, author *by) {
    draft *it = &by->it;
    unsigned number = take_below(bytes, 6), outcome = take_below(bytes, 2) | (1 + take_below(bytes, 8)) << 8;
    switch (take_below(bytes, 6)) {
    case 0:
        draft_step(it, WL_OP_CHECK_RANGE, number, outcome | take_below(bytes, 2) << 7, -3, 100 + (int64_t)take(bytes));
        break;
    case 1:
        if (take(bytes) & 1)
            draft_step(it, WL_OP_CHECK_TRUE, number, outcome, 0, 0);
        else
            draft_step(it, WL_OP_WHERE, number, outcome & 1 ? WL_REASON_UNSUPPORTED : WL_REASON_NONE, 0, 0);
        break;
    case 2:
        draft_step(it, WL_OP_CHECK_UTF8, number % 3, 0, take_below(bytes, 2), 0);
        break;
    case 3:
        if (by->safe)
            draft_step(it, WL_OP_CHECK_CONSTANT, 0, outcome, covered(bytes, by, 1), 1);
        break;
    default:
        {
            unsigned rule = take_below(bytes, 4);
            draft_step(it, WL_OP_CHECKSUM, rule, rule == 2 ? number % 3 : number, take_below(bytes, 3),
                       take_below(bytes, 3));
        }
        break;
    }
}

static void write_step(taker *bytes, author *by) {
    draft *it = &by->it;
    switch (take_below(bytes, 13)) {
    case 0:
    case 1:
        by->safe = take_below(bytes, 14);
        draft_step(it, WL_OP_NEED, (unsigned)by->safe, 0, 0, 0);
        break;
    case 2:
        if (by->safe) {
            unsigned kind = take_below(bytes, WL_F4LE), size = wl_kind_size(kind);
            if (by->safe >= (int64_t)size)
                draft_step(it, WL_OP_REGISTER_FIXED, 2 + take_below(bytes, 4), kind, covered(bytes, by, size), 0);
        }
        break;
    case 3:
    case 4:
        write_bytes(bytes, by);
        break;
    case 5:
        write_check(bytes, by);
        break;
    case 6:
        draft_step(it, WL_OP_MARK, take_below(bytes, 3), 1, 0, 0);
        break;
    case 7:
        write_expression(bytes, it, 2 + take_below(bytes, 4));
        break;
    case 8:
        if (by->depth == 0 && by->jump_count < 16) {
            by->jumps[by->jump_count++] = (unsigned)it->step_count;
            draft_step(it, take_below(bytes, 8) ? WL_OP_SKIP_IF_ZERO : WL_OP_JUMP, take_below(bytes, 6), 0, 0, 0);
        }
        break;
    case 9:
        if (by->depth) {
            by->depth--;
            draft_step(it, WL_OP_LIMIT_END, 0, 0, 0, 0);
        } else {
            by->depth++;
            if (take_below(bytes, 2))
                draft_step(it, WL_OP_LIMIT_FIXED, 0, 0, take_below(bytes, 20), 0);
            else
                draft_step(it, WL_OP_LIMIT_REGISTER, take_below(bytes, 6), 0, (int64_t)take_below(bytes, 9) - 4, 0);
        }
        break;
    case 10:
        write_varints(bytes, by);
        break;
    default:
        write_column(bytes, by);
        break;
    }
}

/* The register of the sum, which no step uses, shifted by one bit. */
enum { SUM = 6 };
static const uint8_t stored_form[] = {1, SUM, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 12};

/* A checksum as it is, one that covers itself, a digest or a number in a span, and one that continues a register and
 * is stored in another form. */
static void write_rules(taker *bytes, draft *it) {
    static const wl_sum_parameters digests[] = {{.family = WL_MD5, .width = 128, .unit = 1},
                                                {.family = WL_SHA1, .width = 160, .unit = 1},
                                                {.family = WL_SHA256, .width = 256, .unit = 1},
                                                {.family = WL_SHA256D, .width = 256, .unit = 1}};
    const wl_sum_parameters own = take_sum(bytes), crc = crc_of(CRC32, 0xFFFFFFFF, 0);
    it->rules[0] = sum_rule(crc_of(CRC32C, 0xFFFFFFFF, 0xFFFFFFFF), -1, 0, 0);
    it->rules[1] = sum_rule(wl_sums_in_pieces(&own) ? own : crc, (int32_t)take(bytes) - 1, take_below(bytes, 3),
                            take_below(bytes, 17));
    it->rules[2] = sum_rule(take_below(bytes, 2) ? digests[take_below(bytes, 4)] : take_sum(bytes), -1, 0, 0);
    it->rules[2].place = WL_SUM_IN_SPAN_LE + take_below(bytes, 2);
    it->rules[3] = sum_rule(take_sum(bytes), -1, 0, 0);
    it->rules[3].start = take_below(bytes, 3) ? take_below(bytes, 6) : WL_NO_REGISTER;
    it->rules[1].extra = take_below(bytes, 3) ? WL_NO_REGISTER : take_below(bytes, 6);
    it->rules[3].sum = SUM;
    it->rules[3].stored_size = take_below(bytes, 2) ? sizeof stored_form : 0;
    it->rules[3].stored = (uint32_t)it->constant_size;
    memcpy(it->constants + it->constant_size, stored_form, sizeof stored_form);
    it->constant_size += sizeof stored_form;
}

static draft write_program(taker *bytes) {
    static const uint8_t storages[] = {1, 2, 4, 8, WL_VARIABLE, WL_VARIABLE};
    author by = {
        .it = {.registers = SUM + 1, .spans = 3, .marks = 3, .input_registers = take_below(bytes, 3), .rule_count = 4}};
    draft *it = &by.it;
    it->column_count = 1 + take_below(bytes, 5);
    for (size_t i = 0; i < it->column_count; i++)
        it->storages[i] = storages[take_below(bytes, 6)];
    write_rules(bytes, it);
    if (take_below(bytes, 2)) {
        it->stuffing = take_below(bytes, WL_STUFFING_COUNT);
        it->codes = stuffing_of(it->stuffing, (uint8_t)take_below(bytes, 2), (uint8_t)take_below(bytes, 4), 1);
        it->delimiter_size = it->stuffing == WL_STUFFING_WORD ? 2 : 1 + take_below(bytes, 3);
        for (unsigned i = 0; i < 4; i++)
            it->delimiter[i] = it->stuffing == WL_STUFFING_WORD ? (uint8_t)(0xFE - i) : (uint8_t)take_below(bytes, 2);
    }
    for (unsigned i = 4 + take_below(bytes, 20); i && it->step_count < 50; i--)
        write_step(bytes, &by);
    while (by.depth--)
        draft_step(it, WL_OP_LIMIT_END, 0, 0, 0, 0);
    for (size_t i = 0; i < by.jump_count; i++) {
        unsigned from = by.jumps[i];
        it->steps[from].c = from + 1 + take_below(bytes, (unsigned)it->step_count - from);
    }
    draft_step(it, WL_OP_END, 0, 0, 0, 0);
    return by.it;
}

/* One round -------------------------------------------------------------------------------------------------------- */

static void try_resync(const wl_program *program, const feed *how) {
    bool found[2];
    size_t index[2];
    wl_fill_arguments arguments = {.source = how->input,
                                   .end = how->size,
                                   .at_end = true,
                                   .stop = -1,
                                   .padding = how->padding,
                                   .max_record = how->max_record,
                                   .input_registers = how->input_registers};
    CHECK(wl_resync(program, &arguments, found, index));
    arguments.at_end = false;
    CHECK(wl_resync(program, &arguments, found + 1, index + 1));
    CHECK(index[0] <= how->size && index[1] <= how->size);
    CHECK(!found[1] || (found[0] && index[0] == index[1]));
    CHECK(found[1] || !found[0] || index[1] <= index[0]);
}

/* The rest of the bytes, now and then repeated: resync takes other ways through long windows. */
static uint8_t *make_input(taker *bytes, size_t *size) {
    size_t times = take_below(bytes, 8) ? 1 : 2 + take_below(bytes, 60), left = (size_t)(bytes->end - bytes->at);
    *size = wl_smaller(left * times, LONGEST_INPUT);
    uint8_t *input = exactly(*size);
    for (size_t i = 0; i < *size; i++)
        input[i] = bytes->at[i % left];
    return input;
}

static void try_program(const wl_program *program, taker *bytes) {
    wl_integer input_registers[2] = {(wl_integer)take(bytes), (wl_integer)-1};
    feed whole = {.capacity = 1 + take(bytes),
                  .room = take(bytes),
                  .damages = 1 + take_below(bytes, 5),
                  .max_record = 1 + take(bytes) * 16,
                  .wanted = take(bytes),
                  .stop = -1,
                  .input_registers = input_registers};
    whole.verify = take_below(bytes, 4) != 0;
    whole.null_rows = take_below(bytes, 2);
    whole.padding = take_below(bytes, 3) ? 0 : take_below(bytes, 5);
    whole.stop = take_below(bytes, 4) ? -1 : (int64_t)take(bytes);
    whole.predicate = take_below(bytes, 2) ? take(bytes) : 0;
    feed pieces = whole;
    pieces.chunk = 1 + take_below(bytes, 50);
    pieces.capacity = 1 + take_below(bytes, 10);
    pieces.room = take_below(bytes, 30);
    pieces.damages = 1 + take_below(bytes, 3);
    size_t size;
    uint8_t *input = make_input(bytes, &size);
    whole.input = pieces.input = input;
    whole.size = pieces.size = size;
    if (size > 1000)
        pieces.chunk *= 40;
    feed singly = whole;
    singly.row_by_row = true;
    outcome left = read_all(program, &whole), right = read_all(program, &pieces), rows = read_all(program, &singly);
    programs_run++;
    rows_read += left.rows + left.dropped;
    rows_damaged += left.damaged;
    CHECK(same_outcome(&left, &right));
    CHECK(same_outcome(&left, &rows));
    free(rows.bytes);
    free(left.bytes);
    free(right.bytes);
    if (!wl_program_delimited(program))
        try_resync(program, &whole);
    free(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool started;
    char message[256];
    taker bytes = {data, data + size};
    bool raw = take_below(&bytes, 4) == 0;
    if (!started)
        CHECK(started = wl_start(NULL, message, sizeof message));
    wl_program *program;
    if (raw) {
        size_t length = wl_smaller(take(&bytes) * 8, (size_t)(bytes.end - bytes.at));
        program = wl_program_load(bytes.at, length, message, sizeof message);
        bytes.at += length;
        if (program && (wl_program_columns(program) > 16 || wl_program_input_registers(program) > 2)) {
            wl_program_free(program); /* more than the test has room for */
            program = NULL;
        }
    } else {
        draft written = write_program(&bytes);
        size_t length;
        uint8_t *packed = draft_pack(&written, &length);
        program = wl_program_load(packed, length, message, sizeof message);
        free(packed);
    }
    if (program)
        try_program(program, &bytes);
    wl_program_free(program);
    return 0;
}

#ifdef WITH_MAIN
/* Bytes of which some are small, so that lengths are plausible and delimiters and stuffing occur. */
static size_t make_bytes(source_of_chance *chance, uint8_t *bytes, size_t most) {
    size_t size = chance_below(chance, most);
    size_t small = chance_below(chance, 4);
    for (size_t i = 0; i < size; i++) {
        uint64_t number = chance_next(chance) >> 20;
        bytes[i] = number % 4 < small ? (uint8_t)(number >> 8 & 7) : (uint8_t)(number >> 8);
    }
    return size;
}

/* A packed program of the structured kind with some bytes changed, and input after it. */
static size_t make_raw(source_of_chance *chance, uint8_t *bytes, size_t most) {
    uint8_t seed[512];
    size_t seed_size = make_bytes(chance, seed, sizeof seed), size;
    draft written = write_program(&(taker){seed, seed + seed_size});
    while ((written.column_count + written.constant_size) % 8 && written.constant_size < sizeof written.constants)
        written.constant_size++;
    uint8_t *packed = draft_pack(&written, &size);
    if (size % 8 || size / 8 > 255)
        size = 0;
    bytes[0] = 0;
    bytes[1] = (uint8_t)(size / 8);
    memcpy(bytes + 2, packed, size);
    for (size_t i = chance_below(chance, 3); i && size; i--)
        bytes[2 + chance_below(chance, size)] = (uint8_t)chance_below(chance, chance_below(chance, 2) ? 8 : 256);
    free(packed);
    return 2 + size + make_bytes(chance, bytes + 2 + size, most - size - 2);
}

int main(int count, char **arguments) {
    size_t rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 3000;
    source_of_chance chance = {count > 2 ? strtoul(arguments[2], NULL, 10) : 1};
    uint8_t bytes[3000];
    for (size_t round = 0; round < rounds; round++) {
        size_t size = round % 4 ? make_bytes(&chance, bytes, sizeof bytes) : make_raw(&chance, bytes, sizeof bytes);
        uint8_t *exact = copy_of(bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%zu rounds: %zu programs were run, %zu rows read, %zu damaged\n", rounds, programs_run, rows_read,
           rows_damaged);
    return programs_run * 5 > rounds && rows_read > rounds && rows_damaged > rounds / 10 ? 0 : 1;
}
#endif
