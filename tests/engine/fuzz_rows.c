/* A fuzz target in libFuzzer's form: a layout as specs have them, rows that follow it with checksums that hold, and some
 * damage. Most rows are good, so what reads many of them together gets far: blocks of rows, frames side by side.
 *
 * Beside what the sanitizers see, rows one by one must give exactly the same, and so must any pieces of the input. */
#include "drive.h"

#define MOST_FIELDS 6
#define MOST_ROWS 120
#define LONGEST_PAYLOAD 400
#define LONGEST_HEAD (8 + MOST_FIELDS * 8)
#define LONGEST_ROW (LONGEST_HEAD + LONGEST_PAYLOAD + 16)

/* A row: a checksum, a size, fields, a payload of that size or the rest of the frame, and `after` bytes more. */
typedef struct {
    unsigned stuffing, size_kind, head, after, longest;
    unsigned places[MOST_FIELDS], constants; /* constants: a bit per field that is one */
    bool summed;
    wl_rule rule;
} layout;

static size_t rows_read, rows_damaged;

static unsigned add_column(draft *it, unsigned storage) {
    it->storages[it->column_count] = (uint8_t)storage;
    return (unsigned)it->column_count++;
}

static unsigned kind_of_size(unsigned kind, unsigned size, unsigned below) {
    kind %= below;
    while (wl_kind_size(kind) != size)
        kind = (kind + 1) % below;
    return kind;
}

/* A field of `size` bytes, as a column, a check, or both. */
static void add_field(taker *bytes, layout *form, draft *it, unsigned number, unsigned size) {
    unsigned place = form->places[number], choice = take_below(bytes, 8), kind = take(bytes);
    unsigned outcome = take_below(bytes, 2) | WL_REASON_VALUE << 8, wide = 1u << take_below(bytes, 4);
    int64_t most = INT64_MAX >> take_below(bytes, 64), least = take_below(bytes, 2) ? -most : 0;
    if (choice < 3) {
        kind = kind_of_size(kind, size, WL_KIND_COUNT);
        draft_step(it, WL_OP_COLUMN_FIXED, add_column(it, size), kind, place, 0);
        return;
    }
    if (choice == 3) {
        form->constants |= 1u << number;
        it->constant_size = 8;
        draft_step(it, WL_OP_CHECK_CONSTANT, 0, outcome, place, size);
        return;
    }
    draft_step(it, WL_OP_REGISTER_FIXED, 2 + number, kind_of_size(kind, size, WL_F4LE), place, 0);
    if (choice == 4)
        draft_step(it, WL_OP_CHECK_RANGE, 2 + number, outcome | take_below(bytes, 2) << 7, least, most);
    if (choice == 5)
        draft_step(it, WL_OP_COLUMN_TIMESTAMP, add_column(it, 8), 2 + number,
                   take_below(bytes, 2 * WL_HAS_ABSENT), most);
    else
        draft_step(it, WL_OP_COLUMN_REGISTER, add_column(it, wide), 2 + number, kind_of_size(kind, wide, WL_F4LE), 0);
}

static void add_text(taker *bytes, draft *it) {
    unsigned choice = take(bytes);
    if (choice & 1)
        draft_step(it, WL_OP_TRIM_RIGHT, 0, 0, 'a' + (choice >> 6), 0);
    if (choice & 2)
        draft_step(it, WL_OP_CUT_TERMINATOR, 0, choice >> 2 & 1, 'a' + (choice >> 7), 0);
    if (choice & 8)
        draft_step(it, WL_OP_CHECK_UTF8, 0, 0, choice >> 4 & 1, 0);
}

static const char *delimiter_of(const layout *form) {
    return form->stuffing == WL_STUFFING_WORD ? "\xFE\xFD" : form->stuffing == WL_STUFFING_COBS ? "\0" : "\xFE";
}

static wl_stuffing codes_of(const layout *form) { return stuffing_of(form->stuffing, 0xFE, 0xFD, 4); }

/* With `jump` it is read in no other way than one by one. */
static wl_program *make_program(taker bytes, layout *form, bool jump, taker *after) {
    static const unsigned sizes[] = {WL_U1, WL_U2LE, WL_U2BE, WL_S2BE, WL_U4LE, WL_U4BE, WL_S4LE, WL_U8LE, WL_S8BE};
    draft it = {.registers = 2 + MOST_FIELDS, .spans = 2, .marks = 4, .rule_count = 1, .constants = "constant"};
    unsigned fields = take_below(&bytes, MOST_FIELDS + 1), widths[MOST_FIELDS];
    *form = (layout){.stuffing = take_below(&bytes, WL_STUFFING_COUNT),
                     .size_kind = sizes[take(&bytes) % (sizeof sizes / sizeof *sizes)],
                     .after = take_below(&bytes, 9),
                     .longest = take_below(&bytes, 4) ? take_below(&bytes, 80) : LONGEST_PAYLOAD,
                     .summed = take_below(&bytes, 4) != 0};
    bool framed = form->stuffing != 0;
    form->rule = sum_rule(take_sum(&bytes), -1, 0, 0);
    if (take_below(&bytes, 2) && wl_sums_in_pieces(&form->rule.algorithm.of)) {
        form->rule.replace = (int32_t)take(&bytes);
        form->rule.own_size = 4;
    }
    it.rules[0] = form->rule;
    it.stuffing = form->stuffing;
    it.codes = codes_of(form);
    if (framed) {
        it.delimiter_size = form->stuffing == WL_STUFFING_WORD ? 2 : 1;
        memcpy(it.delimiter, delimiter_of(form), it.delimiter_size);
    }
    form->head = 4 + (framed ? 0 : wl_kind_size(form->size_kind));
    for (unsigned i = 0; i < fields; i++) {
        widths[i] = 1u << take_below(&bytes, 4);
        form->places[i] = form->head;
        form->head += widths[i];
    }
    if (jump)
        draft_step(&it, WL_OP_JUMP, 0, 0, 1, 0);
    draft_step(&it, WL_OP_MARK, 0, 1, 0, 0);
    draft_step(&it, WL_OP_NEED, form->head, 0, 0, 0);
    draft_step(&it, WL_OP_REGISTER_FIXED, 0, WL_U4LE, 0, 0);
    draft_step(&it, WL_OP_MARK, 1, 0, form->rule.replace < 0 ? 4 : 0, 0);
    if (!framed)
        draft_step(&it, WL_OP_REGISTER_FIXED, 1, form->size_kind, 4, 0);
    for (unsigned i = 0; i < fields; i++)
        add_field(&bytes, form, &it, i, widths[i]);
    draft_step(&it, framed ? WL_OP_BYTES_REST : WL_OP_BYTES_REGISTER, 0, 1, 0, 0);
    if (take_below(&bytes, 4) == 3)
        add_text(&bytes, &it);
    draft_step(&it, WL_OP_COLUMN_BYTES, add_column(&it, WL_VARIABLE), 0, 0, 0);
    if (!framed && form->after) {
        draft_step(&it, WL_OP_BYTES_FIXED, 1, 0, form->after, 0);
        draft_step(&it, WL_OP_COLUMN_BYTES, add_column(&it, WL_VARIABLE), 1, 0, 0);
    }
    draft_step(&it, WL_OP_MARK, 2, 1, 0, 0);
    if (form->summed)
        draft_step(&it, WL_OP_CHECKSUM, 0, 0, 1, 2);
    draft_step(&it, WL_OP_END, 0, 0, 0, 0);
    *after = bytes;
    return draft_load(&it);
}

static void put_number(uint8_t *at, unsigned kind, uint64_t value) {
    unsigned size = wl_kind_size(kind);
    bool big = kind == WL_U2BE || kind == WL_S2BE || kind == WL_U4BE || kind == WL_S8BE;
    for (unsigned i = 0; i < size; i++)
        at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* A row whose checksum holds. Returns its size, stuffing and delimiter included. */
static size_t put_row(taker *bytes, source_of_chance *chance, const layout *form, uint8_t *out) {
    uint8_t row[LONGEST_ROW];
    bool framed = form->stuffing != 0;
    unsigned letters = 1 + take_below(bytes, 8);
    size_t payload = form->longest ? chance_below(chance, form->longest + 1) : 0;
    if (!framed && wl_kind_size(form->size_kind) == 1)
        payload = wl_smaller(payload, 255);
    size_t size = form->head + payload + (framed ? 0 : form->after);
    for (size_t i = 0; i < size; i++)
        row[i] = (uint8_t)chance_next(chance);
    for (size_t i = form->head; letters < 8 && i < size; i++)
        row[i] = (uint8_t)((letters & 1 ? 'a' : 0xFC) + row[i] % letters);
    if (!framed)
        put_number(row + 4, form->size_kind, payload);
    for (unsigned i = 0; i < MOST_FIELDS; i++) {
        if (form->constants >> i & 1)
            memcpy(row + form->places[i], "constant", wl_smaller(8, form->head - form->places[i]));
    }
    if (form->rule.replace >= 0)
        memset(row, form->rule.replace, 4);
    size_t from = form->rule.replace < 0 ? 4 : 0;
    wl_store4(row, (uint32_t)sum_of(&form->rule.algorithm.of, row + from, size - from));
    if (framed) {
        wl_stuffing codes = codes_of(form);
        size_t used = wl_stuff(&codes, row, size, out), after = form->stuffing == WL_STUFFING_WORD ? 2 : 1;
        memcpy(out + used, delimiter_of(form), after);
        return used + after;
    }
    memcpy(out, row, size);
    return size;
}

static uint8_t *make_input(taker *bytes, const layout *form, size_t padding, size_t *size) {
    uint8_t *all = exactly(MOST_ROWS * (2 * LONGEST_ROW + padding));
    source_of_chance chance = {1 + take(bytes)};
    *size = 0;
    for (unsigned rows = take_below(bytes, MOST_ROWS + 1); rows; rows--) {
        *size += put_row(bytes, &chance, form, all + *size);
        memset(all + *size, 0xEE, padding);
        *size += padding;
    }
    *size -= wl_smaller(*size, take_below(bytes, 3) ? 0 : take(bytes));
    for (unsigned count = take_below(bytes, 6); count && *size; count--) {
        size_t place = (take(bytes) | (size_t)take(bytes) << 8) % *size;
        all[place] ^= (uint8_t)(1 + take_below(bytes, 255));
    }
    uint8_t *input = copy_of(all, *size);
    free(all);
    return input;
}

static void compare(const wl_program *program, const feed *how, const outcome *expected) {
    outcome found = read_all(program, how);
    CHECK(same_outcome(expected, &found));
    free(found.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    taker bytes = {data, data + size}, again;
    layout form;
    choose_level(take(&bytes));
    wl_program *alone = make_program(bytes, &form, true, &again), *program = make_program(bytes, &form, false, &again);
    bytes = again;
    feed how = {.capacity = 1 + take(&bytes),
                .room = take(&bytes) * 16,
                .damages = 1 + take_below(&bytes, 5),
                .max_record = take_below(&bytes, 4) ? 4096 : 1 + take(&bytes),
                .stop = take_below(&bytes, 4) ? -1 : (int64_t)take(&bytes) * 64,
                .wanted = take_below(&bytes, 4) ? 0xFFFF : take(&bytes)};
    how.verify = take_below(&bytes, 4) != 0;
    how.null_rows = take_below(&bytes, 2);
    how.padding = form.stuffing || take_below(&bytes, 3) ? 0 : take_below(&bytes, 5);
    how.predicate = take_below(&bytes, 2) ? take(&bytes) : 0;
    feed pieces = how;
    pieces.chunk = 1 + take(&bytes) * 8;
    pieces.capacity = 1 + take_below(&bytes, 40);
    pieces.room = take(&bytes);
    how.input = pieces.input = make_input(&bytes, &form, how.padding, &how.size);
    pieces.size = how.size;
    feed singly = how;
    singly.row_by_row = true;
    outcome expected = read_all(alone, &singly);
    rows_read += expected.rows + expected.dropped;
    rows_damaged += expected.damaged;
    compare(program, &how, &expected);
    compare(program, &pieces, &expected);
    compare(program, &singly, &expected);
    free(expected.bytes);
    free((void *)(uintptr_t)how.input);
    wl_program_free(alone);
    wl_program_free(program);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) {
    const char letters[] = {0, 1, 2, 3, 7, 63, 100, (char)255};
    return drive(count, arguments, letters, sizeof letters) || rows_read < 1000 || rows_damaged < 10;
}
#endif
