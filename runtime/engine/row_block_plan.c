/* Whether a plan can be run as a row block, and the conversion of its steps. */
#include "row_block_planner.h"

#include <stdlib.h>

/* Adds a field of the last NEED, in a register. */
static bool add_field(wl_planner *plan, const wl_instruction *instruction) {
    const wl_known_byte *known = &plan->block->known;
    const wl_place from = wl_place_after(plan->base, instruction->c);
    plan->registers[instruction->a] = (wl_fact){
        .known = plan->based,
        .kind = instruction->b,
        .from = from,
        .guard = plan->guard,
        .is_constant = known->is_known && !plan->guard && wl_kind_size(instruction->b) == 1 && !from.stretch &&
                       from.offset == known->offset,
        .constant = (int64_t)wl_byte_value(known->value, instruction->b)};
    return true;
}

static wl_register_fact content_of(const void *facts, uint32_t number) {
    const wl_fact *value = wl_planner_value(facts, number);
    const bool constant = value && value->is_constant;
    return (wl_register_fact){.constant = constant, .value = constant ? value->constant : 0, .source = number};
}

static bool add_span(wl_planner *plan, const wl_instruction *instruction) {
    const wl_place begin = plan->cursor;
    bool good;
    if (instruction->operation == WL_RUN_BYTES_FIXED)
        good = wl_plan_pass(plan, instruction->c);
    else if (instruction->operation == WL_RUN_BYTES_REST)
        good = wl_plan_rest(plan, false);
    else
        good = wl_plan_string(plan, instruction->b, instruction->c, false);
    plan->spans[instruction->a] = (wl_fact){.known = true, .from = begin, .to = plan->cursor, .guard = plan->guard};
    return good;
}

static bool add_mark(wl_planner *plan, const wl_instruction *instruction) {
    const bool here = instruction->b == 1;
    plan->marks[instruction->a] =
        (wl_fact){.known = !plan->guard && (here || (plan->based && !instruction->b)),
                  .from = here ? plan->cursor : wl_place_after(plan->base, instruction->c)};
    return true;
}

/* Adds what is around the single row in its iteration of a loop. A unit in the iteration contains only this row: if
 * something in the unit is refused, the iteration is left to the handlers. */
static bool add_around(wl_planner *plan, const wl_instruction *instruction) {
    if (plan->loop < 0 || plan->guard)
        return false;
    if (instruction->operation == WL_RUN_UNIT) {
        plan->units[plan->unit_count++] = plan->cursor;
    } else if (instruction->operation == WL_RUN_UNIT_END) {
        plan->unit_count--;
    } else if (instruction->operation == WL_RUN_ROW_END) {
        plan->block->row_end = plan->cursor;
    } else {
        /* The row begins where its unit does, so the unit must begin in the same iteration. */
        if (instruction->a && !plan->unit_count)
            return false;
        plan->block->row_begin = instruction->a ? plan->units[plan->unit_count - 1] : plan->cursor;
        plan->row_count++;
    }
    return plan->row_count <= 1;
}

static bool add_step(wl_planner *plan, const wl_instruction *instruction) {
    switch (instruction->operation) {
    case WL_RUN_NEED:
        plan->base = plan->cursor;
        plan->based = true;
        return wl_plan_pass(plan, instruction->c);
    case WL_RUN_REGISTER_LE4:
    case WL_RUN_REGISTER_BE4:
    case WL_RUN_REGISTER_FIXED:
        return add_field(plan, instruction);
    case WL_RUN_VARINT:
    case WL_RUN_VARINT_COLUMN:
        return wl_plan_varint(plan, instruction);
    case WL_RUN_BYTES_FIXED:
    case WL_RUN_BYTES_REGISTER:
    case WL_RUN_BYTES_REST:
        return add_span(plan, instruction);
    case WL_RUN_SKIP_REGISTER:
        return wl_plan_string(plan, instruction->a, instruction->c, false);
    case WL_RUN_LIMIT_REGISTER:
        return wl_plan_string(plan, instruction->a, instruction->c, true);
    case WL_RUN_LIMIT_FIXED:
        return instruction->a && wl_plan_rest(plan, true);
    case WL_RUN_LIMIT_END:
    case WL_RUN_SEEK_END:
        return wl_plan_limit_end(plan);
    case WL_RUN_MARK:
        return add_mark(plan, instruction);
    case WL_RUN_CHECK_RANGE:
        return wl_plan_range(plan, instruction);
    case WL_RUN_SKIP_IF_ZERO:
        return wl_plan_condition(plan, instruction);
    case WL_RUN_JUMP:
        return wl_plan_jump(plan, instruction);
    case WL_RUN_COLUMN_VALID:
        return wl_plan_valid(plan, instruction);
    case WL_RUN_COLUMN_NULL:
        return wl_plan_null(plan, instruction);
    case WL_RUN_CHECK_TRUE:
        return wl_plan_true(plan, instruction);
    case WL_RUN_CHECK_UTF8:
        return wl_plan_text(plan, instruction);
    case WL_RUN_EXPRESSION:
        return wl_plan_expression(plan, instruction);
    case WL_RUN_STREAM:
        return wl_plan_stream(plan, instruction);
    case WL_RUN_CHECK_CONSTANT:
        return wl_plan_constant(plan, instruction);
    case WL_RUN_CHECKSUM:
        return wl_plan_checksum(plan, instruction);
    case WL_RUN_COLUMN_REGISTER:
        return wl_plan_register(plan, instruction);
    case WL_RUN_COLUMN_TIMESTAMP:
        return wl_plan_timestamp(plan, instruction);
    case WL_RUN_COLUMN_BYTES:
    case WL_RUN_COLUMN_BYTES_ANYWHERE:
        return wl_plan_bytes(plan, instruction);
    case WL_RUN_LIST:
    case WL_RUN_PRESENT:
        return true;
    case WL_RUN_DEFAULT:
        return wl_plan_default(plan);
    case WL_RUN_LOOP:
        return wl_plan_no_turns(plan, instruction);
    case WL_RUN_LIST_END:
        return wl_plan_no_items(plan, instruction);
    case WL_RUN_ROW:
    case WL_RUN_ROW_END:
    case WL_RUN_UNIT:
    case WL_RUN_UNIT_END:
        return add_around(plan, instruction);
    default:
        return wl_plan_fixed(plan, instruction);
    }
}

/* Whether varints before and after the step may be adjacent: it records no position between them. */
static bool keeps_joined(const wl_instruction *instruction) {
    switch (instruction->operation) {
    case WL_RUN_VARINT:
    case WL_RUN_VARINT_COLUMN:
    case WL_RUN_COLUMN_REGISTER:
    case WL_RUN_COLUMN_TIMESTAMP:
    case WL_RUN_COLUMN_VALID:
    case WL_RUN_CHECK_RANGE:
    case WL_RUN_CHECK_TRUE:
        return true;
    default:
        return false;
    }
}

/* Records what the steps define. Everything else is the same for all rows: input registers, and in a loop what was read
 * before. */
static void find_definitions(wl_planner *plan, const wl_instruction *first, const wl_instruction *last) {
    const wl_run *run = plan->block->run;
    for (const wl_instruction *each = first; each != last; each++) {
        switch (each->operation) {
        case WL_RUN_REGISTER_FIXED:
        case WL_RUN_REGISTER_LE4:
        case WL_RUN_REGISTER_BE4:
        case WL_RUN_EXPRESSION:
        case WL_RUN_VARINT:
        case WL_RUN_VARINT_COLUMN:
        case WL_RUN_INDEX:
        case WL_RUN_STREAM:
        case WL_RUN_ABSENT:
            plan->definitions[each->a] += plan->definitions[each->a] < 2;
            break;
        case WL_RUN_RUNNING_CHECKSUM:
            plan->definitions[each->a] = plan->definitions[each->c] = 2;
            break;
        case WL_RUN_BYTES_REGISTER:
        case WL_RUN_BYTES_FIXED:
        case WL_RUN_BYTES_REST:
        case WL_RUN_BYTES_TERMINATED:
        case WL_RUN_TRIM_RIGHT:
        case WL_RUN_CUT_TERMINATOR:
        case WL_RUN_SLICE:
            plan->own_spans[each->a] = true;
            break;
        default:
            break;
        }
    }
    const size_t outer = plan->loop < 0 ? run->program->input_register_count : run->program->register_count;
    for (size_t i = 0; i < outer; i++) {
        if (!plan->definitions[i])
            plan->registers[i] = (wl_fact){.known = true, .outer = run->registers + i};
    }
}

static bool plan_steps(wl_planner *plan, const wl_instruction *first, const wl_instruction *last) {
    wl_row_block *block = plan->block;
    const wl_fill_arguments *arguments = block->run->arguments;
    const wl_instruction *instruction = first;
    find_definitions(plan, first, last);
    wl_plan_unset(plan);
    while (instruction != last) {
        plan->joined &= keeps_joined(instruction);
        plan->next = NULL;
        if (!wl_plan_end_arms(plan, instruction) || !add_step(plan, instruction))
            return false;
        instruction = plan->next ? plan->next : instruction + (instruction->operation == WL_RUN_LOOP ? instruction->c : 1);
    }
    if (!wl_plan_end_arms(plan, instruction) || plan->open_count || (plan->loop >= 0 && !wl_plan_until(plan, last)))
        return false;
    /* With a known byte, iterations may have no row. */
    if (plan->loop >= 0 && plan->row_count != 1)
        return false;
    block->tail = (size_t)plan->cursor.offset;
    block->fixed += block->tail;
    wl_plan_copies(block);
    wl_row_block_drop_unread(block);
    if (plan->delimited)
        return true;
    if (!block->string_count && !block->chooses)
        block->stride = block->fixed + (plan->loop < 0 ? arguments->padding : 0);
    /* A row without bytes ends the input, and one over the limit is refused: not here. */
    return block->fixed && (plan->loop >= 0 || block->fixed <= arguments->max_record);
}

/* Whether a step computes with items of a list, which blocks do not support. Steps that add items are refused when they
 * are planned. */
static bool asks_items(const wl_instruction *first, const wl_instruction *last) {
    for (const wl_instruction *each = first; each != last; each++) {
        if (each->operation == WL_RUN_EXPRESSION && wl_expression_has_series(each->constant, (size_t)each->d))
            return true;
    }
    return false;
}

bool wl_row_block_plan(wl_row_block *block, const wl_instruction *first, const wl_instruction *last, int loop) {
    const wl_program *program = block->run->program;
    if ((program->series_count && asks_items(first, last)) || program->function_count)
        return false;
    wl_planner plan = {.block = block,
                       .based = loop < 0,
                       .loop = loop,
                       .delimited = loop < 0 && program->delimiter_size != 0};
    wl_fact *facts = calloc((size_t)program->register_count + program->span_count + program->mark_count + 1, sizeof *facts);
    if (!facts)
        return false;
    plan.folding = (wl_folding){.content = content_of, .facts = &plan, .codes = block->folded};
    plan.registers = facts;
    plan.spans = plan.registers + program->register_count;
    plan.marks = plan.spans + program->span_count;
    bool good = plan_steps(&plan, first, last);
    free(facts);
    return good;
}
