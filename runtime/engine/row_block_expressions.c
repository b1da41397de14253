/* Expressions of a row block: each code over all rows at once, in a loop that compilers vectorize.
 *
 * Values have 64 bits. The first row for which some code has no value, or one of more bits, ends the valid rows, wherever
 * that code is: what its value is, and whether it is needed, is decided by the machine of the handlers (expression.c). */
#include "row_block_expressions.h"

#include "expression.h"
#include "row_block_guards.h"

#define INLINE static inline __attribute__((always_inline))

/* The highest bit of `wrong` means that some value does not fit into 64 bits; its other bits have no meaning. */
#define EACH(value, fault)                                                                                             \
    do {                                                                                                               \
        if (right) {                                                                                                   \
            for (size_t i = 0; i < rows; i++) {                                                                        \
                const uint64_t a = (uint64_t)left[i], b = (uint64_t)right[i], r = (uint64_t)(value);                   \
                wrong |= (fault);                                                                                      \
                to[i] = (int64_t)r;                                                                                    \
            }                                                                                                          \
        } else {                                                                                                       \
            const uint64_t b = (uint64_t)constant;                                                                     \
            for (size_t i = 0; i < rows; i++) {                                                                        \
                const uint64_t a = (uint64_t)left[i], r = (uint64_t)(value);                                           \
                wrong |= (fault);                                                                                      \
                to[i] = (int64_t)r;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
#define HIGHEST (UINT64_C(1) << 63)
#define SIGNED(x) ((int64_t)(x))
#define MOST(bits) (HIGHEST >> ((bits) & 63))
#define DOUBLE(bits) wl_double((int64_t)(bits))

INLINE uint64_t multiply(const int64_t *left, const int64_t *right, int64_t constant, int64_t *to, size_t rows) {
    uint64_t wrong = 0;
    for (size_t i = 0; i < rows; i++)
        wrong |= (uint64_t)__builtin_mul_overflow(left[i], right ? right[i] : constant, &to[i]) << 63;
    return wrong;
}

INLINE uint64_t two(unsigned code, const int64_t *left, const int64_t *right, int64_t constant, int64_t *to,
                    size_t rows) {
    uint64_t wrong = 0;
    switch (code) {
    case CODE_ADD:
        EACH(a + b, (a ^ r) & (b ^ r));
        break;
    case CODE_SUBTRACT:
        EACH(a - b, (a ^ b) & (a ^ r));
        break;
    case CODE_MULTIPLY:
        return multiply(left, right, constant, to, rows);
    case CODE_AND:
        EACH(a & b, 0);
        break;
    case CODE_OR:
        EACH(a | b, 0);
        break;
    case CODE_XOR:
        EACH(a ^ b, 0);
        break;
    case CODE_SHIFT_LEFT: /* the value must fit into 64 - b bits */
        EACH(a << (b & 63), ((a + MOST(b)) & ~(2 * MOST(b) - 1)) | (b & ~UINT64_C(63)));
        return wrong ? HIGHEST : 0;
    case CODE_SHIFT_RIGHT:
        EACH(SIGNED(a) >> (b & 63), b & ~UINT64_C(63));
        return wrong ? HIGHEST : 0;
    case CODE_EQUAL:
        EACH(a == b, 0);
        break;
    case CODE_NOT_EQUAL:
        EACH(a != b, 0);
        break;
    case CODE_LESS:
        EACH(SIGNED(a) < SIGNED(b), 0);
        break;
    case CODE_LESS_EQUAL:
        EACH(SIGNED(a) <= SIGNED(b), 0);
        break;
    case CODE_GREATER:
        EACH(SIGNED(a) > SIGNED(b), 0);
        break;
    case CODE_GREATER_EQUAL:
        EACH(SIGNED(a) >= SIGNED(b), 0);
        break;
    case WL_CODE_ROTATED:
        for (size_t i = 0; i < rows; i++) {
            wrong |= (uint64_t)left[i] >> 32;
            to[i] = (int64_t)wl_rotated((uint64_t)left[i], (uint64_t)constant);
        }
        return wrong ? HIGHEST : 0;
    case CODE_FLOAT_ADD:
        EACH(wl_double_bits(DOUBLE(a) + DOUBLE(b)), 0);
        break;
    case CODE_FLOAT_SUBTRACT:
        EACH(wl_double_bits(DOUBLE(a) - DOUBLE(b)), 0);
        break;
    case CODE_FLOAT_MULTIPLY:
        EACH(wl_double_bits(DOUBLE(a) * DOUBLE(b)), 0);
        break;
    case CODE_FLOAT_DIVIDE: /* a divisor of zero has at most the bit of the sign */
        EACH(wl_double_bits(DOUBLE(a) / DOUBLE(b)), ((b << 1) - 1) & ~(b << 1));
        break;
    case CODE_FLOAT_EQUAL:
        EACH(DOUBLE(a) == DOUBLE(b), 0);
        break;
    case CODE_FLOAT_NOT_EQUAL:
        EACH(DOUBLE(a) != DOUBLE(b), 0);
        break;
    case CODE_FLOAT_LESS:
        EACH(DOUBLE(a) < DOUBLE(b), 0);
        break;
    case CODE_FLOAT_LESS_EQUAL:
        EACH(DOUBLE(a) <= DOUBLE(b), 0);
        break;
    case CODE_FLOAT_GREATER:
        EACH(DOUBLE(a) > DOUBLE(b), 0);
        break;
    case CODE_FLOAT_GREATER_EQUAL:
        EACH(DOUBLE(a) >= DOUBLE(b), 0);
        break;
    case CODE_BOOLEAN_AND:
        EACH((a != 0) & (b != 0), 0);
        break;
    default: /* CODE_BOOLEAN_OR */
        EACH((a | b) != 0, 0);
        break;
    }
    return wrong;
}

INLINE uint64_t subtract_from(int64_t value, const int64_t *right, int64_t *to, size_t rows) {
    const uint64_t a = (uint64_t)value;
    uint64_t wrong = 0;
    for (size_t i = 0; i < rows; i++) {
        const uint64_t b = (uint64_t)right[i], r = a - b;
        wrong |= (a ^ b) & (a ^ r);
        to[i] = (int64_t)r;
    }
    return wrong;
}

#define CONVERT(code)                                                                                                  \
    case code:                                                                                                         \
        for (size_t i = 0; i < rows; i++) {                                                                            \
            wl_convert(code, left[i], &value);                                                                         \
            to[i] = (int64_t)value;                                                                                    \
        }                                                                                                              \
        return 0

INLINE uint64_t convert(unsigned code, const int64_t *left, int64_t *to, size_t rows) {
    wl_integer value = 0;
    uint64_t wrong = 0;
    switch (code) {
        CONVERT(CODE_FLOAT_NEGATE);
        CONVERT(CODE_FLOAT_OF_SINGLE);
        CONVERT(CODE_FLOAT_TO_SINGLE);
    case CODE_FLOAT_OF_INTEGER:
        for (size_t i = 0; i < rows; i++)
            to[i] = wl_double_bits((double)left[i]);
        return 0;
    default: /* CODE_FLOAT_TO_INTEGER */
        for (size_t i = 0; i < rows; i++) {
            wrong |= wl_convert(code, left[i], &value) && value == (int64_t)value ? 0 : HIGHEST;
            to[i] = (int64_t)value;
        }
        return wrong;
    }
}

INLINE uint64_t one(const wl_block_code *code, const int64_t *left, int64_t *to, size_t rows) {
    if (code->code == CODE_BOOLEAN_NOT) {
        for (size_t i = 0; i < rows; i++)
            to[i] = left[i] == 0;
        return 0;
    }
    if (wl_code_converts(code->code))
        return convert(code->code, left, to, rows);
    /* CODE_CAST: the value must be in the range of the kind */
    const unsigned unused = 64 - 8 * wl_kind_size(code->kind);
    const bool is_signed = wl_kind_is_signed(code->kind);
    const uint64_t least = is_signed ? HIGHEST >> unused : 0, most = UINT64_MAX >> unused;
    uint64_t wrong = 0;
    for (size_t i = 0; i < rows; i++) {
        to[i] = left[i];
        wrong |= ((uint64_t)left[i] + least) & ~most;
        wrong |= is_signed ? 0 : (uint64_t)left[i] & HIGHEST;
    }
    return wrong ? HIGHEST : 0;
}

/* Returns the register's value for each row: in place, or written to `to`. */
INLINE const int64_t *leaf(const wl_row_block *block, const wl_block_code *code, int64_t *to, size_t first, size_t rows,
                           uint64_t *wrong) {
    if (code->values && !code->table)
        return code->values + first;
    if (!code->table) {
        wl_row_block_load(block, code->from, code->kind, (uint64_t *)to, first, rows);
        for (size_t i = 0; wl_kind_is_u8(code->kind) && i < rows; i++)
            *wrong |= (uint64_t)to[i];
        return to;
    }
    const uint8_t *const *at = block->at[code->from.stretch] + first;
    for (size_t i = 0; i < rows; i++)
        to[i] = code->table[at[i][code->from.offset]];
    return to;
}

/* The stack of an expression. A value is the same for all rows, or there is one for each row: in place, or in the memory
 * of its level, which is in use by no other level. */
typedef struct {
    const int64_t *values[WL_BLOCK_DEEPEST + 1]; /* NULL: the same for all rows */
    int64_t same[WL_BLOCK_DEEPEST + 1];
    int64_t *memory[WL_BLOCK_DEEPEST + 1];
} values_stack;

/* Writes the value of each row to memory if it is the same for all. */
INLINE void spread(values_stack *stack, size_t level, size_t rows) {
    if (stack->values[level])
        return;
    for (size_t i = 0; i < rows; i++)
        stack->memory[level][i] = stack->same[level];
    stack->values[level] = stack->memory[level];
}

/* Puts the value of another level at `level`. */
INLINE void move(values_stack *stack, size_t level, size_t from) {
    int64_t *const free = stack->memory[level];
    stack->values[level] = stack->values[from];
    stack->same[level] = stack->same[from];
    if (stack->values[from] == stack->memory[from]) {
        stack->memory[level] = stack->memory[from];
        stack->memory[from] = free;
    }
}

INLINE void push(const wl_row_block *block, const wl_block_code *code, values_stack *stack, size_t level, size_t first,
                 size_t rows, uint64_t *wrong) {
    const bool is_constant = code->code == CODE_CONSTANT, is_register = code->code == CODE_REGISTER;
    if (is_register && code->is_same) {
        stack->values[level] = NULL;
        stack->same[level] = *code->values;
        return;
    }
    if (!is_constant && !(is_register && code->outer)) {
        stack->values[level] = leaf(block, code, stack->memory[level], first, rows, wrong);
        return;
    }
    const wl_integer value = is_constant ? (wl_integer)code->constant : *code->outer;
    *wrong |= value == (int64_t)value ? 0 : HIGHEST;
    stack->values[level] = NULL;
    stack->same[level] = (int64_t)value;
}

INLINE uint64_t run_one(const wl_block_code *code, values_stack *stack, size_t level, size_t rows) {
    if (!stack->values[level]) {
        int64_t value = stack->same[level];
        return one(code, &value, &stack->same[level], 1);
    }
    /* Every value has these 64 bits. */
    if (code->code == CODE_CAST && wl_kind_size(code->kind) == 8 && wl_kind_is_signed(code->kind))
        return 0;
    const uint64_t wrong = one(code, stack->values[level], stack->memory[level], rows);
    stack->values[level] = stack->memory[level];
    return wrong;
}

INLINE bool is_commutative(unsigned code) {
    return code == CODE_ADD || code == CODE_MULTIPLY || code == CODE_AND || code == CODE_OR || code == CODE_XOR;
}

INLINE uint64_t run_two(const wl_block_code *code, values_stack *stack, size_t level, size_t rows) {
    const int64_t *left = stack->values[level], *right = code->is_constant ? NULL : stack->values[level + 1];
    int64_t value = stack->same[level], other = code->is_constant ? code->constant : stack->same[level + 1];
    if (!left && !right)
        return two(code->code, &value, NULL, other, &stack->same[level], 1);
    if (!left && code->code == CODE_SUBTRACT) {
        stack->values[level] = stack->memory[level];
        return subtract_from(value, right, stack->memory[level], rows);
    }
    if (!left && is_commutative(code->code)) {
        left = right;
        right = NULL;
        other = value;
    } else {
        spread(stack, level, rows);
        left = stack->values[level];
    }
    stack->values[level] = stack->memory[level];
    return two(code->code, left, right, other, stack->memory[level], rows);
}

/* condition, then, otherwise */
INLINE void choose(values_stack *stack, size_t level, size_t rows) {
    if (!stack->values[level]) {
        move(stack, level, stack->same[level] ? level + 1 : level + 2);
        return;
    }
    spread(stack, level + 1, rows);
    spread(stack, level + 2, rows);
    for (size_t i = 0; i < rows; i++)
        stack->memory[level][i] =
            stack->values[level][i] ? stack->values[level + 1][i] : stack->values[level + 2][i];
    stack->values[level] = stack->memory[level];
}

/* Whether the code begins an arm of a SELECT that no row takes, since the condition is the same for all. */
INLINE bool is_passed(const wl_block_code *code, const values_stack *stack, size_t count) {
    if (WL_LIKELY(code->arm == WL_ARM_NONE))
        return false;
    const size_t condition = count - (code->arm == WL_ARM_THEN ? 1 : 2);
    return !stack->values[condition] && (stack->same[condition] != 0) != (code->arm == WL_ARM_THEN);
}

INLINE bool compute(const wl_row_block *block, const wl_row_block_step *step, size_t first, size_t rows) {
    int64_t *const result = step->result + first;
    values_stack stack; /* only its memory has a value: clearing the rest takes as long as a code for some rows */
    for (size_t i = 0; i < WL_BLOCK_DEEPEST; i++)
        stack.memory[i] = i ? block->results->stack[i - 1] : result;
    uint64_t wrong = 0;
    size_t count = 0;
    for (size_t at = 0; at < step->code_count && !(wrong & HIGHEST); at++) {
        const wl_block_code *code = step->codes + at;
        if (is_passed(code, &stack, count)) {
            stack.values[count] = NULL;
            stack.same[count++] = 0;
            at = (size_t)code->arm_end - 1;
            continue;
        }
        switch (wl_code_takes(code->code)) {
        case 0:
            push(block, code, &stack, count++, first, rows, &wrong);
            break;
        case 1:
            wrong |= run_one(code, &stack, count - 1, rows);
            break;
        case 2:
            count -= !code->is_constant;
            wrong |= run_two(code, &stack, count - 1, rows);
            break;
        default:
            count -= 2;
            choose(&stack, count - 1, rows);
            break;
        }
    }
    spread(&stack, 0, rows);
    if (stack.values[0] != result)
        memcpy(result, stack.values[0], rows * sizeof *result);
    return !(wrong & HIGHEST);
}

#define VARIANT(level, attributes)                                                                                     \
    attributes bool wl_compute_##level(const wl_row_block *block, const wl_row_block_step *step, size_t first,         \
                                       size_t rows) {                                                                  \
        return compute(block, step, first, rows);                                                                      \
    }

VARIANT(portable, )
#if defined(__x86_64__)
VARIANT(avx2, __attribute__((target("avx2"))))
#endif

/* The number of rows before the first one for which some code has no value; `rows`: too many. */
static size_t valid_rows(const wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    size_t valid = 0;
    while (rows - valid > 1) {
        const size_t middle = valid + (rows - valid) / 2;
        if (wl_chosen.compute(block, step, 0, middle))
            valid = middle;
        else
            rows = middle;
    }
    if (valid)
        wl_chosen.compute(block, step, 0, valid);
    return valid;
}

size_t wl_row_block_expression(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    if (WL_UNLIKELY(!wl_chosen.compute(block, step, 0, rows)))
        rows = valid_rows(block, step, rows);
    const uint8_t *taken = step->guard ? block->guards->taken[step->guard] : NULL;
    for (size_t i = 0; taken && i < rows; i++)
        step->result[i] = taken[i] ? step->result[i] : 0;
    return rows;
}

/* For one row ------------------------------------------------------------------------------------------------------ */

bool wl_row_block_is_early(const wl_row_block_step *step) {
    for (size_t i = 0; i < step->code_count; i++) {
        const wl_block_code *code = step->codes + i;
        if (code->is_computed)
            return false;
    }
    return !step->guard;
}

bool wl_row_block_compute(const wl_row_block *block, const wl_row_block_step *step, size_t row, int64_t *value) {
    const bool exists = wl_chosen.compute(block, step, row, 1);
    *value = step->result[row];
    return exists;
}

size_t wl_row_block_computed(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    (void)block, (void)step;
    return rows;
}

/* Whether every value of the step exists, of whatever bits: so do sums of a few fields and constants. */
static bool always_exists(const wl_row_block_step *step) {
    bool exists = step->code_count <= 8;
    for (size_t i = 0; i < step->code_count; i++) {
        const wl_block_code *code = step->codes + i;
        const bool is_field = code->code == CODE_REGISTER && !code->is_computed && !code->outer;
        exists &= is_field || code->code == CODE_CONSTANT || ((code->code == CODE_ADD || code->code == CODE_SUBTRACT) && code->is_constant);
    }
    return exists;
}

void wl_row_block_drop_unread(wl_row_block *block) {
    for (size_t i = 0; i < block->check_count; i++) {
        wl_row_block_step *step = block->checks + i;
        bool is_read = step->run != wl_row_block_expression || !always_exists(step);
        for (size_t j = 0; j < block->check_count; j++)
            is_read |= j != i && block->checks[j].values == step->result;
        for (size_t j = 0; j < block->column_count; j++)
            is_read |= block->columns[j].values == step->result;
        for (size_t j = 0; !is_read && j < block->results->code_count; j++)
            is_read = block->results->codes[j].values == step->result;
        if (!is_read)
            step->run = wl_row_block_computed;
    }
}
