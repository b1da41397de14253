/* Simplifies expressions with registers whose contents are known: when a plan is created (plan_fold.c), and for rows
 * with a known byte (row_block_plan.c). */
#include "fold.h"

#include "expression.h"

#define CONSTANT_BYTES 9

/* A value on the stack of an expression: its code begins at `begin` of the new expression. */
typedef struct {
    size_t begin;
    bool known;
    bool truth; /* it is 0 or 1 */
    int64_t value;
} operand;

static void put(wl_folding *fold, const uint8_t *code, size_t size) {
    memcpy(fold->codes + fold->used, code, size);
    fold->used += size;
}

static void put_number(uint8_t *to, size_t size, uint64_t value) {
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* Makes the operand, whose code is the last so far, a constant. */
static void put_constant(wl_folding *fold, operand *made, int64_t value) {
    fold->used = made->begin;
    fold->codes[fold->used] = CODE_CONSTANT;
    put_number(fold->codes + fold->used + 1, 8, (uint64_t)value);
    fold->used += CONSTANT_BYTES;
    *made = (operand){.begin = made->begin, .known = true, .value = value};
}

static operand put_leaf(wl_folding *fold, const uint8_t *code, size_t size) {
    operand made = {.begin = fold->used};
    if (*code == CODE_REGISTER) {
        const wl_register_fact content = fold->content(fold->facts, wl_code_number(code + 1));
        if (content.constant) {
            put_constant(fold, &made, content.value);
            return made;
        }
        put(fold, code, size);
        put_number(fold->codes + made.begin + 1, 2, content.source);
        return made;
    }
    put(fold, code, size);
    if (*code == CODE_CONSTANT) {
        made.known = true;
        made.value = (int64_t)wl_load_le8(code + 1);
    }
    return made;
}

/* For a known condition only the chosen operand is kept. */
static void select(wl_folding *fold, operand *condition) {
    operand taken = condition[condition->value ? 1 : 2];
    const size_t end = condition->value ? condition[2].begin : fold->used;
    memmove(fold->codes + condition->begin, fold->codes + taken.begin, end - taken.begin);
    fold->used = condition->begin + end - taken.begin;
    taken.begin = condition->begin;
    *condition = taken;
}

/* Whether a choice is 1 if the condition is 1, and 0 if it is 0. */
static bool repeats(const operand *condition) {
    return condition->truth && condition[1].known && condition[1].value == 1 && condition[2].known &&
           condition[2].value == 0;
}

static bool is_truth(unsigned code) {
    return (code >= CODE_EQUAL && code <= CODE_BOOLEAN_OR) ||
           (code >= CODE_FLOAT_EQUAL && code <= CODE_FLOAT_GREATER_EQUAL);
}

/* The value of a code of one or two known operands; false if it is not computed here. */
static bool compute(unsigned code, const uint8_t *follows, const operand *operands, int64_t *value) {
    const wl_integer left = operands[0].value;
    wl_integer made;
    switch (code) {
    case CODE_BOOLEAN_NOT:
        made = left == 0;
        break;
    case CODE_NEGATE:
        made = -left;
        break;
    case CODE_INVERT:
        made = ~left;
        break;
    case CODE_CAST:
        if (!wl_kind_holds(*follows, left))
            return false;
        made = left;
        break;
    case CODE_BOOLEAN_AND:
        made = left && operands[1].value;
        break;
    case CODE_BOOLEAN_OR:
        made = left || operands[1].value;
        break;
    case CODE_OPTIONAL:
        made = left;
        break;
    case CODE_SERIES_ITEM:
    case CODE_SPAN_BYTE:
        return false;
    default:
        if (wl_code_converts(code) ? !wl_convert(code, left, &made) : !wl_compute(code, left, operands[1].value, &made))
            return false;
    }
    *value = (int64_t)made;
    return made == *value;
}

/* Appends a code with operands, of which the first is given. */
static void put_operation(wl_folding *fold, operand *first, const uint8_t *code, size_t size) {
    const unsigned takes = wl_code_takes(*code);
    const bool decides = *code == CODE_BOOLEAN_AND || *code == CODE_BOOLEAN_OR;
    int64_t value;
    if (*code == CODE_SELECT && first->known) {
        select(fold, first);
    } else if (*code == CODE_SELECT && repeats(first)) {
        fold->used = first[1].begin;
    } else if (decides && first->known && (first->value != 0) == (*code == CODE_BOOLEAN_OR)) {
        put_constant(fold, first, *code == CODE_BOOLEAN_OR);
    } else if (takes < 3 && first->known && (takes == 1 || first[1].known) && compute(*code, code + 1, first, &value)) {
        put_constant(fold, first, value);
    } else {
        put(fold, code, size);
        *first = (operand){.begin = first->begin, .truth = is_truth(*code)};
    }
}

bool wl_fold_codes(wl_folding *fold, const uint8_t *code, size_t size, int64_t *value) {
    const uint8_t *end = code + size;
    operand operands[WL_DEEPEST_STACK];
    size_t count = 0;
    operands[0] = (operand){.begin = fold->used};
    while (code < end) {
        const size_t bytes = 1 + wl_code_bytes(*code, code + 1), takes = wl_code_takes(*code);
        if (takes)
            put_operation(fold, operands + (count - takes), code, bytes);
        else
            operands[count] = put_leaf(fold, code, bytes);
        count += 1 - takes;
        code += bytes;
    }
    *value = operands[0].value;
    return operands[0].known;
}
