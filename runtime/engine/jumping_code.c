/* Expressions as jumping code: `and`, `or` and `? :` jump over operands that are not evaluated, as in the language.
 *
 * The codes of a program are postfix, so its translation finds where the later operands of these operators begin, and
 * puts a jump before each. A jump to another one whose outcome is then known continues there, and frequent sequences are
 * one instruction: an operation with a constant, and a jump that depends on a register and a constant.
 *
 * Values have 64 bits; one that is null is only compared with constants. Anything else (a value with more bits, a result of
 * what has no value, bytes that are compared, items of lists) is left to the stack machine (expression.c), which computes
 * the whole expression. */
#include "jumping_code.h"

#include <stdlib.h>

#include "expression.h"
#include "handlers.h"

/* Besides the codes of expressions. */
enum {
    WITH_CONSTANT = 64,       /* added to a code with two operands: the second one is `constant` */
    BRANCH = 128,             /* added to a comparison of register `number` with `constant`: jump if it is true */
    JUMP_IF_FALSE_KEEP = 192, /* jump if the value is false, which is the result; otherwise drop it */
    JUMP_IF_TRUE_KEEP,
    JUMP_IF_FALSE, /* drop the value, and jump if it is false */
    JUMP_IF_TRUE,
    JUMP,
    TRUTH, /* 1, or 0 for 0 */
    NOT_HERE,
    END,
};

_Static_assert((int)CODE_COUNT <= (int)WITH_CONSTANT, "codes with and without a constant have different numbers");

typedef struct {
    uint8_t code;
    uint8_t follows; /* what follows a CAST */
    bool keeps;      /* a branch that jumps leaves `value` */
    bool value;
    uint16_t number;
    uint32_t to;
    int64_t constant;
} instruction;

struct wl_jumping_code {
    size_t count;
    instruction instructions[];
};

static bool decides(unsigned code) { return code == CODE_BOOLEAN_AND || code == CODE_BOOLEAN_OR; }

/* For each code, the jump before it, or 0; returns the number of codes and jumps. */
static size_t find_jumps(const uint8_t *code, size_t size, uint8_t *jumps) {
    size_t begins[WL_DEEPEST_STACK], depth = 0, count = 0, all = 0;
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1), count++) {
        const unsigned takes = wl_code_takes(code[at]);
        jumps[count] = 0;
        if (decides(code[at])) {
            jumps[begins[depth - 1]] = code[at] == CODE_BOOLEAN_AND ? JUMP_IF_FALSE_KEEP : JUMP_IF_TRUE_KEEP;
            all++;
        } else if (takes == 3) {
            jumps[begins[depth - 2]] = JUMP_IF_FALSE;
            jumps[begins[depth - 1]] = JUMP;
            all += 2;
        }
        if (!takes)
            begins[depth] = count;
        depth = depth + 1 - takes;
    }
    return all + count;
}

static instruction translate(const uint8_t *code) {
    instruction made = {.code = *code};
    switch (*code) {
    case CODE_CONSTANT_UNSIGNED:
    case CODE_CONSTANT:
        made.constant = (int64_t)wl_load_le8(code + 1);
        made.code = *code == CODE_CONSTANT || made.constant >= 0 ? CODE_CONSTANT : NOT_HERE;
        break;
    case CODE_REGISTER:
    case CODE_SPAN_SIZE:
    case CODE_SPAN_BYTE:
        made.number = (uint16_t)wl_code_number(code + 1);
        break;
    case CODE_CAST:
        made.follows = code[1];
        break;
    case CODE_BOOLEAN_AND:
    case CODE_BOOLEAN_OR:
        made.code = TRUTH;
        break;
    default:
        if (*code == CODE_NULL || wl_code_is_span(*code) || wl_code_is_series(*code))
            made.code = NOT_HERE;
    }
    return made;
}

/* Writes the instructions; `jumps` as from find_jumps(). */
static void write(wl_jumping_code *made, const uint8_t *code, size_t size, const uint8_t *jumps) {
    uint32_t open[WL_DEEPEST_STACK], depth = 0, count = 0;
    for (const uint8_t *end = code + size; code < end; code += 1 + wl_code_bytes(*code, code + 1), jumps++) {
        if (*jumps) {
            open[depth++] = count;
            made->instructions[count++] = (instruction){.code = *jumps};
        }
        if (*code == CODE_OPTIONAL)
            continue;
        if (*code == CODE_SELECT) {
            const uint32_t over = open[--depth];
            made->instructions[over].to = count;
            made->instructions[open[--depth]].to = over + 1;
            continue;
        }
        made->instructions[count++] = translate(code);
        if (decides(*code))
            made->instructions[open[--depth]].to = count;
    }
    made->instructions[count] = (instruction){.code = END};
    made->count = count + 1;
}

/* Continues a jump where the jump that it leads to would, as the value is known: `truth`. */
static void thread(const instruction *all, instruction *jump, bool truth) {
    for (;;) {
        const instruction *next = all + jump->to;
        if (next->code == TRUTH) {
            jump->to++;
        } else if (next->code == JUMP || next->code == (truth ? JUMP_IF_TRUE_KEEP : JUMP_IF_FALSE_KEEP)) {
            jump->to = next->to;
        } else if (next->code == (truth ? JUMP_IF_FALSE_KEEP : JUMP_IF_TRUE_KEEP) ||
                   next->code == (truth ? JUMP_IF_FALSE : JUMP_IF_TRUE)) {
            jump->code = truth ? JUMP_IF_TRUE : JUMP_IF_FALSE;
            jump->to++;
            return;
        } else if (next->code == (truth ? JUMP_IF_TRUE : JUMP_IF_FALSE)) {
            jump->code = next->code;
            jump->to = next->to;
            return;
        } else {
            return;
        }
    }
}

static unsigned opposite(unsigned code) {
    static const uint8_t opposites[] = {CODE_NOT_EQUAL, CODE_EQUAL, CODE_GREATER_EQUAL, CODE_GREATER, CODE_LESS_EQUAL, CODE_LESS};
    return opposites[code - CODE_EQUAL];
}

/* Makes an instruction do the same as itself and those after it, which stay for jumps to them. */
static void join(instruction *first) {
    const instruction *operation = first + 1, *jump = first + 2;
    if (first->code == CODE_CONSTANT && wl_code_takes(operation->code) == 2 && operation->code < CODE_COUNT) {
        first->code = (uint8_t)(WITH_CONSTANT + operation->code);
    } else if (first->code == CODE_REGISTER && operation->code >= WITH_CONSTANT + CODE_EQUAL &&
               operation->code <= WITH_CONSTANT + CODE_GREATER_EQUAL && (++jump)->code >= JUMP_IF_FALSE_KEEP &&
               jump->code <= JUMP_IF_TRUE) {
        const unsigned compared = operation->code - WITH_CONSTANT;
        const bool sense = jump->code == JUMP_IF_TRUE || jump->code == JUMP_IF_TRUE_KEEP;
        first->code = (uint8_t)(BRANCH + (sense ? compared : opposite(compared)));
        first->keeps = jump->code == JUMP_IF_FALSE_KEEP || jump->code == JUMP_IF_TRUE_KEEP;
        first->value = sense;
        first->constant = operation->constant;
        first->to = jump->to;
    }
}

wl_jumping_code *wl_jumping_code_make(const uint8_t *code, size_t size) {
    uint8_t *jumps = malloc(size);
    wl_jumping_code *made = NULL;
    if (jumps)
        made = malloc(sizeof *made + (find_jumps(code, size, jumps) + 1) * sizeof *made->instructions);
    if (made) {
        write(made, code, size, jumps);
        for (size_t i = made->count; i-- > 0;) {
            instruction *each = made->instructions + i;
            if (each->code == JUMP_IF_FALSE_KEEP || each->code == JUMP_IF_TRUE_KEEP)
                thread(made->instructions, each, each->code == JUMP_IF_TRUE_KEEP);
            join(each);
        }
    }
    free(jumps);
    return made;
}

static bool divides(int64_t left, int64_t right) { return right && !(right == -1 && left == INT64_MIN); }

/* Like wl_divide(). */
static int64_t divide(unsigned code, int64_t left, int64_t right) {
    const int64_t rest = left % right;
    const bool down = rest && (rest < 0) != (right < 0);
    return code == CODE_MODULO ? rest + (down ? right : 0) : left / right - down;
}

/* A code with the operands `a` and `b`. */
#define TWO(code, holds)                                                                                               \
    case code:                                                                                                         \
        b = top;                                                                                                       \
        a = *--left;                                                                                                   \
        if (WL_UNLIKELY(!(holds)))                                                                                     \
            return false;                                                                                              \
        top = value;                                                                                                   \
        at++;                                                                                                          \
        break;                                                                                                         \
    case WITH_CONSTANT + (code):                                                                                       \
        b = at->constant;                                                                                              \
        a = top;                                                                                                       \
        if (WL_UNLIKELY(!(holds)))                                                                                     \
            return false;                                                                                              \
        top = value;                                                                                                   \
        at += 2;                                                                                                       \
        break
#define COMPARISON(code, operator)                                                                                     \
    TWO(code, (value = a operator b, true));                                                                           \
    case BRANCH + (code):                                                                                              \
        if (WL_UNLIKELY(!in_register(run, at->number, &value) &&                                                       \
                        !is_unequal(run, at->number, code, at->constant, &value)))                                     \
            return false;                                                                                              \
        if (!(value operator at->constant)) {                                                                          \
            at += 4;                                                                                                   \
        } else {                                                                                                       \
            if (at->keeps) {                                                                                           \
                *left++ = top;                                                                                         \
                top = at->value;                                                                                       \
            }                                                                                                          \
            at = code_->instructions + at->to;                                                                         \
        }                                                                                                              \
        break

static bool in_register(const wl_run *run, unsigned number, int64_t *value) {
    const wl_integer found = run->registers[number];
    *value = (int64_t)found;
    return found == *value && !wl_is_missing(run, number);
}

/* Whether the register is null and the code compares it with a constant; `value`: one that is not the constant. */
static bool is_unequal(const wl_run *run, unsigned number, unsigned code, int64_t constant, int64_t *value) {
    *value = ~constant;
    return (code == CODE_EQUAL || code == CODE_NOT_EQUAL) && wl_is_missing(run, number) &&
           wl_missing_reason(run, number) == WL_NULL;
}

/* A code of floats; false for others. Apart from the loop, which is faster without them. */
__attribute__((noinline)) static bool run_float(const instruction **at, int64_t **left, int64_t *top) {
    const unsigned with_constant = (*at)->code >= WITH_CONSTANT, code = (*at)->code - (with_constant ? WITH_CONSTANT : 0);
    wl_integer value;
    if (code < CODE_FLOAT_ADD || code >= CODE_COUNT)
        return false;
    if (wl_code_converts(code)) {
        if (!wl_convert(code, *top, &value))
            return false;
    } else if (!wl_compute(code, with_constant ? *top : *--*left, with_constant ? (*at)->constant : *top, &value)) {
        return false;
    }
    *top = (int64_t)value;
    *at += 1 + with_constant;
    return value == *top;
}

bool wl_jumping_code_run(const wl_run *run, const wl_jumping_code *code_, wl_integer *result) {
    /* The values except the last, which is `top`; the first entry is unused. */
    int64_t values[WL_DEEPEST_STACK + 1], top = 0, value, a, b;
    int64_t *left = values, *below;
    const instruction *at = code_->instructions, *after;
    wl_span span;
    for (;;) {
        switch (at->code) {
        case CODE_CONSTANT:
            *left++ = top;
            top = at++->constant;
            break;
        case CODE_REGISTER:
            if (WL_UNLIKELY(!in_register(run, at->number, &value) &&
                            !is_unequal(run, at->number, at[1].code - WITH_CONSTANT, at[1].constant, &value)))
                return false;
            *left++ = top;
            top = value;
            at++;
            break;
            TWO(CODE_ADD, !__builtin_add_overflow(a, b, &value));
            TWO(CODE_SUBTRACT, !__builtin_sub_overflow(a, b, &value));
            TWO(CODE_MULTIPLY, !__builtin_mul_overflow(a, b, &value));
            TWO(CODE_FLOOR_DIVIDE, divides(a, b) && (value = divide(CODE_FLOOR_DIVIDE, a, b), true));
            TWO(CODE_MODULO, divides(a, b) && (value = divide(CODE_MODULO, a, b), true));
            TWO(CODE_AND, (value = a & b, true));
            TWO(CODE_OR, (value = a | b, true));
            TWO(CODE_XOR, (value = a ^ b, true));
            TWO(CODE_SHIFT_LEFT, (uint64_t)b < 63 && (value = (int64_t)((uint64_t)a << b)) >> b == a);
            TWO(CODE_SHIFT_RIGHT, (uint64_t)b < 64 && (value = a >> b, true));
            COMPARISON(CODE_EQUAL, ==);
            COMPARISON(CODE_NOT_EQUAL, !=);
            COMPARISON(CODE_LESS, <);
            COMPARISON(CODE_LESS_EQUAL, <=);
            COMPARISON(CODE_GREATER, >);
            COMPARISON(CODE_GREATER_EQUAL, >=);
        case CODE_BOOLEAN_NOT:
            top = !top;
            at++;
            break;
        case CODE_NEGATE:
            if (WL_UNLIKELY(top == INT64_MIN))
                return false;
            top = -top;
            at++;
            break;
        case CODE_INVERT:
            top = ~top;
            at++;
            break;
        case CODE_CAST:
            if (WL_UNLIKELY(!wl_kind_holds(at->follows, top)))
                return false;
            at++;
            break;
        case CODE_SPAN_SIZE:
            span = run->spans[at++->number];
            if (WL_UNLIKELY(wl_text_missing(span)))
                return false;
            *left++ = top;
            top = (int64_t)span.size;
            break;
        case CODE_SPAN_BYTE:
            span = run->spans[at++->number];
            if (WL_UNLIKELY(wl_text_missing(span) || (uint64_t)top >= span.size))
                return false;
            top = span.at[top];
            break;
        case TRUTH:
            top = top != 0;
            at++;
            break;
        case JUMP:
            at = code_->instructions + at->to;
            break;
        case JUMP_IF_FALSE_KEEP:
        case JUMP_IF_TRUE_KEEP:
            if ((top != 0) == (at->code == JUMP_IF_TRUE_KEEP)) {
                top = top != 0;
                at = code_->instructions + at->to;
            } else {
                top = *--left;
                at++;
            }
            break;
        case JUMP_IF_FALSE:
        case JUMP_IF_TRUE:
            at = (top != 0) == (at->code == JUMP_IF_TRUE) ? code_->instructions + at->to : at + 1;
            top = *--left;
            break;
        case END:
            *result = top;
            return true;
        default: /* NOT_HERE */
            after = at;
            below = left;
            value = top;
            if (!run_float(&after, &below, &value))
                return false;
            at = after;
            left = below;
            top = value;
        }
    }
}
