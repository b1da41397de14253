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
    case WL_CODE_ROTATED:
        for (size_t i = 0; i < rows; i++) {
            if (WL_UNLIKELY(left[i] < 0 || left[i] > UINT32_MAX))
                return i;
            left[i] = wl_rotated((uint64_t)left[i], (uint64_t)constant);
        }
        return rows;
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
        if (wl_code_narrow(code))
            for (size_t i = 0; i < rows; i++)
                to[i] = code->narrow[code->is_same ? 0 : i];
        else if (code->lane)
            memcpy(to, code->lane, rows * sizeof *to);
        else if (code->table)
            for (size_t i = 0; i < rows; i++)
                to[i] = code->table[*wl_row_block_at(block, code->from, i)];
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

/* For values of up to 128 bits; rows end before the first one for which some code has no value. */
static size_t compute_wide(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
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
    return rows;
}

size_t wl_row_block_expression(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const bool is_wide = !step->is_narrow || !wl_chosen.compute_narrow(block, step, rows);
    if (is_wide)
        rows = compute_wide(block, step, rows);
    if (step->is_wide)
        *step->is_wide = is_wide;
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
        const wl_block_code *code = step->codes + i;
        if (code->lane || code->code == CODE_SPAN_ORDER || code->constant != (int64_t)code->constant)
            return false;
    }
    return !step->guard;
}

static bool leaf_of_row(const wl_row_block *block, const wl_block_code *code, size_t row, int64_t *value) {
    wl_integer found;
    if (code->code == CODE_CONSTANT)
        found = code->constant;
    else if (code->code == CODE_SPAN_SIZE)
        found = wl_row_block_at(block, code->to, row) - wl_row_block_at(block, code->from, row);
    else if (code->table)
        found = code->table[*wl_row_block_at(block, code->from, row)];
    else if (code->outer)
        found = *code->outer;
    else
        found = code->values ? code->values[row] : wl_load_kind(wl_row_block_at(block, code->from, row), code->kind);
    *value = (int64_t)found;
    return *value == found;
}

/* Codes that are rare in sizes. */
static bool two_of_row(unsigned code, int64_t left, int64_t right, int64_t *value) {
    wl_integer found = left;
    const wl_integer other = right;
    if (!two(code, &found, &other, 0, 1))
        return false;
    *value = (int64_t)found;
    return *value == found;
}

static bool one_of_row(const wl_block_code *code, int64_t *value) {
    wl_integer found = *value;
    if (!one(code, &found, 1))
        return false;
    *value = (int64_t)found;
    return *value == found;
}

bool wl_row_block_compute(const wl_row_block *block, const wl_row_block_step *step, size_t row, int64_t *value) {
    int64_t stack[WL_BLOCK_DEEPEST + 1] = {0}, *top = stack;
    for (const wl_block_code *code = step->codes, *end = code + step->code_count; code < end; code++) {
        const int64_t right = code->is_constant ? (int64_t)code->constant : *top;
        bool holds = true;
        switch (code->code) {
        case CODE_CONSTANT:
        case CODE_REGISTER:
        case CODE_SPAN_SIZE:
            holds = leaf_of_row(block, code, row, ++top);
            break;
        case CODE_ADD:
            top -= !code->is_constant;
            holds = !__builtin_add_overflow(*top, right, top);
            break;
        case CODE_SUBTRACT:
            top -= !code->is_constant;
            holds = !__builtin_sub_overflow(*top, right, top);
            break;
        case CODE_NEGATE:
        case CODE_INVERT:
        case CODE_BOOLEAN_NOT:
        case CODE_NARROW:
            holds = one_of_row(code, top);
            break;
        case CODE_SELECT:
            top -= 2;
            *top = *top ? top[1] : top[2];
            break;
        default:
            top -= !code->is_constant;
            holds = two_of_row(code->code, *top, right, top);
            break;
        }
        if (WL_UNLIKELY(!holds))
            return false;
    }
    *value = *top;
    step->lane[row] = *top;
    return true;
}

size_t wl_row_block_computed(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block, (void)step;
    return rows;
}

/* Whether every value of the step exists: sums of a few fields and constants never have more than 128 bits. */
static bool always_exists(const wl_row_block_step *step) {
    bool exists = step->code_count <= 8;
    for (size_t i = 0; i < step->code_count; i++) {
        const wl_block_code *code = step->codes + i;
        const bool is_field = code->code == CODE_REGISTER && !code->lane && !code->outer;
        exists &= is_field || code->code == CODE_CONSTANT || ((code->code == CODE_ADD || code->code == CODE_SUBTRACT) && code->is_constant);
    }
    return exists;
}

void wl_row_block_drop_unread(wl_row_block *block) {
    for (size_t i = 0; i < block->check_count; i++) {
        wl_row_block_step *step = block->checks + i;
        bool is_read = step->run != wl_row_block_expression || !always_exists(step);
        for (size_t j = 0; j < block->check_count; j++)
            is_read |= j != i && block->checks[j].lane == step->lane;
        for (size_t j = 0; j < block->column_count; j++)
            is_read |= block->columns[j].lane == step->lane;
        for (size_t j = 0; !is_read && j < block->lanes->code_count; j++)
            is_read = block->lanes->codes[j].lane == step->lane;
        if (!is_read)
            step->run = wl_row_block_computed;
    }
}

/* Whether a check reads the lane of the step, and not its values of 64 bits. */
static bool is_read_by_check(const wl_row_block *block, const wl_row_block_step *step) {
    bool reads = false;
    for (size_t i = 0; i < block->check_count; i++)
        reads |= block->checks + i != step && block->checks[i].lane == step->lane &&
                 block->checks[i].run != wl_row_block_lane_zero;
    return reads;
}

/* Columns, later expressions and conditions of loops take the values of the expression from `narrow`, if these have
 * 64 bits. */
static void read_narrow(wl_row_block *block, wl_row_block_step *step) {
    step->widens = false;
    step->is_wide = block->lanes->is_wide + (step->lane - block->lanes->values[0]) / WL_ROW_BLOCK_ROWS;
    for (size_t i = 0; i < block->check_count + block->column_count; i++) {
        wl_row_block_step *reader =
            i < block->check_count ? block->checks + i : block->columns + (i - block->check_count);
        if (reader->lane == step->lane) {
            reader->narrow = step->narrow;
            reader->is_wide = step->is_wide;
        }
    }
    for (size_t i = 0; i < block->lanes->code_count; i++) {
        wl_block_code *code = block->lanes->codes + i;
        if (code->lane == step->lane) {
            code->narrow = step->narrow;
            code->is_wide = step->is_wide;
        }
    }
}

void wl_row_block_widen(wl_row_block *block) {
    for (size_t i = 0; i < block->check_count; i++) {
        wl_row_block_step *step = block->checks + i;
        for (size_t j = 0; step->run == wl_row_block_stream && j < block->check_count + block->column_count; j++) {
            const wl_row_block_step *other =
                j < block->check_count ? block->checks + j : block->columns + (j - block->check_count);
            step->widens |= other != step && other->lane == step->lane;
        }
        /* Chosen rows are moved within the lane, and values of rows without the guard are cleared there. What a stored
         * checksum is compared with is read only there. */
        if ((step->run == wl_row_block_expression && !step->guard && !block->chooses &&
             !is_read_by_check(block, step)) ||
            (step->run == wl_row_block_stored_sum && !wl_kind_is_u8(step->kind)))
            read_narrow(block, step);
    }
}
