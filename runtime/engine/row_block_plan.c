/* Whether a plan can be run as a row block, and its steps as a row block runs them. */
#include "row_block_expressions.h"

typedef struct {
    wl_row_block *block;
    bool delimited;
    bool at_end; /* between delimiters: nothing follows */
    wl_place cursor, base;
    wl_fact registers[WL_MOST_REGISTERS];
    wl_fact spans[WL_MOST_SPANS];
    wl_fact marks[WL_MOST_MARKS];
} planner;

static wl_place after(wl_place place, int64_t bytes) { return (wl_place){place.stretch, place.offset + bytes}; }

/* The next step, about a value that is known. */
static wl_row_block_step *add(wl_row_block_step *steps, size_t *count, wl_row_block_function run, const wl_fact *value,
                              const wl_instruction *instruction) {
    wl_row_block_step *step = steps + (*count)++;
    *step = (wl_row_block_step){
        .run = run, .from = value->from, .kind = value->kind, .column = instruction->a, .out = instruction->out,
        .lane = value->lane, .instruction = instruction};
    return step;
}

static wl_row_block_step *add_check(planner *plan, wl_row_block_function run, const wl_fact *value,
                                    const wl_instruction *instruction) {
    return add(plan->block->checks, &plan->block->check_count, run, value, instruction);
}

static wl_row_block_step *add_column(planner *plan, wl_row_block_function run, const wl_fact *value,
                                     const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    wl_row_block_step *step = add(block->columns, &block->column_count, run, value, instruction);
    step->width = block->run->program->storages[instruction->a];
    return step;
}

/* Bounds as the low one and the reach: in the field's own 64 bits, signed or not. False: no value lies in them. */
static bool set_bounds(wl_row_block_step *step, wl_integer low, wl_integer high) {
    bool natural = step->kind == WL_U8LE || step->kind == WL_U8BE;
    wl_integer least = natural ? 0 : INT64_MIN, most = natural ? (wl_integer)UINT64_MAX : INT64_MAX;
    low = low > least ? low : least;
    high = high < most ? high : most;
    step->low = (uint64_t)low;
    step->reach = (uint64_t)(high - low);
    return low <= high;
}

static bool add_range(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = plan->registers + instruction->a;
    wl_integer high = instruction->b & 0x80 ? (wl_integer)(uint64_t)instruction->d : (wl_integer)instruction->d;
    wl_row_block_step *step =
        add_check(plan, value->lane ? wl_row_block_lane_range : wl_row_block_range, value, instruction);
    return value->known && (value->lane || set_bounds(step, instruction->c, high));
}

static bool add_true(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = plan->registers + instruction->a;
    add_check(plan, value->lane ? wl_row_block_lane_true : wl_row_block_true, value, instruction);
    return value->known;
}

static bool add_timestamp(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = plan->registers + instruction->b;
    wl_row_block_step *step =
        add_column(plan, value->lane ? wl_row_block_lane_timestamp : wl_row_block_timestamp, value, instruction);
    return value->known && (value->lane || set_bounds(step, instruction->c, instruction->d));
}

static bool add_expression(planner *plan, const wl_instruction *instruction) {
    const wl_fact nothing = {0};
    wl_row_block_step *step = add_check(plan, wl_row_block_expression, &nothing, instruction);
    if (!wl_row_block_decode(plan->block, instruction, step, plan->registers, plan->spans))
        return false;
    plan->registers[instruction->a] = (wl_fact){.known = true, .lane = step->lane};
    return true;
}

static bool same(wl_place one, wl_place other) { return one.stretch == other.stretch && one.offset == other.offset; }

/* Text that a column has is checked there, where the text of all rows stands side by side. */
static bool add_text(planner *plan, const wl_instruction *instruction) {
    const wl_fact *text = plan->spans + instruction->a;
    wl_row_block_step *step = add_check(plan, wl_row_block_text, text, instruction);
    step->to = text->to;
    step->kind = (uint32_t)instruction->c;
    return text->known;
}

/* A column with text that was checked before it was copied. */
static void find_copies(wl_row_block *block) {
    for (size_t i = 0; i < block->check_count; i++) {
        wl_row_block_step *step = block->checks + i;
        for (size_t j = 0; step->run == wl_row_block_text && j < block->copy_count; j++) {
            const wl_string_column *column = block->copies + j;
            if (same(column->from, step->from) && same(column->to, step->to)) {
                step->out = column->out;
                step->offsets = column->offsets;
                step->room = column->room;
            }
        }
    }
}

static bool add_register(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = plan->registers + instruction->b;
    add_column(plan, wl_row_block_register, value, instruction);
    return value->known;
}

static bool add_constant(planner *plan, const wl_instruction *instruction) {
    wl_fact value = {.from = after(plan->base, instruction->c)};
    wl_row_block_step *step = add_check(plan, wl_row_block_constant, &value, instruction);
    step->constant = instruction->constant;
    step->width = (uint32_t)instruction->d;
    return true;
}

static bool add_fixed(planner *plan, const wl_instruction *instruction) {
    wl_row_block_function run = wl_row_block_fixed(instruction->operation);
    wl_fact value = {.from = after(plan->base, instruction->c)};
    return run && add_column(plan, run, &value, instruction);
}

static bool add_bytes(planner *plan, const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    const wl_fact *span = plan->spans + instruction->b;
    block->copies[block->copy_count++] = (wl_string_column){.from = span->from,
                                                            .to = span->to,
                                                            .out = instruction->out,
                                                            .offsets = instruction->offsets,
                                                            .room = (size_t)instruction->d};
    return span->known;
}

static bool add_checksum(planner *plan, const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    const wl_checksum *checksum = block->run->checksums + instruction->a;
    const wl_rule *rule = checksum->rule;
    if (rule->start != WL_NO_REGISTER || rule->place != WL_IN_REGISTER)
        return false;
    const wl_fact *from = plan->marks + instruction->c, *to = plan->marks + instruction->d;
    const wl_fact *expected = plan->registers + instruction->b;
    const wl_fact *own = rule->replace >= 0 ? plan->marks + rule->own : from;
    block->sums[block->sum_count++] =
        (wl_sum){.from = from->from,
                 .to = to->from,
                 .own = own->from,
                 .expected = expected->from,
                 .kind = expected->kind,
                 .is_plain = own->from.stretch == from->from.stretch && own->from.offset == from->from.offset,
                 .skipped = rule->replace >= 0 ? rule->own_size : 0,
                 .checksum = checksum};
    return from->known && to->known && own->known && expected->known && !expected->lane;
}

/* Bytes that every row has. */
static bool pass(planner *plan, int64_t bytes) {
    if (plan->at_end || bytes < 0 || bytes > INT32_MAX - plan->cursor.offset)
        return false;
    plan->cursor.offset += bytes;
    return true;
}

/* What follows the cursor lies in a stretch of its own. */
static void begin_stretch(planner *plan) {
    plan->block->fixed += (size_t)plan->cursor.offset;
    plan->cursor = (wl_place){plan->cursor.stretch + 1, 0};
}

/* A byte string of a size that the input says. */
static bool add_string(planner *plan, const wl_fact *size, int64_t more) {
    wl_row_block *block = plan->block;
    if (plan->delimited || !size->known || size->lane || block->string_count == WL_MOST_STRETCHES - 1)
        return false;
    block->strings[block->string_count++] = (wl_string){size->from, size->kind, more, plan->cursor.offset};
    begin_stretch(plan);
    return true;
}

/* All that is left between delimiters. */
static bool add_rest(planner *plan) {
    if (!plan->delimited || plan->at_end)
        return false;
    begin_stretch(plan);
    return plan->at_end = true;
}

static bool add_step(planner *plan, const wl_instruction *instruction) {
    wl_place begin = plan->cursor;
    switch (instruction->operation) {
    case WL_RUN_NEED:
        plan->base = begin;
        return pass(plan, instruction->c);
    case WL_RUN_REGISTER_LE4:
    case WL_RUN_REGISTER_BE4:
    case WL_RUN_REGISTER:
        plan->registers[instruction->a] =
            (wl_fact){.known = true, .kind = instruction->b, .from = after(plan->base, instruction->c)};
        return true;
    case WL_RUN_BYTES_FIXED:
    case WL_RUN_BYTES_REGISTER:
    case WL_RUN_BYTES_REST:
        if (instruction->operation == WL_RUN_BYTES_FIXED ? !pass(plan, instruction->c)
            : instruction->operation == WL_RUN_BYTES_REST
                ? !add_rest(plan)
                : !add_string(plan, plan->registers + instruction->b, instruction->c))
            return false;
        plan->spans[instruction->a] = (wl_fact){.known = true, .from = begin, .to = plan->cursor};
        return true;
    case WL_RUN_SKIP_REGISTER:
        return add_string(plan, plan->registers + instruction->a, instruction->c);
    case WL_RUN_MARK:
        plan->marks[instruction->a] =
            (wl_fact){.known = true, .from = instruction->b ? begin : after(plan->base, instruction->c)};
        return true;
    case WL_RUN_CHECK_RANGE:
        return add_range(plan, instruction);
    case WL_RUN_CHECK_TRUE:
        return add_true(plan, instruction);
    case WL_RUN_CHECK_UTF8:
        return add_text(plan, instruction);
    case WL_RUN_EXPRESSION:
        return add_expression(plan, instruction);
    case WL_RUN_CHECK_CONSTANT:
        return add_constant(plan, instruction);
    case WL_RUN_CHECKSUM:
        return add_checksum(plan, instruction);
    case WL_RUN_COLUMN_REGISTER:
        return add_register(plan, instruction);
    case WL_RUN_COLUMN_TIMESTAMP:
        return add_timestamp(plan, instruction);
    case WL_RUN_COLUMN_BYTES:
        return add_bytes(plan, instruction);
    default:
        return add_fixed(plan, instruction);
    }
}

bool wl_row_block_plan(wl_row_block *block) {
    const wl_fill_arguments *arguments = block->run->arguments;
    planner plan = {.block = block, .delimited = block->run->program->delimiter_size != 0};
    const wl_instruction *instruction = block->run->plan;
    for (; instruction->operation != WL_RUN_END; instruction++) {
        if (!add_step(&plan, instruction))
            return false;
    }
    block->fixed += (size_t)plan.cursor.offset;
    find_copies(block);
    if (plan.delimited)
        return true;
    if (!block->string_count)
        block->stride = block->fixed + arguments->padding;
    /* A row without bytes ends the input, and one that is larger than the largest is refused: not here. */
    return block->fixed && block->fixed <= arguments->max_record;
}
