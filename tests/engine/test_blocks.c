/* Rows a block at a time against rows one by one: random programs without jumps, over inputs that are mostly right. */
#include "check.h"

#define ROOM_FOR_ROWS 40000

/* A row: a head whose first fields are the sizes of the byte strings that follow, a checksum over some of it. */
typedef struct {
    draft program;
    unsigned size_kinds[3];
    unsigned strings;
    unsigned head;    /* bytes before the first byte string */
    unsigned between; /* bytes of fields after each byte string */
    bool summed;
    bool constant;
    bool text; /* byte strings are mostly text */
    bool alike; /* byte strings have the largest size */
    unsigned last; /* bytes at the end */
    struct part {
        unsigned place; /* of the byte that decides, in the head */
        uint8_t mask;   /* the condition: the bits of it that are not all 0 */
        unsigned holding, failing; /* bytes of each part */
        bool string;    /* the last of the first part are the size of a byte string */
        bool otherwise; /* there is a second part */
        bool inner;     /* the next of these stands in the first part */
    } parts[3];
    unsigned part_count;
} layout;

enum { CHECKSUM_OF_ROW = 8, FIELD, COMPUTED, CONDITION, SIZE_OF_PART, FLAGS, REGISTERS = FLAGS + 3 };

static const unsigned size_kinds[] = {WL_U1,   WL_S1,   WL_U2LE, WL_U2BE, WL_S2BE,
                                      WL_U4LE, WL_U4BE, WL_S4LE, WL_U8LE, WL_S8BE};
static const uint8_t storages[] = {1, 2, 4, 8};

static unsigned column_of(draft *it, unsigned storage) {
    it->storages[it->column_count] = (uint8_t)storage;
    return (unsigned)it->column_count++;
}

static unsigned kind_of(source_of_chance *chance, unsigned size, unsigned below) {
    unsigned kind = (unsigned)chance_below(chance, below);
    while (wl_kind_size(kind) != size)
        kind = (kind + 1) % below;
    return kind;
}

/* Columns of all kinds at places that the last NEED of `safe` bytes covers. */
static void add_columns(source_of_chance *chance, draft *it, unsigned safe) {
    for (size_t count = chance_below(chance, 4); count && it->column_count < 6; count--) {
        unsigned size = storages[chance_below(chance, 4)];
        if (size > safe)
            continue;
        int64_t place = (int64_t)chance_below(chance, safe - size + 1);
        if (chance_below(chance, 3)) {
            draft_step(it, WL_OP_COLUMN_FIXED, column_of(it, size), kind_of(chance, size, WL_KIND_COUNT), place, 0);
            continue;
        }
        unsigned kind = kind_of(chance, size, WL_F4LE), wide = storages[chance_below(chance, 4)];
        draft_step(it, WL_OP_REGISTER_FIXED, FIELD, kind, place, 0);
        if (chance_below(chance, 2))
            draft_step(it, WL_OP_COLUMN_REGISTER, column_of(it, wide), FIELD, kind_of(chance, wide, WL_F4LE), 0);
        else
            draft_step(it, WL_OP_COLUMN_TIMESTAMP, column_of(it, 8), FIELD,
                       (int64_t)chance_below(chance, 2 * WL_HAS_ABSENT), (int64_t)chance_below(chance, 256) - 128);
    }
}

/* An expression of the fields that registers hold, the one computed before it among them, and what is done with it. */
static void add_computed(source_of_chance *chance, draft *it, unsigned fields) {
    static const uint8_t twos[] = {3, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 18, 19, 20, 22, 23};
    size_t begin = it->constant_size, depth = 0;
    uint8_t *code = it->constants + begin;
    for (unsigned codes = 1 + (unsigned)chance_below(chance, 6); codes || depth != 1; codes -= codes != 0) {
        unsigned choice = (unsigned)chance_below(chance, 8);
        if (depth > 1 && (!codes || choice < 4)) {
            bool selects = depth > 2 && choice == 0;
            *code++ = selects ? 24 : twos[chance_below(chance, sizeof twos)];
            depth -= selects ? 2 : 1;
        } else if (depth && choice == 4) {
            *code++ = (uint8_t)(chance_below(chance, 2) ? 13 : 21);
        } else if (depth && choice == 5) {
            *code++ = 27;
            *code++ = (uint8_t)(WL_U4LE + chance_below(chance, 4));
        } else if (choice == 6) {
            *code++ = chance_below(chance, 2) ? 0 : 25;
            for (int i = 0; i < 8; i++)
                *code++ = i ? 0 : (uint8_t)chance_below(chance, 9);
            depth++;
        } else if (choice == 7) {
            *code++ = 26;
            *code++ = 3;
            *code++ = 0;
            *code++ = 2;
            *code++ = 'a';
            *code++ = 'z';
            depth++;
        } else {
            *code++ = choice % 2 ? 1 : 2;
            *code = (uint8_t)chance_below(chance, code[-1] == 1 ? fields + 1 : 1);
            *code = code[-1] == 2 ? 3 : *code == fields ? COMPUTED : *code;
            code++;
            *code++ = 0;
            depth++;
        }
    }
    it->constant_size = (size_t)(code - it->constants);
    draft_step(it, WL_OP_EXPRESSION, COMPUTED, 0, (int64_t)begin, (int64_t)(it->constant_size - begin));
    unsigned width = storages[chance_below(chance, 4)];
    switch (chance_below(chance, 5)) {
    case 0:
        draft_step(it, WL_OP_CHECK_RANGE, COMPUTED, WL_REASON_VALUE << 8, -2000, (int64_t)1 << 40);
        break;
    case 1:
        draft_step(it, WL_OP_COLUMN_TIMESTAMP, column_of(it, 8), COMPUTED,
                   (int64_t)chance_below(chance, 2 * WL_HAS_ABSENT), (int64_t)chance_below(chance, 4) - 1);
        break;
    case 2:
        draft_step(it, WL_OP_EXPRESSION, COMPUTED, 0, (int64_t)begin, (int64_t)(it->constant_size - begin));
        /* fall through */
    default:
        draft_step(it, WL_OP_COLUMN_REGISTER, column_of(it, width), COMPUTED, kind_of(chance, width, WL_F4LE), 0);
        break;
    }
    if (chance_below(chance, 4) == 0) {
        static const uint8_t is_usual[] = {1, FIELD, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 8};
        memcpy(it->constants + it->constant_size, is_usual, sizeof is_usual);
        draft_step(it, WL_OP_EXPRESSION, COMPUTED, 0, (int64_t)it->constant_size, sizeof is_usual);
        draft_step(it, WL_OP_CHECK_TRUE, COMPUTED, WL_REASON_VALUE << 8, 0, 0);
        it->constant_size += sizeof is_usual;
    }
}

static void jump_here(draft *it, size_t from) { it->steps[from].c = (int64_t)it->step_count; }

/* Bytes that only some rows have, and the columns of them. Returns the number of the next such part. */
static unsigned add_part(source_of_chance *chance, layout *it, unsigned number) {
    draft *program = &it->program;
    const struct part *part = it->parts + number++;
    const uint8_t code[] = {1, (uint8_t)(FLAGS + (part - it->parts)), 0, 0, part->mask, 0, 0, 0, 0, 0, 0, 0, 8};
    memcpy(program->constants + program->constant_size, code, sizeof code);
    draft_step(program, WL_OP_EXPRESSION, CONDITION, 0, (int64_t)program->constant_size, sizeof code);
    program->constant_size += sizeof code;
    unsigned width = storages[chance_below(chance, 3)];
    unsigned shared = column_of(program, width);
    size_t skip = program->step_count;
    draft_step(program, WL_OP_SKIP_IF_ZERO, CONDITION, 0, 0, 0);
    draft_step(program, WL_OP_NEED, part->holding, 0, 0, 0);
    if (part->holding >= width)
        draft_step(program, WL_OP_COLUMN_FIXED, shared, kind_of(chance, width, WL_F4LE), 0, 0);
    if (part->string) {
        draft_step(program, WL_OP_REGISTER_FIXED, SIZE_OF_PART, WL_U1, part->holding - 1, 0);
        draft_step(program, WL_OP_BYTES_REGISTER, 3, SIZE_OF_PART, 0, 0);
        draft_step(program, WL_OP_COLUMN_BYTES, column_of(program, WL_VARIABLE), 3, 0, 0);
        if (chance_below(chance, 2))
            draft_step(program, WL_OP_CHECK_RANGE, SIZE_OF_PART, WL_REASON_VALUE << 8, 0, 60);
    }
    if (part->inner)
        number = add_part(chance, it, number);
    size_t jump = program->step_count;
    if (part->otherwise)
        draft_step(program, WL_OP_JUMP, 0, 0, 0, 0);
    jump_here(program, skip);
    if (part->otherwise) {
        draft_step(program, WL_OP_NEED, part->failing, 0, 0, 0);
        if (part->failing >= width && chance_below(chance, 3))
            draft_step(program, WL_OP_COLUMN_FIXED, shared, kind_of(chance, width, WL_F4LE), 0, 0);
        else
            draft_step(program, WL_OP_COLUMN_NULL, shared, 0, 0, 0);
        if (chance_below(chance, 2))
            draft_step(program, WL_OP_DEFAULT, 0, 0, 0, 0);
        jump_here(program, jump);
    }
    return number;
}

static void make_parts(source_of_chance *chance, layout *it) {
    it->part_count = chance_below(chance, 2) ? 0 : 1 + (unsigned)chance_below(chance, 3);
    for (unsigned i = 0; i < it->part_count; i++) {
        it->parts[i] = (struct part){.place = 4 + (unsigned)chance_below(chance, it->head - 4),
                                     .mask = (uint8_t)(1 + chance_below(chance, 255)),
                                     .holding = 1 + (unsigned)chance_below(chance, 6),
                                     .failing = (unsigned)chance_below(chance, 6),
                                     .string = chance_below(chance, 3) == 0,
                                     .otherwise = chance_below(chance, 2),
                                     .inner = i + 1 < it->part_count && chance_below(chance, 2)};
        draft_step(&it->program, WL_OP_REGISTER_FIXED, FLAGS + i, WL_U1, it->parts[i].place, 0);
    }
}

static layout make_layout(source_of_chance *chance) {
    layout it = {.strings = (unsigned)chance_below(chance, 4), .between = (unsigned)chance_below(chance, 10)};
    draft *program = &it.program;
    unsigned outcome = (unsigned)chance_below(chance, 2) | WL_REASON_LENGTH << 8;
    program->registers = REGISTERS;
    program->spans = 4;
    program->marks = 4;
    program->rules[0] = sum_rule(crc_of(1 + (unsigned)chance_below(chance, 2), 0xFFFFFFFF, 0xFFFFFFFF), -1, 0, 0);
    program->rule_count = 1;
    it.summed = chance_below(chance, 2);
    it.constant = chance_below(chance, 3) == 0;
    it.text = chance_below(chance, 2);
    it.last = (unsigned)chance_below(chance, 3);
    if (chance_below(chance, 4) == 0) {
        program->rules[0].replace = (int32_t)chance_below(chance, 256);
        program->rules[0].own_size = 4;
        program->rules[0].own = (uint32_t)chance_below(chance, 2);
    }
    it.head = 5 + (unsigned)chance_below(chance, 12);
    for (unsigned i = 0; i < it.strings; i++) {
        it.size_kinds[i] = size_kinds[chance_below(chance, sizeof size_kinds / sizeof *size_kinds)];
        it.head += wl_kind_size(it.size_kinds[i]);
    }
    draft_step(program, WL_OP_NEED, it.head, 0, 0, 0);
    draft_step(program, WL_OP_REGISTER_FIXED, CHECKSUM_OF_ROW, WL_U4LE, 0, 0);
    draft_step(program, WL_OP_REGISTER_FIXED, FIELD, WL_S2BE, 1, 0);
    draft_step(program, WL_OP_REGISTER_FIXED, COMPUTED, WL_S1, 0, 0);
    draft_step(program, WL_OP_MARK, 0, 0, 0, 0);
    draft_step(program, WL_OP_MARK, 1, 0, 4, 0);
    if (it.constant) {
        program->constants[0] = 0xA5;
        program->constant_size = 1;
        draft_step(program, WL_OP_CHECK_CONSTANT, 0, outcome, it.head - 1, 1);
    }
    unsigned at = 4;
    for (unsigned i = 0; i < it.strings; i++) {
        draft_step(program, WL_OP_REGISTER_FIXED, i, it.size_kinds[i], at, 0);
        if (chance_below(chance, 3) == 0)
            draft_step(program, WL_OP_CHECK_RANGE, i, outcome | (unsigned)chance_below(chance, 2) << 7, -1,
                       20 + (int64_t)chance_below(chance, 300));
        at += wl_kind_size(it.size_kinds[i]);
    }
    add_columns(chance, program, it.head);
    make_parts(chance, &it);
    for (unsigned i = 0; i < it.strings; i++) {
        if (chance_below(chance, 5))
            draft_step(program, WL_OP_BYTES_REGISTER, i, i, 0, 0);
        else
            draft_step(program, WL_OP_SKIP_REGISTER, i, 0, 0, 0);
        draft_step(program, WL_OP_NEED, it.between, 0, 0, 0);
        add_columns(chance, program, it.between);
    }
    for (unsigned i = 0; i < it.part_count;)
        i = add_part(chance, &it, i);
    draft_step(program, WL_OP_BYTES_FIXED, 3, 0, it.last, 0);
    for (size_t count = chance_below(chance, 3) ? 0 : 1 + chance_below(chance, 3); count; count--)
        add_computed(chance, program, it.strings);
    for (unsigned i = 0; i < it.strings && program->column_count < 16; i++) {
        bool is_read = false;
        for (size_t step = 0; step < program->step_count; step++)
            is_read |= program->steps[step].op == WL_OP_BYTES_REGISTER && program->steps[step].a == i;
        if (is_read && it.text && chance_below(chance, 2))
            draft_step(program, WL_OP_CHECK_UTF8, i, 0, chance_below(chance, 4) == 0, 0);
        if (is_read && chance_below(chance, 3))
            draft_step(program, WL_OP_COLUMN_BYTES, column_of(program, WL_VARIABLE), i, 0, 0);
    }
    if (chance_below(chance, 4) == 0 && program->column_count < 16)
        draft_step(program, WL_OP_COLUMN_BYTES, column_of(program, WL_VARIABLE), 3, 0, 0);
    draft_step(program, WL_OP_MARK, 2, 1, 0, 0);
    if (it.summed)
        draft_step(program, WL_OP_CHECKSUM, 0, CHECKSUM_OF_ROW, 1, 2);
    draft_step(program, WL_OP_END, 0, 0, 0, 0);
    return it;
}

static void put_number(uint8_t *at, unsigned kind, uint64_t value) {
    unsigned size = wl_kind_size(kind);
    bool big = kind == WL_U2BE || kind == WL_S2BE || kind == WL_U4BE || kind == WL_S8BE;
    for (unsigned i = 0; i < size; i++)
        at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static size_t put_bytes(source_of_chance *chance, uint8_t *at, size_t size, size_t count) {
    for (size_t end = size + count; size < end; size++)
        at[size] = (uint8_t)chance_next(chance);
    return size;
}

static size_t put_part(source_of_chance *chance, const layout *it, uint8_t *at, size_t size, unsigned number) {
    const struct part *part = it->parts + number;
    if (!(at[part->place] & part->mask))
        return put_bytes(chance, at, size, part->otherwise ? part->failing : 0);
    size = put_bytes(chance, at, size, part->holding);
    if (part->string) {
        at[size - 1] = (uint8_t)chance_below(chance, 70);
        size = put_bytes(chance, at, size, at[size - 1]);
    }
    return part->inner ? put_part(chance, it, at, size, number + 1) : size;
}

/* One row; its checksum holds. Returns its size. */
static size_t put_row(source_of_chance *chance, const layout *it, uint8_t *at, size_t longest) {
    size_t size = it->head, place = 4;
    for (unsigned i = 0; i < it->head; i++)
        at[i] = (uint8_t)chance_next(chance);
    for (unsigned i = 0; i < it->strings; i++) {
        size_t string = it->alike ? longest : chance_below(chance, longest + 1);
        if (wl_kind_size(it->size_kinds[i]) == 1 && string > 127)
            string = 127;
        put_number(at + place, it->size_kinds[i], string);
        place += wl_kind_size(it->size_kinds[i]);
        /* Of text some is not ASCII, and hardly any is not text. */
        for (size_t end = size + string; size < end; size++)
            at[size] = (uint8_t)(chance_next(chance) & (it->text ? 0x7F : 0xFF));
        if (it->text && string > 2 && chance_below(chance, 200) == 0)
            memcpy(at + size - 2, chance_below(chance, 4) ? "\xC3\xA9" : "\xC3\x20", 2);
        size = put_bytes(chance, at, size, it->between);
    }
    if (it->constant)
        at[it->head - 1] = 0xA5;
    for (unsigned i = 0; i < it->part_count; i++) {
        bool inside = i && it->parts[i - 1].inner;
        size = inside ? size : put_part(chance, it, at, size, i);
    }
    size = put_bytes(chance, at, size, it->last);
    const wl_rule *rule = it->program.rules;
    uint8_t *own = exactly(size);
    memcpy(own, at, size);
    if (rule->replace >= 0 && rule->own == 1)
        memset(own + 4, rule->replace, wl_smaller(4, size - 4));
    put_number(at, WL_U4LE, sum_of(&rule->algorithm.of, own + 4, size - 4));
    free(own);
    return size;
}

static size_t rows_read, rows_damaged;

static void same_both_ways(source_of_chance *chance, const wl_program *program, feed how) {
    feed singly = how;
    singly.row_by_row = true;
    outcome expected = read_all(program, &singly), found = read_all(program, &how);
    CHECK(same_outcome(&expected, &found));
    free(found.bytes);
    for (int round = 0; round < 2; round++) {
        /* At most a hundred windows: the smallest are of inputs with few rows. */
        how.chunk = 1 + how.size / 100 + chance_below(chance, round ? how.size + 1 : 300);
        how.capacity = 1 + chance_below(chance, 300);
        how.room = chance_below(chance, 600);
        how.damages = 1 + chance_below(chance, 4);
        found = read_all(program, &how);
        CHECK(same_outcome(&expected, &found));
        free(found.bytes);
    }
    rows_read += expected.rows;
    rows_damaged += expected.damaged;
    free(expected.bytes);
}

static void test_layouts(void) {
    source_of_chance chance = {20};
    for (size_t rounds = rounds_of(240); rounds; rounds--) {
        layout it = make_layout(&chance);
        it.alike = chance_below(&chance, 3) == 0;
        wl_program *program = draft_load(&it.program);
        size_t padding = chance_below(&chance, 4) ? 0 : chance_below(&chance, 6), size = 0;
        size_t longest = chance_below(&chance, 4) ? chance_below(&chance, 100) : chance_below(&chance, 3000);
        uint8_t *all = exactly(ROOM_FOR_ROWS + 3 * longest + 600);
        size_t rows = chance_below(&chance, 5) ? chance_below(&chance, 700) : chance_below(&chance, 10);
        for (; rows && size < ROOM_FOR_ROWS; rows--) {
            size += put_row(&chance, &it, all + size, longest);
            memset(all + size, 0xEE, padding);
            size += padding;
        }
        size -= chance_below(&chance, 2) ? 0 : chance_below(&chance, size + 1) % 50;
        for (size_t count = chance_below(&chance, 3) ? 0 : chance_below(&chance, 30); count && size; count--)
            all[chance_below(&chance, size)] ^= (uint8_t)(1u << chance_below(&chance, 8));
        uint8_t *input = copy_of(all, size);
        feed how = {.input = input,
                    .size = size,
                    .capacity = 1000,
                    .room = 1 << 16,
                    .damages = 100,
                    .padding = padding,
                    .max_record = chance_below(&chance, 4) ? 1 << 16 : 60 + chance_below(&chance, 200),
                    .stop = chance_below(&chance, 4) ? -1 : (int64_t)chance_below(&chance, size + 10),
                    .wanted = chance_below(&chance, 3) ? 0xFFFF : (uint32_t)chance_next(&chance) & 0xFFFF,
                    .verify = chance_below(&chance, 4) != 0,
                    .null_rows = chance_below(&chance, 2)};
        same_both_ways(&chance, program, how);
        free(input);
        free(all);
        wl_program_free(program);
    }
}

int main(void) {
    for_every_level(test_layouts);
    printf("%zu rows, %zu damaged\n", rows_read, rows_damaged);
    return rows_read > rounds_of(20000) && rows_damaged > rounds_of(50) ? 0 : 1;
}
