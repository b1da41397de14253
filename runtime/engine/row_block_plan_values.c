/* The checks and columns of a plan, as steps of a row block. */
#include "row_block_planner.h"
#include "row_block_sums.h"

/* Adds the next step, for a known value. */
static wl_row_block_step *add(wl_row_block_step *steps, size_t *count, wl_row_block_function run, const wl_fact *value,
                              const wl_instruction *instruction) {
    wl_row_block_step *step = steps + (*count)++;
    *step = (wl_row_block_step){
        .run = run, .from = value->from, .kind = value->kind, .column = instruction->a, .out = instruction->out,
        .values = value->values, .outer = value->outer, .instruction = instruction};
    return step;
}

/* Records that rows of the guard write the column. False: others may write it too. */
static bool note_write(wl_planner *plan, uint32_t column) {
    if (!plan->block->run->program->conditional[column])
        return plan->guard == 0;
    for (size_t i = 0; i < plan->write_count; i++) {
        if (plan->writes[i].column == column &&
            !wl_guards_exclude(plan->block->guards, plan->writes[i].guard, plan->guard))
            return false;
    }
    if (plan->write_count == WL_MOST_STRETCHES)
        return false;
    plan->writes[plan->write_count++] = (wl_guarded_write){column, plan->guard};
    return true;
}

static wl_row_block_step *add_check(wl_planner *plan, wl_row_block_function run, const wl_fact *value,
                                    const wl_instruction *instruction) {
    wl_row_block_step *step = add(plan->block->checks, &plan->block->check_count, run, value, instruction);
    step->guard = plan->guard;
    return step;
}

static wl_row_block_step *add_column(wl_planner *plan, wl_row_block_function run, const wl_fact *value,
                                     const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    wl_row_block_step *step = add(block->columns, &block->column_count, run, value, instruction);
    step->width = block->run->program->storages[instruction->a];
    step->guard = plan->guard;
    return step;
}

/* Converts bounds to the lower one and the reach, in the field's own 64 bits, signed or unsigned. False: no value is
 * within them. */
static bool set_bounds(wl_row_block_step *step, wl_integer low, wl_integer high) {
    bool natural = step->kind == WL_U8LE || step->kind == WL_U8BE;
    wl_integer least = natural ? 0 : INT64_MIN, most = natural ? (wl_integer)UINT64_MAX : INT64_MAX;
    low = low > least ? low : least;
    high = high < most ? high : most;
    step->low = (uint64_t)low;
    step->reach = (uint64_t)(high - low);
    return low <= high;
}

static bool is_guarded(const wl_planner *plan, uint32_t column) {
    return plan->block->run->program->conditional[column];
}

bool wl_plan_range(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = wl_planner_value(plan, instruction->a);
    if (!value || value->outer || plan->guard)
        return false;
    wl_integer high = instruction->b & 0x80 ? (wl_integer)(uint64_t)instruction->d : (wl_integer)instruction->d;
    if (value->is_constant)
        return value->constant >= instruction->c && value->constant <= high;
    return set_bounds(add_check(plan, wl_row_block_range, value, instruction), instruction->c, high);
}

bool wl_plan_true(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = wl_planner_value(plan, instruction->a);
    return value && !value->outer && !plan->guard && add_check(plan, wl_row_block_true, value, instruction);
}

bool wl_plan_timestamp(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = wl_planner_value(plan, instruction->b);
    if (!value || is_guarded(plan, instruction->a))
        return false;
    wl_row_block_function run = value->outer ? wl_row_block_outer_timestamp : wl_row_block_timestamp;
    wl_row_block_step *step = add_column(plan, run, value, instruction);
    return value->outer || set_bounds(step, wl_earliest_time(instruction->c), wl_latest_time(instruction->c));
}

/* Whether all registers that an expression reads are known here. */
static bool are_known(const wl_planner *plan, const wl_instruction *instruction) {
    bool registers[WL_MOST_REGISTERS] = {false}, spans[WL_MOST_SPANS] = {false};
    wl_expression_uses(instruction->constant, (size_t)instruction->d, registers, spans);
    for (size_t i = 0; i < WL_MOST_REGISTERS; i++) {
        if (registers[i] && !wl_planner_value(plan, i))
            return false;
    }
    return true;
}

/* What a step computes for each row. */
static wl_fact computed(uint32_t guard, const int64_t *values) {
    return (wl_fact){.known = true, .kind = WL_HOST_S8, .values = values, .is_computed = true, .guard = guard};
}

/* A condition becomes a table. With a known byte, what depends on it is computed here. */
bool wl_plan_expression(wl_planner *plan, const wl_instruction *instruction) {
    wl_fact made = computed(plan->guard, NULL);
    const wl_instruction *next = instruction + 1, *used = instruction;
    const bool decides = next->operation == WL_RUN_SKIP_IF_ZERO && next->a == instruction->a;
    if (plan->block->known.is_known) {
        const size_t begin = plan->folding.used;
        made.is_constant =
            wl_fold_codes(&plan->folding, instruction->constant, (size_t)instruction->d, &made.constant);
        plan->simplified = *instruction;
        plan->simplified.constant = plan->folding.codes + begin;
        plan->simplified.d = (int64_t)(plan->folding.used - begin);
        used = &plan->simplified;
    }
    plan->condition = decides && !made.is_constant ? used : NULL;
    if (plan->condition)
        return true;
    wl_row_block_step *step = add_check(plan, wl_row_block_expression, &(wl_fact){0}, instruction);
    if (!are_known(plan, used) || !wl_row_block_decode(plan->block, used, step, plan->registers))
        return false;
    made.values = step->result;
    plan->registers[instruction->a] = made;
    return true;
}

static bool same(wl_place one, wl_place other) { return one.stretch == other.stretch && one.offset == other.offset; }

/* The step for the same property of the stream; NULL: there is none. */
static wl_row_block_step *stream_step(wl_planner *plan, const wl_instruction *instruction) {
    for (size_t i = 0; i < plan->block->check_count; i++) {
        wl_row_block_step *step = plan->block->checks + i;
        if (step->run == wl_row_block_stream && step->instruction->b == instruction->b &&
            step->instruction->c == instruction->c && (instruction->b || same(step->from, plan->cursor)))
            return step;
    }
    return NULL;
}

/* A property of a stream around the rows: its size, or its position. */
bool wl_plan_stream(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact here = {.from = plan->cursor};
    if (plan->loop < 0 || plan->guard || instruction->b > 1 || instruction->c > plan->block->run->depth ||
        (!instruction->b && plan->depth))
        return false;
    wl_row_block_step *step = stream_step(plan, instruction);
    if (!step) {
        step = add_check(plan, wl_row_block_stream, &here, instruction);
        if (!wl_row_block_add_result(plan->block, step))
            return false;
    }
    plan->registers[instruction->a] = computed(0, step->result);
    plan->registers[instruction->a].is_same = instruction->b == 1;
    return true;
}

/* Only iterations that are followed by another one are run: for a loop that ends by a value, those for which it is
 * 0. */
bool wl_plan_until(wl_planner *plan, const wl_instruction *again) {
    const wl_fact *value = again->b == WL_LOOP_UNTIL ? wl_planner_value(plan, (size_t)again->d) : NULL;
    return again->b != WL_LOOP_UNTIL || (value && !value->outer && add_check(plan, wl_row_block_zero, value, again));
}


/* Text in a column is checked there, since the text of all rows is contiguous. */
bool wl_plan_text(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact *text = wl_planner_span(plan, instruction->a);
    if (!text || instruction->c > WL_ASCII)
        return false;
    wl_row_block_step *step = add_check(plan, wl_row_block_text, text, instruction);
    step->to = text->to;
    step->kind = (uint32_t)instruction->c;
    return true;
}

/* The number of copies to the same column as that one. */
static size_t copies_to(const wl_row_block *block, const wl_string_column *column) {
    size_t count = 0;
    for (size_t i = 0; i < block->copy_count; i++)
        count += block->copies[i].offsets == column->offsets;
    return count;
}

/* For a column that begins as empty and is written by one part of the row, that part does both. */
static void join_copies(wl_row_block *block) {
    const size_t unset = block->unset_copies;
    size_t kept = 0;
    for (size_t i = unset; i < block->copy_count; i++) {
        wl_string_column *column = block->copies + i;
        column->alone = column->guard && copies_to(block, column) == 2;
    }
    for (size_t i = 0; i < block->copy_count; i++) {
        bool is_joined = false;
        for (size_t j = unset; i < unset && j < block->copy_count; j++)
            is_joined |= block->copies[j].alone && block->copies[j].offsets == block->copies[i].offsets;
        if (!is_joined)
            block->copies[kept++] = block->copies[i];
    }
    block->copy_count = kept;
}

/* A column with text that was checked before it was copied. */
void wl_plan_copies(wl_row_block *block) {
    join_copies(block);
    for (size_t i = 0; i < block->check_count; i++) {
        wl_row_block_step *step = block->checks + i;
        for (size_t j = 0; step->run == wl_row_block_text && !block->chooses && j < block->copy_count; j++) {
            const wl_string_column *column = block->copies + j;
            if (same(column->from, step->from) && same(column->to, step->to)) {
                step->out = column->out;
                step->offsets = column->offsets;
                step->room = column->room;
            }
        }
    }
}

bool wl_plan_register(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = wl_planner_value(plan, instruction->b);
    wl_row_block_function run = is_guarded(plan, instruction->a) ? wl_row_block_guarded_column
                                : value && value->outer          ? wl_row_block_outer_register
                                                                 : wl_row_block_register;
    return value && note_write(plan, instruction->a) && add_column(plan, run, value, instruction);
}

bool wl_plan_constant(wl_planner *plan, const wl_instruction *instruction) {
    wl_fact value = {.from = wl_place_after(plan->base, instruction->c)};
    wl_row_block_step *step = add_check(plan, wl_row_block_constant, &value, instruction);
    step->constant = instruction->constant;
    step->width = (uint32_t)instruction->d;
    return plan->based && !plan->guard;
}

bool wl_plan_fixed(wl_planner *plan, const wl_instruction *instruction) {
    static const uint8_t kinds[WL_RUN_COUNT] = {
        [WL_RUN_COLUMN_LE2] = WL_U2LE, [WL_RUN_COLUMN_BE2] = WL_U2BE, [WL_RUN_COLUMN_LE4] = WL_U4LE,
        [WL_RUN_COLUMN_BE4] = WL_U4BE, [WL_RUN_COLUMN_LE8] = WL_U8LE, [WL_RUN_COLUMN_BE8] = WL_U8BE,
    };
    wl_row_block_function run = wl_row_block_fixed(instruction->operation);
    if (!run || !plan->based || !note_write(plan, instruction->a))
        return false;
    wl_fact value = {.from = wl_place_after(plan->base, instruction->c), .kind = kinds[instruction->operation]};
    return add_column(plan, is_guarded(plan, instruction->a) ? wl_row_block_guarded_column : run, &value, instruction);
}

/* A row by itself is only in doubt directly after damage, where it is left to the handlers. */
bool wl_plan_default(wl_planner *plan) {
    plan->block->has_default = true;
    return plan->loop < 0;
}

/* For columns other than structs and lists, a written value makes them valid. */
bool wl_plan_valid(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact nothing = {0};
    const unsigned storage = plan->block->run->program->storages[instruction->a];
    if (storage == WL_LIST) {
        /* Directly after the end of the list, which has recorded that it is written. */
        add_column(plan, wl_row_block_guarded_valid, &nothing, instruction);
        return true;
    }
    if (storage != WL_STRUCT)
        return true;
    return note_write(plan, instruction->a) && add_column(plan, wl_row_block_guarded_valid, &nothing, instruction);
}

bool wl_plan_bytes(wl_planner *plan, const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    const wl_fact outer = {.outer_span = block->run->spans + instruction->b};
    const bool is_outer = plan->loop >= 0 && !plan->own_spans[instruction->b];
    const wl_fact *span = is_outer ? &outer : wl_planner_span(plan, instruction->b);
    if (!span || !note_write(plan, instruction->a))
        return false;
    block->nested |= is_outer;
    if (is_guarded(plan, instruction->a))
        add_column(plan, wl_row_block_guarded_valid, span, instruction);
    block->copies[block->copy_count++] = (wl_string_column){.from = span->from,
                                                            .to = span->to,
                                                            .out = instruction->out,
                                                            .offsets = instruction->offsets,
                                                            .room = (size_t)instruction->d,
                                                            .guard = plan->guard,
                                                            .outer = span->outer_span};
    return true;
}

bool wl_plan_null(wl_planner *plan, const wl_instruction *instruction) {
    /* It begins as null, and nothing else is written in the same rows. */
    return is_guarded(plan, instruction->a) && note_write(plan, instruction->a);
}

/* The list of rows without items in it: `b` is their level. */
bool wl_plan_no_items(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact nothing = {.kind = instruction->b};
    if (!instruction->offsets)
        return true;
    wl_row_block_step *step = add_column(plan, wl_row_block_no_items, &nothing, instruction);
    step->out = instruction->offsets;
    return note_write(plan, instruction->a);
}

/* Computes the stored form of a checksum for all rows together, from their sums; those of fixed bytes are computed for
 * all rows together as well. */
static bool add_stored(wl_planner *plan, wl_sum *sum, const wl_fact *expected, const wl_instruction *instruction) {
    const wl_rule *rule = sum->checksum->rule;
    wl_row_block *block = plan->block;
    wl_row_block_step *step = add_check(plan, wl_row_block_stored_sum, expected, instruction);
    wl_row_block_step sums;
    if (sum->checksum->algorithm->of.width == 64 || !wl_row_block_add_result(block, &sums))
        return false;
    sum->result = sums.result;
    const wl_fact before = plan->registers[rule->sum];
    plan->registers[rule->sum] = computed(0, sums.result);
    const bool good = are_known(plan, &sum->checksum->stored) &&
                      wl_row_block_decode(block, &sum->checksum->stored, step, plan->registers);
    plan->registers[rule->sum] = before;
    if (good)
        wl_row_block_fuse_rotation(step);
    if (good && sum->from.stretch == sum->to.stretch && wl_row_block_is_simple_sum(block, sum)) {
        block->sums[--block->sum_room] = *sum;
        step->sum = block->sums + block->sum_room;
        block->sum_count--;
    }
    return good;
}

bool wl_plan_checksum(wl_planner *plan, const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    const wl_checksum *checksum = block->run->checksums + instruction->a;
    const wl_rule *rule = checksum->rule;
    if (rule->start != WL_NO_REGISTER || rule->extra != WL_NO_REGISTER || rule->place != WL_SUM_IN_REGISTER || plan->guard)
        return false;
    const wl_fact *from = plan->marks + instruction->c, *to = plan->marks + instruction->d;
    const wl_fact *expected = wl_planner_value(plan, instruction->b);
    if (!expected)
        return false;
    const wl_fact *own = rule->replace >= 0 ? plan->marks + rule->own : from;
    wl_sum *sum = block->sums + block->sum_count++;
    *sum = (wl_sum){.from = from->from,
                    .to = to->from,
                    .expected = expected->from,
                    .kind = expected->kind,
                    .skipped = rule->replace >= 0 ? rule->own_size : 0,
                    .checksum = checksum};
    /* If something is replaced, the range begins with it. */
    return from->known && to->known && own->known && same(own->from, from->from) && !expected->is_computed && !expected->outer && !expected->guard &&
           (!rule->stored_size || add_stored(plan, sum, expected, instruction));
}

/* Columns that begin as null; those of bytes also begin as empty. */
void wl_plan_unset(wl_planner *plan) {
    wl_row_block *block = plan->block;
    const wl_run *run = block->run;
    for (uint32_t i = 0; i < run->unset_from[1]; i++) {
        const wl_column *column = run->arguments->columns + run->unset[i];
        wl_row_block_step *step = block->columns + block->column_count++;
        *step = (wl_row_block_step){.run = wl_row_block_unset, .column = run->unset[i], .out = column->values,
                                    .width = run->program->storages[run->unset[i]]};
        if (step->width == WL_LIST)
            step->out = column->offsets;
        if (step->width == WL_VARIABLE)
            block->copies[block->copy_count++] =
                (wl_string_column){.out = column->values,
                                   .offsets = column->offsets,
                                   .room = wl_smaller(column->data_size, INT32_MAX)};
    }
    block->unset_copies = block->copy_count;
}

