/* Expressions of a row block: each code over all rows at once, in separate loops.
 *
 * The first row for which some code has no value ends the valid rows, wherever that code is: whether the value is
 * needed is decided by the machine of the handlers (expression.c). */
#include "row_block_expressions.h"

#include "expression.h"
#include "row_block_guards.h"

/* Codes with two operands: the second is on the stack, or a constant. */
#define COMPUTE(code)                                                                                                  \
    case code:                                                                                                         \
        if (right) {                                                                                                   \
            for (size_t i = 0; i < rows; i++)                                                                          \
                if (WL_UNLIKELY(!wl_compute(code, left[i], right[i], &left[i])))                                       \
                    return i;                                                                                          \
        } else {                                                                                                       \
            for (size_t i = 0; i < rows; i++)                                                                          \
                if (WL_UNLIKELY(!wl_compute(code, left[i], constant, &left[i])))                                       \
                    return i;                                                                                          \
        }                                                                                                              \
        return rows

static size_t two(unsigned code, wl_integer *left, const wl_integer *right, wl_integer constant, size_t rows) {
    switch (code) {
        COMPUTE(CODE_ADD);
        COMPUTE(CODE_SUBTRACT);
        COMPUTE(CODE_MULTIPLY);
        COMPUTE(CODE_FLOOR_DIVIDE);
        COMPUTE(CODE_MODULO);
        COMPUTE(CODE_AND);
        COMPUTE(CODE_OR);
        COMPUTE(CODE_XOR);
        COMPUTE(CODE_SHIFT_LEFT);
        COMPUTE(CODE_SHIFT_RIGHT);
        COMPUTE(CODE_EQUAL);
        COMPUTE(CODE_NOT_EQUAL);
        COMPUTE(CODE_LESS);
        COMPUTE(CODE_LESS_EQUAL);
        COMPUTE(CODE_GREATER);
        COMPUTE(CODE_GREATER_EQUAL);
    case CODE_BOOLEAN_AND:
        for (size_t i = 0; i < rows; i++)
            left[i] = left[i] != 0 && (right ? right[i] : constant) != 0;
        return rows;
    default: /* CODE_BOOLEAN_OR */
        for (size_t i = 0; i < rows; i++)
            left[i] = left[i] != 0 || (right ? right[i] : constant) != 0;
        return rows;
    }
}

static size_t one(const wl_block_code *code, wl_integer *values, size_t rows) {
    size_t i = 0;
    switch (code->code) {
    case CODE_NEGATE:
        while (i < rows && WL_LIKELY(!__builtin_sub_overflow((wl_integer)0, values[i], &values[i])))
            i++;
        return i;
    case CODE_INVERT:
        for (; i < rows; i++)
            values[i] = ~values[i];
        return rows;
    case CODE_BOOLEAN_NOT:
        for (; i < rows; i++)
            values[i] = values[i] == 0;
        return rows;
    default: /* CODE_NARROW */
        while (i < rows && WL_LIKELY(wl_kind_holds(code->kind, values[i])))
            i++;
        return i;
    }
}

#define LOAD(each)                                                                                                     \
    case each:                                                                                                         \
        for (size_t i = 0; i < rows; i++)                                                                              \
            to[i] = wl_load_kind(at[i] + offset, each);                                                                \
        break

/* A field of each row. */
static void load(const wl_row_block *block, wl_place place, unsigned kind, wl_integer *to, size_t rows) {
    const uint8_t *const *at = block->at[place.stretch];
    const int64_t offset = place.offset;
    switch (kind) {
        LOAD(WL_U1);
        LOAD(WL_U2LE);
        LOAD(WL_U2BE);
        LOAD(WL_U4LE);
        LOAD(WL_U4BE);
        LOAD(WL_U8LE);
        LOAD(WL_U8BE);
    default:
        for (size_t i = 0; i < rows; i++)
            to[i] = wl_load_kind(at[i] + offset, kind);
    }
}

static void leaf(const wl_row_block *block, const wl_block_code *code, wl_integer *to, size_t rows) {
    switch (code->code) {
    case CODE_REGISTER:
        if (code->lane)
            memcpy(to, code->lane, rows * sizeof *to);
        else if (code->outer)
            for (size_t i = 0; i < rows; i++)
                to[i] = *code->outer;
        else if (code->values)
            for (size_t i = 0; i < rows; i++)
                to[i] = code->values[i];
        else
            load(block, code->from, code->kind, to, rows);
        break;
    case CODE_SPAN_SIZE:
        for (size_t i = 0; i < rows; i++)
            to[i] = wl_row_block_at(block, code->to, i) - wl_row_block_at(block, code->from, i);
        break;
    case CODE_SPAN_ORDER:
        for (size_t i = 0; i < rows; i++) {
            const uint8_t *from = wl_row_block_at(block, code->from, i);
            to[i] = wl_span_order((wl_span){from, (size_t)(wl_row_block_at(block, code->to, i) - from)}, code->other,
                                  code->other_size);
        }
        break;
    default: /* constants */
        for (size_t i = 0; i < rows; i++)
            to[i] = code->constant;
        break;
    }
}

size_t wl_row_block_expression(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    /* The first value of the stack is stored at the final position of the result. */
    wl_integer *stack[WL_BLOCK_DEEPEST];
    stack[0] = step->lane;
    for (size_t i = 1; i < WL_BLOCK_DEEPEST; i++)
        stack[i] = block->lanes->stack[i - 1];
    size_t count = 0;
    for (size_t at = 0; at < step->code_count && rows; at++) {
        const wl_block_code *code = step->codes + at;
        switch (wl_code_takes(code->code)) {
        case 0:
            leaf(block, code, stack[count++], rows);
            break;
        case 1:
            rows = one(code, stack[count - 1], rows);
            break;
        case 2:
            count -= !code->is_constant;
            rows = two(code->code, stack[count - 1], code->is_constant ? NULL : stack[count], code->constant, rows);
            break;
        default: /* condition, then, otherwise */
            count -= 2;
            for (size_t i = 0; i < rows; i++)
                stack[count - 1][i] = stack[count - 1][i] ? stack[count][i] : stack[count + 1][i];
            break;
        }
    }
    if (step->guard) {
        const uint8_t *taken = block->guards->taken[step->guard];
        for (size_t i = 0; i < rows; i++)
            step->lane[i] = taken[i] ? step->lane[i] : 0;
    }
    return rows;
}

/* For one row ------------------------------------------------------------------------------------------------------ */

bool wl_row_block_is_early(const wl_row_block_step *step) {
    for (size_t i = 0; i < step->code_count; i++) {
        if (step->codes[i].lane || step->codes[i].code == CODE_SPAN_ORDER)
            return false;
    }
    return !step->guard;
}

static wl_integer leaf_of_row(const wl_row_block *block, const wl_block_code *code, size_t row) {
    if (code->code == CODE_CONSTANT)
        return code->constant;
    if (code->code == CODE_SPAN_SIZE)
        return wl_row_block_at(block, code->to, row) - wl_row_block_at(block, code->from, row);
    if (code->outer)
        return *code->outer;
    return code->values ? code->values[row] : wl_load_kind(wl_row_block_at(block, code->from, row), code->kind);
}

bool wl_row_block_compute(const wl_row_block *block, const wl_row_block_step *step, size_t row, int64_t *value) {
    wl_integer stack[WL_BLOCK_DEEPEST + 1] = {0}, *top = stack;
    for (const wl_block_code *code = step->codes, *end = code + step->code_count; code < end; code++) {
        const wl_integer right = code->is_constant ? code->constant : *top;
        switch (code->code) {
        case CODE_CONSTANT:
        case CODE_REGISTER:
        case CODE_SPAN_SIZE:
            *++top = leaf_of_row(block, code, row);
            break;
        case CODE_ADD:
            top -= !code->is_constant;
            if (WL_UNLIKELY(__builtin_add_overflow(*top, right, top)))
                return false;
            break;
        case CODE_SUBTRACT:
            top -= !code->is_constant;
            if (WL_UNLIKELY(__builtin_sub_overflow(*top, right, top)))
                return false;
            break;
        case CODE_EQUAL:
            top -= !code->is_constant;
            *top = *top == right;
            break;
        case CODE_NEGATE:
        case CODE_INVERT:
        case CODE_BOOLEAN_NOT:
        case CODE_NARROW:
            if (WL_UNLIKELY(!one(code, top, 1)))
                return false;
            break;
        case CODE_SELECT:
            top -= 2;
            *top = *top ? top[1] : top[2];
            break;
        default:
            top -= !code->is_constant;
            if (WL_UNLIKELY(!two(code->code, top, &right, 0, 1)))
                return false;
            break;
        }
    }
    *value = (int64_t)*top;
    step->lane[row] = *top;
    return *value == *top;
}

size_t wl_row_block_computed(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block, (void)step;
    return rows;
}

size_t wl_row_block_stream(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint8_t *first = wl_row_block_at(block, step->from, 0);
    wl_integer found;
    if (!wl_stream_value(block->run, step->instruction, first, &found))
        return 0;
    for (size_t i = 0; i < rows; i++)
        step->lane[i] = found + (step->instruction->b ? 0 : wl_row_block_at(block, step->from, i) - first);
    return rows;
}

size_t wl_row_block_index(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const wl_loop *loop = block->run->loops + step->instruction->b;
    for (size_t i = 0; i < rows; i++)
        step->lane[i] = (wl_integer)loop->index + (step->kind ? (wl_integer)i : 0);
    return rows;
}

/* Checks and columns of computed values ---------------------------------------------------------------------------- */

size_t wl_row_block_lane_range(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block;
    const int64_t end = step->instruction->d;
    const wl_integer *values = step->lane, least = step->instruction->c;
    const wl_integer most = step->instruction->b & 0x80 ? (wl_integer)(uint64_t)end : (wl_integer)end;
    size_t i = 0;
    while (i < rows && WL_LIKELY(values[i] >= least && values[i] <= most))
        i++;
    return i;
}

size_t wl_row_block_lane_true(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block;
    size_t i = 0;
    while (i < rows && WL_LIKELY(step->lane[i] != 0))
        i++;
    return i;
}

size_t wl_row_block_lane_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    uint8_t *out = step->out + block->row * 8;
    const wl_integer least = step->instruction->c, most = step->instruction->d;
    for (size_t i = 0; i < rows; i++) {
        wl_store8(out + i * 8, (uint64_t)step->lane[i]);
        if (WL_UNLIKELY(step->lane[i] < least || step->lane[i] > most))
            wl_column_null(block->run, step->column, block->row + i);
    }
    return rows;
}

size_t wl_row_block_lane_zero(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block;
    size_t i = 0;
    while (i < rows && step->lane[i] == 0)
        i++;
    return i;
}

/* Decoding --------------------------------------------------------------------------------------------------------- */

/* Whether the last code is a constant, which the next code, with two operands, uses directly. */
static bool takes_constant(const wl_row_block_step *step, unsigned code) {
    return wl_code_takes(code) == 2 && step->code_count > 1 && step->codes[step->code_count - 1].code == CODE_CONSTANT;
}

static wl_integer *next_lane(wl_block_lanes *lanes) {
    return lanes->lane_count == WL_BLOCK_LANES ? NULL : lanes->values[lanes->lane_count++];
}

bool wl_row_block_add_lane(wl_row_block *block, wl_row_block_step *step) {
    return (step->lane = next_lane(block->lanes)) != NULL;
}

bool wl_row_block_decode(wl_row_block *block, const wl_instruction *instruction, wl_row_block_step *step,
                         const wl_fact *registers, const wl_fact *spans) {
    wl_block_lanes *lanes = block->lanes;
    const uint8_t *code = instruction->constant, *end = code + instruction->d;
    size_t depth = 0;
    step->codes = lanes->codes + lanes->code_count;
    step->code_count = 0;
    step->lane = next_lane(lanes);
    if (!step->lane)
        return false;
    while (code < end) {
        if (lanes->code_count == WL_BLOCK_CODES)
            return false;
        unsigned each = *code++;
        if (each > CODE_NARROW)
            return false;
        wl_block_code next = {.code = each};
        const wl_fact *fact = NULL;
        if (each == CODE_REGISTER)
            fact = registers + wl_code_number(code);
        else if (each == CODE_SPAN_SIZE || each == CODE_SPAN_ORDER)
            fact = spans + wl_code_number(code);
        if (fact && (!fact->known || (fact->guard && each != CODE_REGISTER)))
            return false;
        if (fact)
            next = (wl_block_code){.code = each, .kind = fact->kind, .from = fact->from, .to = fact->to,
                                   .lane = fact->lane, .values = fact->values, .outer = fact->outer};
        if (each == CODE_SPAN_ORDER) {
            next.other = code + 3;
            next.other_size = code[2];
        } else if (each == CODE_NARROW) {
            next.kind = *code;
        } else if (each == CODE_CONSTANT || each == CODE_CONSTANT_UNSIGNED) {
            next.code = CODE_CONSTANT;
            next.constant = each == CODE_CONSTANT ? (wl_integer)(int64_t)wl_load_le8(code) : (wl_integer)wl_load_le8(code);
        }
        code += wl_code_bytes(each, code);
        depth = depth + 1 - wl_code_takes(each);
        if (depth > WL_BLOCK_DEEPEST)
            return false;
        if (takes_constant(step, each)) {
            wl_block_code *last = step->codes + step->code_count - 1;
            last->code = each;
            last->is_constant = true;
            continue;
        }
        step->codes[step->code_count++] = next;
        lanes->code_count++;
    }
    return true;
}
