/* A fuzz target in libFuzzer's form: rows with a message, of made-up fields, and with what is in its bytes; most inputs are
 * messages of these fields, with some damage.
 *
 * Beside what the sanitizers see, a read in pieces must give exactly what the read at once gives, and resync must find the
 * same row with and without more input to come. */
#include "drive.h"

#define LONGEST_INPUT 6000
#define NOTHING 0xFFFF

/* Registers, spans, marks and columns of the program. */
enum { SIZE, BROKEN, WHICH, LEFT, WHICH_INNER = 4, LEFT_INNER, WHICH_ITEM, LEFT_ITEM, INNER_SIZE, INNER_THERE, ITEM_SIZE,
       LISTED, ONE, ONE_THERE, TWO, DEEP, ITEM, REGISTERS };
enum { BYTES, TEXT, SPANS };
enum { COLUMN_ONE, COLUMN_TWO, COLUMN_BYTES, COLUMN_TEXT, COLUMN_LIST, COLUMN_LISTED, COLUMN_INNER, COLUMN_DEEP,
       COLUMN_ITEMS, COLUMN_ITEM, COLUMN_WITHIN, COLUMNS };

static size_t rows_read, rows_damaged;

static const uint16_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 16, 17, 18};

static uint16_t number_kind(taker *bytes) { return numbers[take_below(bytes, sizeof numbers / sizeof *numbers)]; }

/* A field of the table that is being made. */
static wl_message_field *add_field(draft *it, unsigned number, uint16_t kind, uint16_t value) {
    wl_message_field *field = it->message_fields + it->message_field_count++;
    *field = (wl_message_field){.of = {.number = number, .kind = (uint8_t)kind}, .value = value, .present = NOTHING};
    it->messages[it->message_count - 1].of.count++;
    return field;
}

static void add_table(draft *it, taker *bytes, uint32_t left) {
    it->messages[it->message_count++] = (wl_message_table){.of = {.strict = take_below(bytes, 2)},
                                                           .first = (uint32_t)it->message_field_count,
                                                           .depth = take_below(bytes, 3),
                                                           .left = left,
                                                           .broken = BROKEN};
}

static void make_tables(draft *it, taker *bytes) {
    const uint16_t several = take_below(bytes, 4) ? number_kind(bytes) : 12;
    add_table(it, bytes, LEFT);
    wl_message_field *field = add_field(it, 1, number_kind(bytes), ONE);
    field->present = ONE_THERE;
    field->group = 1;
    field = add_field(it, 2, number_kind(bytes), TWO);
    if (field->of.kind == 14 && take_below(bytes, 2)) {
        field->flags = WL_TAKES_CLOSED;
        field->of.value_count = 2;
        it->constant_size = 8;
        it->constants[4] = 1;
    }
    add_field(it, 3, 12, BYTES);
    field = add_field(it, 4, 9, TEXT);
    field->flags = take_below(bytes, 2) ? WL_TAKES_TEXT : 0;
    field = add_field(it, 5, several, several == 12 ? BYTES : LISTED);
    field->flags = WL_TAKES_SEVERAL;
    field->arm = 1;
    field = add_field(it, 6, 11, INNER_SIZE);
    field->present = INNER_THERE;
    field->group = take_below(bytes, 2);
    field->arm = 2;
    field = add_field(it, 300, 11, ITEM_SIZE);
    field->flags = WL_TAKES_SEVERAL;
    field->arm = 3;
    add_table(it, bytes, LEFT_INNER);
    add_field(it, 1, number_kind(bytes), DEEP);
    add_table(it, bytes, LEFT_ITEM);
    add_field(it, 2, number_kind(bytes), ITEM);
}

/* The loop over the fields of a table, up to its AGAIN, which the caller adds. */
static unsigned begin_fields(draft *it, unsigned loop, unsigned table, unsigned which, unsigned lost) {
    draft_step(it, WL_OP_LOOP, loop, WL_LOOP_END, 0, 0);
    draft_step(it, WL_OP_FIELDS, which, table, lost, 0);
    return (unsigned)it->step_count - 2;
}

static void end_fields(draft *it, unsigned loop, unsigned begin) {
    draft_step(it, WL_OP_AGAIN, loop, WL_LOOP_END, begin + 1, 0);
    it->steps[begin].c = (int64_t)it->step_count;
}

static unsigned begin_arm(draft *it, unsigned register_, int64_t arm) {
    draft_step(it, WL_OP_SKIP_UNLESS, register_, 0, 0, arm);
    return (unsigned)it->step_count - 1;
}

static void end_arm(draft *it, unsigned begin) { it->steps[begin].c = (int64_t)it->step_count; }

static void add_list(draft *it, unsigned column, unsigned level) {
    draft_step(it, WL_OP_LIST, column, level, 0, 0);
    draft_step(it, WL_OP_LIST_END, column, level, 0, 0);
}

static void add_inner(draft *it, unsigned loop, unsigned table, unsigned which, unsigned size, unsigned lost) {
    draft_step(it, WL_OP_LIMIT_REGISTER, size, 0, 0, 0);
    end_fields(it, loop, begin_fields(it, loop, table, which, lost));
    draft_step(it, WL_OP_LIMIT_END, 0, 0, 0, 0);
}

static void add_arms(draft *it, unsigned lost) {
    unsigned arm = begin_arm(it, WHICH, 1);
    draft_step(it, WL_OP_LIST, COLUMN_LIST, 1, 0, 0);
    draft_step(it, WL_OP_ITEM, 0, 1, 0, 0);
    draft_step(it, WL_OP_COLUMN_REGISTER, COLUMN_LISTED, LISTED, WL_U8LE, 0);
    draft_step(it, WL_OP_ITEM_END, 0, 1, 0, 0);
    draft_step(it, WL_OP_LIST_END, COLUMN_LIST, 1, 0, 0);
    end_arm(it, arm);
    arm = begin_arm(it, WHICH, 2);
    unsigned begun = begin_arm(it, INNER_THERE, 2);
    draft_step(it, WL_OP_BLANK, 0, 1, 0, 0);
    end_arm(it, begun);
    add_inner(it, 1, 1, WHICH_INNER, INNER_SIZE, lost);
    end_arm(it, arm);
    arm = begin_arm(it, WHICH, 3);
    draft_step(it, WL_OP_LIST, COLUMN_ITEMS, 2, 0, 0);
    draft_step(it, WL_OP_ITEM, 0, 2, 0, 0);
    draft_step(it, WL_OP_BLANK, 0, 2, 0, 0);
    add_inner(it, 2, 2, WHICH_ITEM, ITEM_SIZE, lost);
    draft_step(it, WL_OP_COLUMN_REGISTER, COLUMN_ITEM, ITEM, WL_U4LE, 0);
    draft_step(it, WL_OP_ITEM_END, 0, 2, 0, 0);
    draft_step(it, WL_OP_LIST_END, COLUMN_ITEMS, 2, 0, 0);
    end_arm(it, arm);
}

static void add_optional(draft *it, unsigned there, unsigned column, unsigned value, unsigned kind) {
    draft_step(it, WL_OP_SKIP_IF_ZERO, there, 0, (int64_t)it->step_count + 3, 0);
    draft_step(it, WL_OP_COLUMN_REGISTER, column, value, kind, 0);
    draft_step(it, WL_OP_JUMP, 0, 0, (int64_t)it->step_count + 2, 0);
    draft_step(it, WL_OP_COLUMN_NULL, column, 0, 0, 0);
}

static wl_program *make_program(taker *bytes) {
    static const uint8_t storages[COLUMNS] = {8, 4, WL_VARIABLE, WL_VARIABLE, WL_LIST, 8, WL_STRUCT, 8, WL_LIST, 4, 1};
    static const uint8_t levels[COLUMNS] = {[COLUMN_LISTED] = 1, [COLUMN_ITEM] = 2};
    draft it = {.registers = REGISTERS, .spans = SPANS, .column_count = COLUMNS, .loops = 3, .level_count = 2};
    const unsigned lost = take_below(bytes, 2), within = take_below(bytes, 2);
    memcpy(it.storages, storages, sizeof storages);
    memcpy(it.levels, levels, sizeof levels);
    make_tables(&it, bytes);
    draft_step(&it, WL_OP_NEED, 1, 0, 0, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, SIZE, WL_U1, 0, 0);
    draft_step(&it, WL_OP_LIMIT_REGISTER, SIZE, 0, 0, 0);
    it.constants[it.constant_size] = 0; /* the constant 0 */
    draft_step(&it, WL_OP_EXPRESSION, BROKEN, 0, (int64_t)it.constant_size, 9);
    it.constant_size += 9;
    draft_step(&it, WL_OP_BLANK, 0, 0, 0, 0);
    add_list(&it, COLUMN_LIST, 1);
    add_list(&it, COLUMN_ITEMS, 2);
    unsigned begin = begin_fields(&it, 0, 0, WHICH, lost);
    add_arms(&it, lost);
    end_fields(&it, 0, begin);
    draft_step(&it, WL_OP_LIMIT_END, 0, 0, 0, 0);
    add_optional(&it, ONE_THERE, COLUMN_ONE, ONE, WL_U8LE);
    draft_step(&it, WL_OP_COLUMN_REGISTER, COLUMN_TWO, TWO, WL_U4LE, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, COLUMN_BYTES, BYTES, 0, 0);
    draft_step(&it, WL_OP_COLUMN_BYTES, COLUMN_TEXT, TEXT, 0, 0);
    add_optional(&it, INNER_THERE, COLUMN_DEEP, DEEP, WL_U8LE);
    draft_step(&it, WL_OP_COLUMN_STRUCT, COLUMN_INNER, 0, 0, 0);
    if (within) {
        draft_step(&it, WL_OP_LIMIT_SPAN, BYTES, 0, 0, 0);
        draft_step(&it, WL_OP_NEED, 1, 0, 0, 0);
        draft_step(&it, WL_OP_COLUMN_FIXED, COLUMN_WITHIN, WL_U1, 0, 0);
        draft_step(&it, WL_OP_LIMIT_END, 0, 0, 0, 0);
    }
    draft_step(&it, WL_OP_NEED, 1, 0, 0, 0);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    return draft_load(&it);
}

/* Fields of the table at random, with any wire types; a length that is right most of the time. */
static size_t put_message(taker *bytes, uint8_t *out, size_t room, unsigned deep) {
    static const uint16_t fields[] = {1, 2, 3, 4, 5, 6, 300, 9};
    size_t size = 0;
    for (unsigned count = take_below(bytes, 7); count-- && size + 24 < room;) {
        unsigned number = fields[take_below(bytes, 8)], wire = take_below(bytes, 8);
        wire = number == 3 || number == 4 || number == 6 || number == 300 ? (wire ? 2 : 0) : wire > 5 ? 0 : wire;
        unsigned tag = number << 3 | wire;
        if (tag > 127)
            out[size++] = (uint8_t)(tag & 127) | 128;
        out[size++] = (uint8_t)(tag > 127 ? tag >> 7 : tag);
        unsigned length = wire == 1 ? 8 : wire == 5 ? 4 : wire == 0 ? 1 + take_below(bytes, 3) : take_below(bytes, 9);
        if (wire == 2 && deep < 2 && number > 4) {
            size_t inner = put_message(bytes, out + size + 1, wl_smaller(room - size - 1, 100), deep + 1);
            out[size] = (uint8_t)inner;
            size += inner + 1;
            continue;
        }
        if (wire == 2)
            out[size++] = (uint8_t)length;
        for (unsigned i = 0; i < length && wire != 3 && wire != 4; i++)
            out[size++] = wire ? (uint8_t)take(bytes) : (uint8_t)((take(bytes) & 127) | (i + 1 < length ? 128 : 0));
    }
    return size;
}

static uint8_t *make_input(taker *bytes, size_t *size) {
    uint8_t *made = exactly(LONGEST_INPUT);
    *size = 0;
    while (bytes->at < bytes->end && *size + 260 < LONGEST_INPUT) {
        size_t message = put_message(bytes, made + *size + 1, 200, 0);
        made[*size] = (uint8_t)message;
        *size += message + 2;
        made[*size - 1] = 7;
        if (!take_below(bytes, 16))
            made[*size - 1 - take_below(bytes, (unsigned)message + 1)] ^= (uint8_t)(1 << take_below(bytes, 8));
    }
    uint8_t *input = copy_of(made, *size);
    free(made);
    return input;
}

static void try_resync(const wl_program *program, const feed *how) {
    bool found[2];
    size_t index[2];
    wl_fill_arguments arguments = {
        .source = how->input, .end = how->size, .at_end = true, .stop = -1, .max_record = how->max_record};
    CHECK(wl_resync(program, &arguments, found, index));
    arguments.at_end = false;
    CHECK(wl_resync(program, &arguments, found + 1, index + 1));
    CHECK(!found[1] || (found[0] && index[0] == index[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    taker bytes = {data, data + size};
    choose_level(take(&bytes));
    wl_program *program = make_program(&bytes);
    feed whole = {.capacity = 1 + take(&bytes),
                  .room = take(&bytes),
                  .damages = 1 + take_below(&bytes, 5),
                  .max_record = 20 + take(&bytes) * 2,
                  .wanted = take(&bytes) | (uint32_t)take(&bytes) << 8,
                  .stop = -1,
                  .null_rows = take_below(&bytes, 2),
                  .max_items = 1000000};
    feed pieces = whole;
    pieces.chunk = 1 + take_below(&bytes, 50);
    pieces.capacity = 1 + take_below(&bytes, 10);
    pieces.room = take_below(&bytes, 30);
    pieces.damages = 1 + take_below(&bytes, 3);
    size_t input_size;
    uint8_t *input = make_input(&bytes, &input_size);
    whole.input = pieces.input = input;
    whole.size = pieces.size = input_size;
    outcome left = read_all(program, &whole), right = read_all(program, &pieces);
    rows_read += left.rows;
    rows_damaged += left.damaged;
    CHECK(same_outcome(&left, &right));
    free(left.bytes);
    free(right.bytes);
    try_resync(program, &whole);
    free(input);
    wl_program_free(program);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) {
    static const char letters[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 127};
    int result = drive(count, arguments, letters, sizeof letters);
    printf("%zu rows, %zu damaged\n", rows_read, rows_damaged);
    CHECK(rows_read > 0 && rows_damaged > 0);
    return result;
}
#endif
