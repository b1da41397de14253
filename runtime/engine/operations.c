#include "operations.h"

#include "expression.h"

const wl_operation wl_operations[WL_OP_COUNT + 1] = {
#define OPERATION(name, handler, runs_for, flow, place, a, b, c, d, documentation)                                     \
    {WL_FOR_##runs_for, WL_FLOW_##flow, WL_IN_##place, {WL_IS_##a, WL_IS_##b, WL_IS_##c, WL_IS_##d}},
#include "ops.def"
#undef OPERATION
    {.runs_for = WL_FOR_NOTHING},
};

static void read_checksum(const wl_program *program, const wl_step *step, wl_values *read) {
    const wl_rule *rule = program->rules + step->a;
    (rule->place == WL_SUM_IN_REGISTER ? read->registers : read->spans)[step->b] = true;
    if (rule->replace >= 0)
        read->marks[rule->own] = true;
    if (rule->start != WL_NO_REGISTER)
        read->registers[rule->start] = true;
    if (rule->extra != WL_NO_REGISTER)
        read->registers[rule->extra] = true;
    if (rule->stored_size) {
        /* The step sets the register of the sum itself. */
        const bool sum = read->registers[rule->sum];
        wl_expression_uses(program->constants + rule->stored, rule->stored_size, read->registers, read->spans);
        read->registers[rule->sum] = sum;
    }
}

/* What a step reads that depends on other operands. */
static void read_more(const wl_program *program, const uint8_t *folded, const wl_step *step, wl_values *read) {
    switch (step->op) {
    case WL_OP_EXPRESSION:
        wl_expression_uses(wl_code_of(program, folded, step), (size_t)step->d, read->registers, read->spans);
        break;
    case WL_OP_CHECKSUM:
        read_checksum(program, step, read);
        break;
    case WL_OP_SUM:
    case WL_OP_DIGEST:
        for (int64_t i = 0; i < 2 * step->d; i++)
            read->marks[step->c + i] = true;
        break;
    case WL_OP_MARK:
        if (step->b >= 3)
            read->spans[step->c] = true;
        break;
    case WL_OP_LIMIT_SPAN:
        if (step->b && step->c >= 0)
            read->marks[step->c] = true;
        break;
    case WL_OP_LOOP:
    case WL_OP_AGAIN:
        if (step->b == (step->op == WL_OP_LOOP ? WL_LOOP_COUNT : WL_LOOP_UNTIL))
            read->registers[step->d] = true;
        break;
    case WL_OP_FIELDS:
        read->registers[program->messages[step->b].left] = true;
        read->registers[program->messages[step->b].broken] = true;
        break;
    default:
        break;
    }
}

void wl_step_reads(const wl_program *program, const uint8_t *folded, const wl_step *step, wl_values *read) {
    for (size_t i = 0; i < 4; i++) {
        const int64_t number = wl_operand(step, i);
        switch (wl_operation_of(step)->operands[i]) {
        case WL_IS_REGISTER:
            read->registers[number] = true;
            break;
        case WL_IS_REGISTER_OR_NONE:
            if (number >= 0)
                read->registers[number] = true;
            break;
        case WL_IS_SPAN:
        case WL_IS_SPAN_CHANGED:
        case WL_IS_TEXT:
            read->spans[number] = true;
            break;
        case WL_IS_TEXT_OR_NONE:
            if (number >= 0)
                read->spans[number] = true;
            break;
        case WL_IS_MARK:
            read->marks[number] = true;
            break;
        default:
            break;
        }
    }
    read_more(program, folded, step, read);
}

/* BLANK sets the registers and spans of a message's fields. */
static void set_blank(const wl_program *program, const wl_message_table *table, wl_values *set) {
    set->registers[table->left] = true;
    for (uint32_t i = 0; i < table->of.count; i++) {
        const wl_message_field *field = program->message_fields + table->first + i;
        if (field->value != WL_NOWHERE)
            (wl_field_has_span(field) ? set->spans : set->registers)[field->value] = true;
        if (field->present != WL_NOWHERE)
            set->registers[field->present] = true;
    }
}

/* The place in wl_values, as an array, of what the step sets by operand `number`; WL_VALUES: it sets nothing by it. */
static size_t set_by(const wl_step *step, size_t number) {
    const size_t value = (size_t)wl_operand(step, number);
    switch (wl_operation_of(step)->operands[number]) {
    case WL_IS_RESULT:
        return value;
    case WL_IS_SPAN_RESULT:
    case WL_IS_SPAN_CHANGED:
    case WL_IS_TEXT_RESULT:
        return WL_MOST_REGISTERS + value;
    case WL_IS_MARK_RESULT:
        return WL_MOST_REGISTERS + WL_MOST_SPANS + value;
    default:
        return WL_VALUES;
    }
}

void wl_step_sets(const wl_program *program, const wl_step *step, wl_values *set) {
    for (size_t i = 0; i < 4; i++) {
        const size_t place = set_by(step, i);
        if (place < WL_VALUES)
            ((bool *)set)[place] = true;
    }
    if (step->op == WL_OP_BLANK)
        set_blank(program, program->messages + step->b, set);
}

bool wl_step_sets_any(const wl_step *step, const wl_values *values) {
    for (size_t i = 0; i < 4; i++) {
        const size_t place = set_by(step, i);
        if (place < WL_VALUES && ((const bool *)values)[place])
            return true;
    }
    return false;
}
