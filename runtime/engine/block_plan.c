/* Whether a plan can be run a block at a time, and its steps as a block runs them. */
#include "block.h"

/* What is known of a register, a span or a mark at a step of the plan. */
typedef struct {
    bool known;
    uint32_t kind;
    wl_place from, to;
} fact;

typedef struct {
    wl_block *block;
    wl_place cursor, base;
    fact registers[WL_MOST_REGISTERS];
    fact spans[WL_MOST_SPANS];
    fact marks[WL_MOST_MARKS];
} planner;

static wl_block_step *add(wl_block_step *steps, size_t *count, wl_block_function run,
                          const wl_instruction *instruction) {
    wl_block_step *step = steps + (*count)++;
    *step = (wl_block_step){.run = run, .column = instruction->a, .out = instruction->out};
    return step;
}

static wl_block_step *add_check(planner *plan, wl_block_function run, const wl_instruction *instruction) {
    return add(plan->block->checks, &plan->block->check_count, run, instruction);
}

static wl_block_step *add_column(planner *plan, wl_block_function run, const wl_instruction *instruction) {
    return add(plan->block->columns, &plan->block->column_count, run, instruction);
}

static wl_place behind(wl_place place, int64_t bytes) { return (wl_place){place.stretch, place.offset + bytes}; }

/* Bounds as the low one and the reach: in the field's own 64 bits, signed or not. False: no value lies in them. */
static bool set_bounds(wl_block_step *step, wl_integer low, wl_integer high) {
    bool natural = step->kind == WL_U8LE || step->kind == WL_U8BE;
    wl_integer least = natural ? 0 : INT64_MIN, most = natural ? (wl_integer)UINT64_MAX : INT64_MAX;
    low = low > least ? low : least;
    high = high < most ? high : most;
    step->low = (uint64_t)low;
    step->reach = (uint64_t)(high - low);
    return low <= high;
}

static bool add_range(planner *plan, const wl_instruction *instruction, const fact *value) {
    wl_block_step *step = add_check(plan, wl_block_range, instruction);
    wl_integer high = instruction->b & 0x80 ? (wl_integer)(uint64_t)instruction->d : (wl_integer)instruction->d;
    step->from = value->from;
    step->kind = value->kind;
    return set_bounds(step, instruction->c, high);
}

static bool add_timestamp(planner *plan, const wl_instruction *instruction, const fact *value) {
    wl_block_step *step = add_column(plan, wl_block_timestamp, instruction);
    step->from = value->from;
    step->kind = value->kind;
    return set_bounds(step, instruction->c, instruction->d);
}

static void add_bytes(planner *plan, const wl_instruction *instruction, const fact *span) {
    wl_block *block = plan->block;
    block->copies[block->copy_count++] = (wl_block_copy){.from = span->from,
                                                         .to = span->to,
                                                         .out = instruction->out,
                                                         .offsets = instruction->offsets,
                                                         .room = (size_t)instruction->d};
}

static bool add_checksum(planner *plan, const wl_instruction *instruction) {
    wl_block *block = plan->block;
    const wl_checksum *checksum = block->run->checksums + instruction->a;
    const fact *from = plan->marks + instruction->c, *to = plan->marks + instruction->d;
    const fact *expected = plan->registers + instruction->b;
    const fact *own = checksum->rule->replace >= 0 ? plan->marks + checksum->rule->own : from;
    if (!from->known || !to->known || !own->known || !expected->known)
        return false;
    block->sums[block->sum_count++] = (wl_block_sum){.from = from->from,
                                                     .to = to->from,
                                                     .own = own->from,
                                                     .expected = expected->from,
                                                     .kind = expected->kind,
                                                     .checksum = checksum};
    return true;
}

static void add_fixed(planner *plan, const wl_instruction *instruction) {
    wl_block_step *step = add_column(plan, wl_block_fixed(instruction->operation), instruction);
    step->from = behind(plan->base, instruction->c);
}

/* A byte string of a size that the input says. */
static bool add_string(planner *plan, const fact *size, int64_t more) {
    wl_block *block = plan->block;
    if (!size->known || block->string_count == WL_MOST_STRETCHES - 1)
        return false;
    block->strings[block->string_count++] = (wl_string){size->from, size->kind, more, plan->cursor.offset};
    block->fixed += (size_t)plan->cursor.offset;
    plan->cursor = (wl_place){(uint32_t)block->string_count, 0};
    return true;
}

static bool add_step(planner *plan, const wl_instruction *instruction) {
    const fact *value;
    wl_place begin = plan->cursor;
    switch (instruction->operation) {
    case WL_RUN_NEED:
        plan->base = begin;
        plan->cursor = behind(begin, instruction->c);
        return true;
    case WL_RUN_REGISTER_LE4:
    case WL_RUN_REGISTER_BE4:
    case WL_RUN_REGISTER:
        plan->registers[instruction->a] =
            (fact){.known = true, .kind = instruction->b, .from = behind(plan->base, instruction->c)};
        return true;
    case WL_RUN_BYTES_FIXED:
        plan->cursor = behind(begin, instruction->c);
        plan->spans[instruction->a] = (fact){.known = true, .from = begin, .to = plan->cursor};
        return true;
    case WL_RUN_BYTES_REGISTER:
        if (!add_string(plan, plan->registers + instruction->b, instruction->c))
            return false;
        plan->spans[instruction->a] = (fact){.known = true, .from = begin, .to = plan->cursor};
        return true;
    case WL_RUN_SKIP_REGISTER:
        return add_string(plan, plan->registers + instruction->a, instruction->c);
    case WL_RUN_MARK:
        plan->marks[instruction->a] =
            (fact){.known = true, .from = instruction->b ? begin : behind(plan->base, instruction->c)};
        return true;
    case WL_RUN_CHECK_RANGE:
        value = plan->registers + instruction->a;
        return value->known && add_range(plan, instruction, value);
    case WL_RUN_CHECK_CONSTANT: {
        wl_block_step *step = add_check(plan, wl_block_constant, instruction);
        step->from = behind(plan->base, instruction->c);
        step->constant = instruction->constant;
        step->constant_size = (size_t)instruction->d;
        return true;
    }
    case WL_RUN_CHECKSUM:
        return add_checksum(plan, instruction);
    case WL_RUN_COLUMN_REGISTER: {
        value = plan->registers + instruction->b;
        wl_block_step *step = add_column(plan, wl_block_register, instruction);
        step->from = value->from;
        step->kind = value->kind;
        step->width = (uint32_t)instruction->c;
        return value->known;
    }
    case WL_RUN_COLUMN_TIMESTAMP:
        value = plan->registers + instruction->b;
        return value->known && add_timestamp(plan, instruction, value);
    case WL_RUN_COLUMN_BYTES:
        value = plan->spans + instruction->b;
        if (value->known)
            add_bytes(plan, instruction, value);
        return value->known;
    default:
        if (instruction->operation < WL_RUN_COLUMN_1 || instruction->operation > WL_RUN_COLUMN_BE8)
            return false;
        add_fixed(plan, instruction);
        return true;
    }
}

bool wl_block_plan(wl_block *block) {
    const wl_fill_arguments *arguments = block->run->arguments;
    planner plan = {.block = block};
    const wl_instruction *instruction = block->run->plan;
    for (; instruction->operation != WL_RUN_END; instruction++) {
        if (!add_step(&plan, instruction))
            return false;
    }
    block->fixed += (size_t)plan.cursor.offset;
    block->stride = block->fixed + arguments->padding;
    /* A row without bytes ends the input, and one that is larger than the largest is refused: not here. */
    return block->fixed && block->fixed <= arguments->max_record;
}
