/* The layout of a plan's fields, byte strings, varints, sub-streams and conditional parts in a row. */
#include "row_block_planner.h"

#include "expression.h"

/* Bytes that every row has. */
bool wl_plan_pass(wl_planner *plan, int64_t bytes) {
    if (plan->at_end || bytes < 0 || bytes > INT32_MAX - plan->cursor.offset)
        return false;
    plan->cursor.offset += bytes;
    return true;
}

/* Begins a new stretch at the cursor, of `guard`; `string` ends the previous one. False: there are too many. */
static bool begin_stretch(wl_planner *plan, wl_string string, uint32_t guard) {
    wl_row_block *block = plan->block;
    if (block->string_count + block->varint_count == WL_MOST_STRETCHES - 1 ||
        (plan->guard && plan->cursor.offset > WL_GUARDED_BYTES))
        return false;
    string.before = plan->cursor.offset;
    string.guard = plan->guard;
    string.next = guard;
    block->strings[block->string_count++] = string;
    plan->joined = false;
    block->fixed += plan->guard || plan->depth ? 0 : (size_t)plan->cursor.offset;
    plan->cursor = (wl_place){plan->cursor.stretch + 1, 0};
    plan->guard = guard;
    return true;
}

/* Ends a stretch with something other than a byte string with a size of its own. */
static bool end_nested(wl_planner *plan, wl_string string) {
    plan->block->nested = true;
    return !plan->delimited && begin_stretch(plan, string, plan->guard);
}

/* Records that a sub-stream begins. */
static bool enter(wl_planner *plan) {
    if (plan->depth == WL_DEEPEST_LIMIT)
        return false;
    plan->block->strings[plan->block->string_count - 1].depth = plan->depth;
    plan->limit_guards[plan->depth++] = plan->guard;
    return true;
}

/* The step that computes the values; NULL: it needs what is not known before the row's strings are located. */
static wl_row_block_step *early_step(wl_planner *plan, const int64_t *values) {
    wl_row_block *block = plan->block;
    for (size_t i = 0; i < block->check_count; i++) {
        wl_row_block_step *step = block->checks + i;
        if (step->result == values && (step->run == wl_row_block_expression || step->run == wl_row_block_computed))
            return wl_row_block_is_early(step) ? step : NULL;
    }
    return NULL;
}

/* A byte string, or sub-stream, with a size computed by an expression, which is evaluated when the string is
 * located. */
static bool plan_computed(wl_planner *plan, const int64_t *values, wl_string string) {
    string.kind = WL_BETWEEN_COMPUTED;
    string.computed = early_step(plan, values);
    if (!string.computed || plan->guard)
        return false;
    string.computed->run = wl_row_block_computed;
    return end_nested(plan, string) && (!string.enters || enter(plan));
}

/* Whether the values are those of a field plus or minus a constant, which are computed for the same rows as the string;
 * `field` and `more` then say which. */
static bool is_moved_field(const wl_planner *plan, const int64_t *values, wl_fact *field, int64_t *more) {
    const wl_row_block *block = plan->block;
    for (size_t i = 0; i < block->check_count; i++) {
        const wl_row_block_step *step = block->checks + i;
        if (step->result != values || step->run != wl_row_block_expression || step->guard != plan->guard)
            continue;
        const wl_block_code *code = step->codes, *by = step->code_count == 2 ? code + 1 : NULL;
        const bool adds = by && by->code == CODE_ADD, takes = by && by->code == CODE_SUBTRACT;
        const int64_t constant = by ? by->constant : 0;
        if (step->code_count > 2 || code->code != CODE_REGISTER || code->values || code->table || code->outer ||
            (by && !(by->is_constant && (adds || takes) && constant >= -INT32_MAX && constant <= INT32_MAX)))
            return false;
        *field = (wl_fact){.known = true, .kind = code->kind, .from = code->from};
        *more += takes ? -constant : constant;
        return true;
    }
    return false;
}

/* A byte string, or sub-stream, with a size in the input. */
bool wl_plan_string(wl_planner *plan, size_t number, int64_t more, bool enters) {
    const wl_fact *size = wl_planner_value(plan, number);
    if (!size || size->outer || plan->delimited)
        return false;
    wl_fact field;
    if (size->is_computed && is_moved_field(plan, size->values, &field, &more))
        size = &field;
    if (size->is_computed)
        return plan_computed(plan, size->values, (wl_string){.more = more, .enters = enters});
    wl_string string = {.size = size->from, .kind = size->kind, .more = more, .enters = enters};
    bool good = enters ? end_nested(plan, string) : begin_stretch(plan, string, plan->guard);
    return good && (!enters || enter(plan));
}

/* The rest of the stream. */
bool wl_plan_rest(wl_planner *plan, bool enters) {
    if (plan->depth || plan->loop >= 0)
        return end_nested(plan, (wl_string){.kind = WL_BETWEEN_REST, .enters = enters}) && (!enters || enter(plan));
    if (!plan->delimited || plan->at_end || enters)
        return false;
    plan->block->fixed += (size_t)plan->cursor.offset;
    plan->cursor = (wl_place){plan->cursor.stretch + 1, 0};
    return plan->at_end = true;
}

/* It ends in the same part in which it began. */
bool wl_plan_limit_end(wl_planner *plan) {
    if (!plan->depth || plan->limit_guards[plan->depth - 1] != plan->guard ||
        !end_nested(plan, (wl_string){.kind = WL_BETWEEN_LEAVE, .depth = plan->depth - 1}))
        return false;
    plan->depth--;
    return true;
}

/* Without AVX2, more adjacent varints than this that are all stored in columns are faster with the handler for them,
 * which examines sixteen bytes at once. */
#define MOST_SIDE_BY_SIDE 6

/* Adjacent varints are located together. */
bool wl_plan_varint(wl_planner *plan, const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    wl_string *last = block->strings + block->string_count - 1;
    const uint32_t number = (uint32_t)block->varint_count;
    if (number == WL_MOST_BLOCK_VARINTS)
        return false;
    if (instruction->operation == WL_RUN_VARINT_COLUMN && !wl_chosen.has_avx2 &&
        WL_VARINT_FOLLOWING(instruction->c) > MOST_SIDE_BY_SIDE)
        return false;
    if (plan->joined)
        last->count++;
    else if (!end_nested(plan, (wl_string){.kind = WL_BETWEEN_VARINTS, .first = number, .count = 1}))
        return false;
    plan->joined = true;
    block->varints[block->varint_count++] =
        (wl_block_varint){.plain = WL_VARINT_PLAIN(instruction->c),
                          .big_endian = (instruction->c & WL_VARINT_BIG_ENDIAN) != 0,
                          .zigzag = (instruction->c & WL_VARINT_ZIGZAG) != 0};
    /* Its value is at the position of a field in the host's byte order. */
    block->fixed += plan->guard || plan->depth ? 0 : 1;
    plan->registers[instruction->a] = (wl_fact){.known = true,
                                                .kind = WL_HOST_S8,
                                                .from = {WL_MOST_STRETCHES - 1 - number, 0},
                                                .values = block->values[number],
                                                .guard = plan->guard};
    return plan->cursor.stretch < WL_MOST_STRETCHES - 1 - number;
}

bool wl_plan_no_turns(wl_planner *plan, const wl_instruction *instruction) {
    const wl_fact *count = instruction->b == WL_LOOP_COUNT ? wl_planner_value(plan, (size_t)instruction->d) : NULL;
    return count && !count->outer && !count->is_computed &&
           end_nested(plan, (wl_string){.kind = WL_BETWEEN_EMPTY, .size = count->from, .more = count->kind});
}

/* Conditions ------------------------------------------------------------------------------------------------------- */

/* Steps from here on, up to the target of the jump, run if the register is not 0; those from there on, up to the target
 * of the jump before it, if any, run if it is 0. */
bool wl_plan_condition(wl_planner *plan, const wl_instruction *skip) {
    wl_block_guards *guards = plan->block->guards;
    const wl_instruction *code = plan->condition, *target = skip + skip->c, *last = target - 1;
    uint32_t number = skip->a;
    plan->condition = NULL;
    const wl_fact *decided = wl_planner_value(plan, number);
    if (!code && decided && decided->is_constant) {
        plan->next = decided->constant ? skip + 1 : target;
        return true;
    }
    if (plan->delimited || guards->count == WL_MOST_CONDITIONS)
        return false;
    if (code) {
        bool registers[WL_MOST_REGISTERS] = {false}, spans[WL_MOST_SPANS] = {false};
        wl_expression_uses(code->constant, (size_t)code->d, registers, spans);
        size_t read = 0;
        for (size_t i = 0; i < WL_MOST_SPANS; i++)
            read += 2 * spans[i];
        for (size_t i = 0; i < WL_MOST_REGISTERS; i++) {
            read += registers[i];
            number = registers[i] ? (uint32_t)i : number;
        }
        if (read != 1)
            return false;
        plan->registers[skip->a].known = false;
    }
    const wl_fact *value = wl_planner_value(plan, number);
    if (!value || value->is_computed || value->outer)
        return false;
    wl_condition *condition = guards->conditions + guards->count;
    condition->parent = plan->guard;
    condition->place = value->from;
    condition->kind = value->kind;
    condition->number = (uint32_t)guards->count;
    condition->by_range = wl_kind_size(value->kind) != 1;
    if (!condition->by_range && !value->from.stretch && plan->block->run->decider < 0)
        plan->block->run->decider = value->from.offset;
    plan->block->nested |= condition->by_range;
    if (!condition->by_range) {
        if (!wl_condition_tabulate(plan->block, guards->count, code, number, value->kind))
            return false;
    } else if (!wl_condition_range(condition, code, value->kind == WL_U8LE || value->kind == WL_U8BE)) {
        return false;
    }
    uint32_t then = (uint32_t)(2 * guards->count + 1), around = guards->ancestors[plan->guard];
    guards->ancestors[then] = around | UINT32_C(1) << then;
    guards->ancestors[then + 1] = around | UINT32_C(2) << then;
    wl_arms next = {.then_end = target, .end = target, .condition = (uint32_t)guards->count++,
                 .string = plan->block->string_count, .base = plan->base, .depth = plan->depth,
                 .based = plan->based};
    if (last > skip && last->operation == WL_RUN_JUMP) {
        next.then_end = last;
        next.end = last + last->c;
    }
    /* They end inside of the enclosing ones. */
    if (plan->open_count) {
        const wl_arms *outer = plan->open + plan->open_count - 1;
        if (next.end > (skip < outer->then_end ? outer->then_end : outer->end))
            return false;
    }
    plan->open[plan->open_count++] = next;
    return begin_stretch(plan, (wl_string){.kind = WL_BETWEEN_NOTHING, .condition = next.condition + 1}, then);
}

/* Records the ends of the parts of a condition: the last string. */
static void note_skips(wl_row_block *block, size_t condition) {
    const uint32_t last = (uint32_t)block->string_count - 1;
    wl_string *first = block->strings + condition;
    if (!first->skip)
        first->skip = last;
    else if (first->skip != last)
        block->strings[first->skip].skip = last;
}

/* What follows both parts of a condition. */
static bool end_parts(wl_planner *plan, const wl_arms *ended) {
    wl_row_block *block = plan->block;
    wl_string *first = block->strings + ended->string, *last = block->strings + block->string_count - 1;
    wl_condition *condition = block->guards->conditions + ended->condition;
    const uint32_t around = condition->parent;
    if (plan->cursor.offset == 0 && plan->guard == 2 * ended->condition + 2 && last->next == plan->guard &&
        last->kind == WL_BETWEEN_JUMP) {
        /* There is nothing if the condition is false. */
        last->next = plan->guard = around;
        last->kind = WL_BETWEEN_NOTHING;
    }
    else if (!begin_stretch(plan, (wl_string){.kind = WL_BETWEEN_NOTHING}, around)) {
        return false;
    }
    note_skips(block, ended->string);
    size_t count = block->string_count - ended->string;
    bool fixed = count <= 3;
    for (size_t i = 1; i < count; i++)
        fixed &= (first[i].kind == WL_BETWEEN_NOTHING || first[i].kind == WL_BETWEEN_JUMP) && !first[i].condition && !first[i].enters;
    first->fixed = fixed ? (uint32_t)count : 0;
    if (fixed && !condition->by_range)
        wl_condition_sizes(condition, (size_t)first[1].before, count == 3 ? (size_t)first[2].before : 0);
    return true;
}

/* The end of steps that depend on a condition. */
bool wl_plan_end_arms(wl_planner *plan, const wl_instruction *instruction) {
    while (plan->open_count && plan->open[plan->open_count - 1].end == instruction) {
        plan->based = false;
        const wl_arms *ended = plan->open + --plan->open_count;
        if (ended->depth != plan->depth || !end_parts(plan, ended))
            return false;
    }
    return true;
}

/* From steps that run if a condition is true to those that run if it is false. */
bool wl_plan_jump(wl_planner *plan, const wl_instruction *instruction) {
    const wl_arms *open = plan->open_count ? plan->open + plan->open_count - 1 : NULL;
    if (!open || open->then_end != instruction) {
        /* All rows take it. */
        plan->next = instruction + instruction->c;
        return !open || plan->next <= (instruction < open->then_end ? open->then_end : open->end);
    }
    if (open->end == open->then_end || open->depth != plan->depth)
        return false;
    plan->base = open->base;
    plan->based = open->based;
    plan->block->strings[open->string].skip = (uint32_t)plan->block->string_count;
    return begin_stretch(plan, (wl_string){.kind = WL_BETWEEN_JUMP}, 2 * open->condition + 2);
}

