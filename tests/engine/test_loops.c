/* Rows in the turns of a loop, and back to back, a block at a time against one by one: random bodies of varints, byte
 * strings, sub-streams, conditions and lists, over inputs that are mostly right. */
#include "check.h"

#define ROOM_FOR_UNITS 60000
#define MOST_PARTS 24

enum { FIXED, VARINT, STRING, OPTIONAL, SUB, LIST, NULLABLE, ALIKE, FIXED_SUB, REST, ITEMS, TEXT };

/* A part of the body; `inside` it are those up to the part number `end`, and after them those of the other branch, up to
 * `other`. */
typedef struct {
    unsigned kind;
    unsigned size;   /* FIXED, FIXED_SUB: bytes */
    unsigned groups, flags; /* of its varint */
    unsigned field;  /* bytes of a field that stands in place of the varint; or 0 */
    unsigned code;   /* OPTIONAL: the comparison with `bound` */
    int64_t bound;
    unsigned moves;  /* STRING: the size is the number and `bound` (3), or the number without `bound` (4); or 0 */
    unsigned end, other;
} part;

typedef struct {
    draft program;
    part parts[MOST_PARTS];
    unsigned part_count;
    unsigned listed;
    unsigned before, after; /* the row's parts are those between */
    bool flat; /* without units and a loop */
    bool numbers; /* its rows are nothing but varints of one kind */
    bool alike; /* most rows have the same parts; those depend on the first byte */
    bool limited, by_count, in_units, summed;
    unsigned outer; /* bytes of the byte strings of the kind ALIKE */
    unsigned padding;
} layout;

enum { OUTER, COUNT, SIZE, TURN, COMPUTED, FIRST_FREE };

static unsigned pick(source_of_chance *chance, unsigned count) { return (unsigned)chance_below(chance, count); }

static int column_of(layout *it, unsigned storage, unsigned level) {
    draft *program = &it->program;
    if (program->column_count == 16)
        return -1;
    program->storages[program->column_count] = (uint8_t)storage;
    program->levels[program->column_count] = (uint8_t)level;
    return (int)program->column_count++;
}

static void make_numbers(source_of_chance *chance, layout *it) {
    const part each = {.kind = VARINT, .groups = 2 + pick(chance, 8), .flags = 2 * pick(chance, 2)};
    for (unsigned count = 1 + pick(chance, pick(chance, 2) ? 4 : 20); it->part_count < count; it->part_count++) {
        it->parts[it->part_count] = each;
        it->parts[it->part_count].end = it->parts[it->part_count].other = it->part_count + 1;
    }
}

/* Parts up to the end of one list, at most `depth` inside of each other. Returns the number after the last. */
static void make_parts(source_of_chance *chance, layout *it, unsigned depth) {
    for (unsigned count = 1 + pick(chance, 4); count && it->part_count < MOST_PARTS - 2; count--) {
        unsigned number = it->part_count++;
        part *made = it->parts + number;
        *made = (part){.kind = pick(chance, REST),
                       .size = 1 + pick(chance, 9),
                       .groups = 1 + pick(chance, 9),
                       .flags = pick(chance, 4),
                       .field = pick(chance, 3) ? 0 : 1 + pick(chance, 2),
                       .code = 15 + pick(chance, 6),
                       .bound = (int64_t)pick(chance, 4) - 1};
        if (number && it->parts[number - 1].kind == VARINT && pick(chance, 3))
            made->kind = VARINT;
        if (made->kind == STRING && pick(chance, 3) == 0)
            made->kind = TEXT;
        if (made->kind == LIST && (it->listed || depth < 2))
            made->kind = VARINT;
        if (made->kind == NULLABLE && !made->field)
            made->flags |= 2;
        it->listed += made->kind == LIST;
        if ((made->kind == SUB || made->kind == OPTIONAL) && !depth)
            made->kind = STRING;
        if (it->alike && !number) {
            made->kind = OPTIONAL;
            made->field = 1;
        }
        if (made->kind == STRING && pick(chance, 2)) {
            made->field = 2;
            made->moves = 3 + pick(chance, 2);
        }
        made->end = made->other = it->part_count;
        if (made->kind != SUB && made->kind != OPTIONAL)
            continue;
        make_parts(chance, it, depth - 1);
        if (made->kind == SUB && pick(chance, 3) == 0) {
            const unsigned next = it->part_count + 1;
            it->parts[it->part_count] = (part){.kind = pick(chance, 2) ? REST : ITEMS, .end = next, .other = next};
            it->part_count++;
        }
        made->end = made->other = it->part_count;
        if (made->kind == OPTIONAL && pick(chance, 2) && it->part_count < MOST_PARTS - 2) {
            make_parts(chance, it, 0);
            made->other = it->part_count;
        }
    }
}

/* Steps ------------------------------------------------------------------------------------------------------------ */

static void put_step(layout *it, unsigned op, unsigned a, uint32_t b, int64_t c, int64_t d) {
    draft_step(&it->program, op, a, b, c, d);
}

/* An expression of a register and a constant. */
static void compute(layout *it, unsigned to, unsigned from, int64_t constant, unsigned code) {
    draft *program = &it->program;
    uint8_t *at = program->constants + program->constant_size;
    CHECK(program->constant_size + 13 <= sizeof program->constants);
    *at++ = 1;
    *at++ = (uint8_t)from;
    *at++ = (uint8_t)(from >> 8);
    *at++ = 0;
    for (int i = 0; i < 8; i++)
        *at++ = (uint8_t)((uint64_t)constant >> 8 * i);
    *at = (uint8_t)code;
    put_step(it, WL_OP_EXPRESSION, to, 0, (int64_t)program->constant_size, 13);
    program->constant_size += 13;
}

/* The number of a part, in a register. */
static unsigned put_number(source_of_chance *chance, layout *it, const part *each, bool in_row) {
    unsigned number = it->program.registers++;
    if (each->field) {
        put_step(it, WL_OP_NEED, each->field, 0, 0, 0);
        put_step(it, WL_OP_REGISTER_FIXED, number, each->field == 1 ? WL_S1 : WL_S2BE, 0, 0);
    } else {
        unsigned most = pick(chance, 2) ? each->groups : 0;
        int64_t shape = each->groups | most << 8 | (int64_t)(pick(chance, 2) ? 127 : 1) << 16 | (int64_t)each->flags << 24;
        put_step(it, WL_OP_VARINT, number, 1 | WL_REASON_LENGTH << 8, shape, WL_REASON_VALUE << 8);
    }
    int column = in_row && pick(chance, 2) ? column_of(it, pick(chance, 3) ? 8 : 2, 0) : -1;
    if (column >= 0)
        put_step(it, WL_OP_COLUMN_REGISTER, (unsigned)column, number,
                 it->program.storages[column] == 8 ? WL_S8LE : WL_S2LE, 0);
    if (pick(chance, 4) == 0)
        put_step(it, WL_OP_CHECK_RANGE, number, WL_REASON_VALUE << 8, -3, pick(chance, 2) ? 70 : 1 << 20);
    return number;
}

static void put_string(source_of_chance *chance, layout *it, unsigned op, unsigned number, bool in_row, bool is_text) {
    unsigned span = it->program.spans++;
    put_step(it, op, span, number, 0, 0);
    if (is_text)
        put_step(it, WL_OP_CHECK_UTF8, span, 0, 0, 0);
    int column = in_row && pick(chance, 3) ? column_of(it, WL_VARIABLE, 0) : -1;
    if (column >= 0)
        put_step(it, WL_OP_COLUMN_BYTES, (unsigned)column, span, 0, 0);
}

static void put_parts(source_of_chance *chance, layout *it, unsigned from, unsigned to, bool in_row);

/* Bytes to the end of the stream, one by one. */
static void put_items(layout *it) {
    const unsigned number = it->program.loops++;
    const int64_t first = (int64_t)it->program.step_count;
    put_step(it, WL_OP_LOOP, number, WL_LOOP_END, first + 3, 0);
    put_step(it, WL_OP_NEED, 1, 0, 0, 0);
    put_step(it, WL_OP_AGAIN, number, WL_LOOP_END, first + 1, 0);
}

static void put_list(layout *it, unsigned count) {
    int list = column_of(it, WL_LIST, 0), item = list < 0 ? -1 : column_of(it, 1, 1);
    unsigned first = (unsigned)it->program.step_count;
    if (item < 0) {
        it->program.column_count -= list >= 0;
        put_step(it, WL_OP_CHECK_RANGE, count, WL_REASON_VALUE << 8, 0, 0);
        return;
    }
    it->program.level_count = 1;
    const unsigned number = it->program.loops++;
    put_step(it, WL_OP_LIST, (unsigned)list, 1, 0, 0);
    put_step(it, WL_OP_LOOP, number, WL_LOOP_COUNT, first + 7, count);
    put_step(it, WL_OP_ITEM, 0, 1, 0, 0);
    put_step(it, WL_OP_NEED, 1, 0, 0, 0);
    put_step(it, WL_OP_COLUMN_FIXED, (unsigned)item, WL_U1, 0, 0);
    put_step(it, WL_OP_ITEM_END, 0, 1, 0, 0);
    put_step(it, WL_OP_AGAIN, number, WL_LOOP_COUNT, first + 2, count);
    put_step(it, WL_OP_LIST_END, (unsigned)list, 1, 0, 0);
}

static void put_fixed(source_of_chance *chance, layout *it, const part *each, bool in_row) {
    put_step(it, WL_OP_NEED, each->size, 0, 0, 0);
    int column = in_row && each->size >= 4 ? column_of(it, 4, 0) : -1;
    if (column >= 0)
        put_step(it, WL_OP_COLUMN_FIXED, (unsigned)column, pick(chance, 2) ? WL_U4BE : WL_F4LE, each->size - 4, 0);
    if (pick(chance, 2) && each->size >= 2) {
        unsigned number = it->program.registers++;
        put_step(it, WL_OP_REGISTER_FIXED, number, WL_S2LE, each->size - 2, 0);
        compute(it, it->program.registers++, number, 7, 3 + pick(chance, 5));
        column = in_row ? column_of(it, 8, 0) : -1;
        if (column >= 0)
            put_step(it, WL_OP_COLUMN_TIMESTAMP, (unsigned)column, it->program.registers - 1,
                     pick(chance, 2 * WL_HAS_ABSENT), pick(chance, 7));
    }
}

static void put_optional(source_of_chance *chance, layout *it, unsigned at, unsigned number, bool in_row) {
    const part *each = it->parts + at;
    draft *program = &it->program;
    unsigned decides = number;
    if (pick(chance, 3)) {
        decides = program->registers++;
        compute(it, decides, number, each->bound, each->code);
    } else {
        it->parts[at].code = 16;
        it->parts[at].bound = 0;
    }
    size_t skip = program->step_count;
    put_step(it, WL_OP_SKIP_IF_ZERO, decides, 0, 0, 0);
    put_parts(chance, it, at + 1, each->end, in_row);
    size_t jump = program->step_count;
    bool jumps = each->other != each->end || pick(chance, 2);
    if (jumps)
        put_step(it, WL_OP_JUMP, 0, 0, 0, 0);
    program->steps[skip].c = (int64_t)program->step_count;
    put_parts(chance, it, each->end, each->other, in_row);
    if (jumps)
        program->steps[jump].c = (int64_t)program->step_count;
}

/* A byte string that is there where its size is one. */
static void put_nullable(source_of_chance *chance, layout *it, unsigned number, bool in_row) {
    draft *program = &it->program;
    const unsigned decides = program->registers++;
    compute(it, decides, number, 0, 20);
    const size_t skip = program->step_count;
    put_step(it, WL_OP_SKIP_IF_ZERO, decides, 0, 0, 0);
    put_string(chance, it, WL_OP_BYTES_REGISTER, number, in_row, false);
    const size_t jump = program->step_count;
    put_step(it, WL_OP_JUMP, 0, 0, 0, 0);
    program->steps[skip].c = (int64_t)program->step_count;
    if (in_row && program->steps[jump - 1].op == WL_OP_COLUMN_BYTES)
        put_step(it, WL_OP_COLUMN_NULL, program->steps[jump - 1].a, 0, 0, 0);
    program->steps[jump].c = (int64_t)program->step_count;
}

static void put_parts(source_of_chance *chance, layout *it, unsigned from, unsigned to, bool in_row) {
    for (unsigned i = from; i < to; i = it->parts[i].other) {
        const part *each = it->parts + i;
        if (each->kind == FIXED) {
            put_fixed(chance, it, each, in_row);
            continue;
        }
        if (each->kind == REST || each->kind == ALIKE) {
            put_string(chance, it, each->kind == REST ? WL_OP_BYTES_REST : WL_OP_BYTES_REGISTER, OUTER, in_row, false);
            continue;
        }
        if (each->kind == FIXED_SUB) {
            put_step(it, WL_OP_LIMIT_FIXED, 0, 0, each->size, 0);
            put_step(it, WL_OP_LIMIT_END, 0, 0, 0, 0);
            continue;
        }
        if (each->kind == ITEMS) {
            put_items(it);
            continue;
        }
        unsigned number = put_number(chance, it, each, in_row);
        if (each->moves) {
            compute(it, it->program.registers++, number, each->bound, each->moves);
            number = it->program.registers - 1;
        }
        if (each->kind == STRING || each->kind == TEXT)
            put_string(chance, it, WL_OP_BYTES_REGISTER, number, in_row, each->kind == TEXT);
        if (each->kind == LIST && in_row)
            put_list(it, number);
        if (each->kind == NULLABLE)
            put_nullable(chance, it, number, in_row);
        if (each->kind == OPTIONAL)
            put_optional(chance, it, i, number, in_row);
        if (each->kind == SUB) {
            put_step(it, WL_OP_LIMIT_REGISTER, number, 0, 0, 0);
            put_parts(chance, it, i + 1, each->end, in_row);
            put_step(it, WL_OP_LIMIT_END, 0, 0, 0, 0);
        }
    }
}

/* What all rows of a unit have. */
static void put_outer(source_of_chance *chance, layout *it) {
    int column;
    if (pick(chance, 2) && (column = column_of(it, 2, 0)) >= 0)
        put_step(it, WL_OP_COLUMN_REGISTER, (unsigned)column, OUTER, WL_U2LE, 0);
    if (pick(chance, 2) && (column = column_of(it, 8, 0)) >= 0)
        put_step(it, WL_OP_COLUMN_TIMESTAMP, (unsigned)column, OUTER, pick(chance, 2 * WL_HAS_ABSENT), pick(chance, 8));
    if (pick(chance, 2) && (column = column_of(it, WL_VARIABLE, 0)) >= 0)
        put_step(it, WL_OP_COLUMN_BYTES, (unsigned)column, 0, 0, 0);
    if (pick(chance, 2) && (column = column_of(it, 4, 0)) >= 0) {
        put_step(it, WL_OP_INDEX, TURN, 0, 0, 0);
        put_step(it, WL_OP_COLUMN_REGISTER, (unsigned)column, TURN, WL_U4LE, 0);
        compute(it, COMPUTED, OUTER, 3, 3);
        put_step(it, WL_OP_CHECK_RANGE, COMPUTED, WL_REASON_VALUE << 8, 0, 250);
    }
}

/* The checksum of the row, after it. */
static void put_sum(layout *it) {
    const unsigned number = it->program.registers++;
    put_step(it, WL_OP_MARK, 1, 1, 0, 0);
    put_step(it, WL_OP_NEED, 5, 0, 0, 0);
    put_step(it, WL_OP_CHECK_CONSTANT, (unsigned)it->program.constant_size, WL_REASON_VALUE << 8, 0, 1);
    it->program.constants[it->program.constant_size++] = 0xA5;
    put_step(it, WL_OP_REGISTER_FIXED, number, WL_U4LE, 1, 0);
    put_step(it, WL_OP_CHECKSUM, 0, number, 0, 1);
    put_step(it, WL_OP_CHECK_TRUE, number, WL_REASON_VALUE << 8, 0, 0);
}

/* The steps around those of the row, which say how many there are. */
static void put_unit(source_of_chance *chance, layout *it) {
    put_step(it, WL_OP_NEED, 7, 0, 0, 0);
    put_step(it, WL_OP_REGISTER_FIXED, OUTER, WL_U1, 0, 0);
    put_step(it, WL_OP_REGISTER_FIXED, COUNT, WL_U2LE, 1, 0);
    put_step(it, WL_OP_REGISTER_FIXED, SIZE, WL_U4LE, 3, 0);
    put_step(it, WL_OP_BYTES_FIXED, 0, 0, 3, 0);
    if (it->limited)
        put_step(it, WL_OP_LIMIT_REGISTER, SIZE, 1, 0, 0);
    size_t loop = it->program.step_count;
    unsigned kind = it->by_count ? WL_LOOP_COUNT : WL_LOOP_END;
    put_step(it, WL_OP_LOOP, 0, kind, 0, COUNT);
    if (it->in_units)
        put_step(it, WL_OP_UNIT, 0, 0, 0, 0);
    put_parts(chance, it, 0, it->before, false);
    put_step(it, WL_OP_ROW, 0, 0, 0, 0);
    put_step(it, WL_OP_MARK, 0, 1, 0, 0);
    put_parts(chance, it, it->before, it->after, true);
    if (it->summed)
        put_sum(it);
    put_outer(chance, it);
    put_step(it, WL_OP_ROW_END, 0, 0, 0, 0);
    if (it->in_units)
        put_step(it, WL_OP_UNIT_END, 0, 0, 0, 0);
    put_step(it, WL_OP_AGAIN, 0, kind, (int64_t)loop + 1, COUNT);
    it->program.steps[loop].c = (int64_t)it->program.step_count;
    if (it->limited)
        put_step(it, WL_OP_LIMIT_END, 0, 0, 0, 0);
}

static layout make_layout(source_of_chance *chance) {
    layout it = {.limited = pick(chance, 2), .in_units = pick(chance, 2), .outer = pick(chance, 12)};
    it.numbers = pick(chance, 6) == 0;
    it.flat = it.numbers ? pick(chance, 4) : pick(chance, 3) == 0;
    it.alike = !it.numbers && pick(chance, 2);
    it.padding = it.flat && !it.numbers ? pick(chance, 4) : 0;
    it.by_count = !it.limited || pick(chance, 2);
    it.program.registers = FIRST_FREE;
    it.program.spans = 1;
    it.program.loops = !it.flat;
    it.program.marks = 2;
    it.program.rules[0] = sum_rule(crc_of(CRC32C, 0, 0), -1, 0, 0);
    it.program.rule_count = 1;
    if (it.numbers)
        make_numbers(chance, &it);
    else
        make_parts(chance, &it, 2);
    it.before = it.numbers || pick(chance, 2) ? 0 : it.parts[0].other;
    it.after = it.part_count;
    if (it.before == it.part_count)
        it.before = 0;
    it.summed = !it.before && !it.numbers && pick(chance, 4) == 0;
    if (it.flat) {
        it.program.input_registers = 1;
        put_step(&it, WL_OP_MARK, 0, 1, 0, 0);
        put_parts(chance, &it, 0, it.part_count, true);
        if (it.summed)
            put_sum(&it);
    } else {
        put_unit(chance, &it);
    }
    put_step(&it, WL_OP_END, 0, 0, 0, 0);
    return it;
}

/* Inputs ----------------------------------------------------------------------------------------------------------- */

static size_t write_varint(uint8_t *at, uint64_t value, bool big_endian) {
    uint8_t bytes[10];
    size_t count = 0;
    do
        bytes[count++] = value & 0x7F;
    while (value >>= 7);
    for (size_t i = 0; i < count; i++)
        at[i] = (uint8_t)(bytes[big_endian ? count - 1 - i : i] | (i + 1 < count ? 0x80 : 0));
    return count;
}

static size_t write_number(const part *each, uint8_t *at, int64_t value) {
    if (each->field) {
        at[0] = (uint8_t)((uint64_t)value >> 8 * (each->field - 1));
        at[each->field - 1] = (uint8_t)value;
        return each->field;
    }
    uint64_t natural = each->flags & 2 ? ((uint64_t)value << 1) ^ (uint64_t)(value >> 63) : (uint64_t)value;
    return write_varint(at, natural, each->flags & 1);
}

static bool compare(unsigned code, int64_t left, int64_t right) {
    const bool found[] = {left == right, left != right, left < right, left <= right, left > right, left >= right};
    return found[code - 15];
}

static size_t write_parts(source_of_chance *chance, const layout *it, unsigned from, unsigned to, uint8_t *at, bool in_sub);

static size_t write_part(source_of_chance *chance, const layout *it, unsigned number, uint8_t *at) {
    const part *each = it->parts + number;
    const bool negative = each->field || each->flags & 2;
    size_t size = 0;
    int64_t value = (int64_t)chance_below(chance, each->groups == 1 ? 30 : 100);
    if (each->kind == FIXED || each->kind == FIXED_SUB || each->kind == REST || each->kind == ITEMS || each->kind == ALIKE) {
        size_t end = each->kind == ALIKE ? it->outer : each->kind == REST ? chance_below(chance, 20) : each->size;
        for (end = each->kind == ITEMS ? chance_below(chance, 60) == 0 : end; size < end; size++)
            at[size] = (uint8_t)chance_next(chance);
        return size;
    }
    if (each->kind == VARINT)
        value = negative && chance_below(chance, 2) ? -value : value << (each->groups > 2 ? chance_below(chance, 8) : 0);
    if (each->kind == LIST)
        value = chance_below(chance, 60) ? 0 : 1 + (int64_t)chance_below(chance, 3);
    if (each->kind == OPTIONAL)
        value = it->alike && chance_below(chance, 40) ? 1 : (int64_t)chance_below(chance, 4) - negative;
    if (each->kind == NULLABLE)
        value = chance_below(chance, 3) ? value : -1;
    if (each->kind == SUB) {
        uint8_t inside[8000];
        size_t there = write_parts(chance, it, number + 1, each->end, inside, true);
        size = write_number(each, at, (int64_t)there);
        memcpy(at + size, inside, there);
        return size + there;
    }
    size = write_number(each, at, value);
    if (each->kind == OPTIONAL)
        return size + (compare(each->code, value, each->bound)
                           ? write_parts(chance, it, number + 1, each->end, at + size, false)
                           : write_parts(chance, it, each->end, each->other, at + size, false));
    if (each->kind == STRING || each->kind == TEXT || each->kind == LIST || each->kind == NULLABLE) {
        value += each->moves == 3 ? each->bound : each->moves ? -each->bound : 0;
        for (size_t end = size + (value < 0 ? 0 : (size_t)value); size < end; size++)
            at[size] = (uint8_t)(chance_next(chance) & (each->kind == TEXT ? 0x7F : 0xFF));
    }
    return size;
}

static size_t write_parts(source_of_chance *chance, const layout *it, unsigned from, unsigned to, uint8_t *at, bool in_sub) {
    size_t size = 0;
    for (unsigned i = from; i < to; i = it->parts[i].other)
        size += write_part(chance, it, i, at + size);
    /* What the parts leave of a sub-stream is passed over. */
    for (size_t more = in_sub && chance_below(chance, 20) == 0 ? chance_below(chance, 5) : 0; more; more--)
        at[size++] = 0;
    return size;
}

static size_t write_unit(source_of_chance *chance, const layout *it, uint8_t *at) {
    const size_t head = it->flat ? 0 : 10;
    size_t rows = chance_below(chance, 4) ? chance_below(chance, 200) : chance_below(chance, 6), size = head, count = 0;
    for (; count < rows && size < ROOM_FOR_UNITS / 2; count++) {
        const size_t begin = size;
        size += write_parts(chance, it, 0, it->part_count, at + size, false);
        if (it->summed) {
            const uint64_t sum = sum_of(&it->program.rules[0].algorithm.of, at + begin, size - begin);
            at[size++] = 0xA5;
            for (int i = 0; i < 4; i++)
                at[size++] = (uint8_t)(sum >> 8 * i);
        }
        memset(at + size, 0xEE, it->padding);
        size += it->padding;
    }
    if (it->flat)
        return size;
    at[0] = (uint8_t)it->outer;
    at[1] = (uint8_t)count;
    at[2] = (uint8_t)(count >> 8);
    for (int i = 0; i < 4; i++)
        at[3 + i] = (uint8_t)((size - 10) >> 8 * i);
    memcpy(at + 7, "abc", 3);
    return size;
}

static size_t rows_read, rows_damaged;

static void same_both_ways(source_of_chance *chance, const wl_program *program, feed how) {
    feed singly = how;
    singly.row_by_row = true;
    outcome expected = read_all(program, &singly), found = read_all(program, &how);
    CHECK(same_outcome(&expected, &found));
    free(found.bytes);
    how.chunk = 1 + chance_below(chance, 3000);
    how.capacity = 1 + chance_below(chance, 500);
    how.room = chance_below(chance, 600);
    how.damages = 1 + chance_below(chance, 4);
    found = read_all(program, &how);
    CHECK(same_outcome(&expected, &found));
    free(found.bytes);
    rows_read += expected.rows;
    rows_damaged += expected.damaged;
    free(expected.bytes);
}

static void test_layouts(void) {
    source_of_chance chance = {18};
    for (size_t rounds = rounds_of(500); rounds; rounds--) {
        layout it = make_layout(&chance);
        wl_program *program = draft_load(&it.program);
        uint8_t *all = exactly(2 * ROOM_FOR_UNITS);
        size_t size = 0;
        for (size_t units = chance_below(&chance, 12); units && size < ROOM_FOR_UNITS; units--)
            size += write_unit(&chance, &it, all + size);
        size -= chance_below(&chance, 2) ? 0 : chance_below(&chance, size + 1) % 50;
        for (size_t count = chance_below(&chance, 2) ? 0 : chance_below(&chance, 12); count && size; count--)
            all[chance_below(&chance, size)] ^= (uint8_t)(1u << chance_below(&chance, 8));
        uint8_t *input = copy_of(all, size);
        const wl_integer input_registers[1] = {it.outer};
        size_t most = chance_below(&chance, 4) ? 1 << 17 : 500 + chance_below(&chance, 20000);
        if (it.numbers && it.flat && chance_below(&chance, 3) == 0)
            most = 2 * it.part_count - chance_below(&chance, 3);
        feed how = {.input = input,
                    .size = size,
                    .capacity = 1 + chance_below(&chance, 4000),
                    .room = 1 << 16,
                    .damages = 100,
                    .max_record = most,
                    .stop = -1,
                    .wanted = chance_below(&chance, 3) ? 0xFFFF : (uint32_t)chance_next(&chance) & 0xFFFF,
                    .verify = true,
                    .null_rows = chance_below(&chance, 2),
                    .input_registers = input_registers,
                    .padding = it.padding,
                    .max_items = 100000};
        same_both_ways(&chance, program, how);
        free(input);
        free(all);
        wl_program_free(program);
    }
}

int main(void) {
    for_every_level(test_layouts);
    printf("%zu rows, %zu damaged\n", rows_read, rows_damaged);
    return rows_read > rounds_of(100000) && rows_damaged > rounds_of(500) ? 0 : 1;
}
