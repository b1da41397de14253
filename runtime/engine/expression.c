/* The stack machine of EXPRESSION steps, over signed 128-bit integers.
 *
 * A value that cannot be computed (division by zero, a result beyond 128 bits, an operand that failed itself) is marked
 * as failed and passed on, so that it does no harm where it is not taken: in the other branch of a SELECT, or after
 * an AND or OR that is decided already. The language says the same: it would not have evaluated it. */
#include "internal.h"

/* Numbered as wireloom.format.program.Code. */
enum {
    CODE_CONSTANT,
    CODE_REGISTER,
    CODE_SPAN_SIZE,
    CODE_ADD,
    CODE_SUBTRACT,
    CODE_MULTIPLY,
    CODE_FLOOR_DIVIDE,
    CODE_MODULO,
    CODE_AND,
    CODE_OR,
    CODE_XOR,
    CODE_SHIFT_LEFT,
    CODE_SHIFT_RIGHT,
    CODE_NEGATE,
    CODE_INVERT,
    CODE_EQUAL,
    CODE_NOT_EQUAL,
    CODE_LESS,
    CODE_LESS_EQUAL,
    CODE_GREATER,
    CODE_GREATER_EQUAL,
    CODE_BOOLEAN_NOT,
    CODE_BOOLEAN_AND,
    CODE_BOOLEAN_OR,
    CODE_SELECT,
    CODE_CONSTANT_UNSIGNED,
    CODE_SPAN_ORDER,
    CODE_COUNT,
};

__extension__ typedef unsigned __int128 unsigned_integer;

typedef struct {
    wl_integer value;
    bool failed;
} operand;

/* Bytes that follow each code at least, and how many values it takes; every code leaves one. */
static unsigned least_bytes(unsigned code) {
    if (code == CODE_CONSTANT || code == CODE_CONSTANT_UNSIGNED)
        return 8;
    if (code == CODE_SPAN_ORDER)
        return 2;
    return code == CODE_REGISTER || code == CODE_SPAN_SIZE ? 1 : 0;
}

/* Bytes that follow the code, of which the least are there. */
static unsigned code_bytes(unsigned code, const uint8_t *follows) {
    return least_bytes(code) + (code == CODE_SPAN_ORDER ? follows[1] : 0);
}

static unsigned code_takes(unsigned code) {
    if (least_bytes(code))
        return 0;
    if (code == CODE_SELECT)
        return 3;
    return code == CODE_NEGATE || code == CODE_INVERT || code == CODE_BOOLEAN_NOT ? 1 : 2;
}

bool wl_expression_check(const wl_program *program, const uint8_t *code, size_t size, const char **problem) {
    unsigned depth = 0;
    *problem = NULL;
    for (size_t at = 0; at < size && !*problem;) {
        unsigned each = code[at++];
        size_t follow = least_bytes(each);
        if (each < CODE_COUNT && follow <= size - at)
            follow = code_bytes(each, code + at);
        if (each >= CODE_COUNT)
            *problem = "the expression holds an unknown code";
        else if (follow > size - at)
            *problem = "the expression ends inside a code";
        else if (each == CODE_REGISTER && code[at] >= program->register_count)
            *problem = "the expression reads a register that does not exist";
        else if ((each == CODE_SPAN_SIZE || each == CODE_SPAN_ORDER) && code[at] >= program->span_count)
            *problem = "the expression reads a span that does not exist";
        else if (depth < code_takes(each))
            *problem = "the expression takes a value that is not there";
        else if ((depth = depth - code_takes(each) + 1) > WL_DEEPEST_STACK)
            *problem = "the expression is too deep";
        at += follow;
    }
    if (!*problem && depth != 1)
        *problem = "the expression does not leave exactly one value";
    return !*problem;
}

void wl_expression_uses(const uint8_t *code, size_t size, bool *registers, bool *spans) {
    for (size_t at = 0; at < size; at += 1 + code_bytes(code[at], code + at + 1)) {
        if (code[at] == CODE_REGISTER)
            registers[code[at + 1]] = true;
        else if (code[at] == CODE_SPAN_SIZE || code[at] == CODE_SPAN_ORDER)
            spans[code[at + 1]] = true;
    }
}

static bool shift_left(wl_integer left, wl_integer right, wl_integer *result) {
    if (right < 0)
        return false;
    *result = 0;
    if (left == 0)
        return true;
    if (right > 127)
        return false;
    *result = (wl_integer)((unsigned_integer)left << (unsigned)right);
    return *result >> (unsigned)right == left;
}

/* Rounds down, and the rest has the divisor's sign, as with Python's // and %. The rest is not made of the quotient,
 * whose product with the least divisor is beyond 128 bits. */
static bool divide(unsigned code, wl_integer left, wl_integer right, wl_integer *result) {
    const wl_integer least = (wl_integer)((unsigned_integer)1 << 127);
    *result = 0;
    if (right == 0 || (right == -1 && left == least))
        return right != 0 && code == CODE_MODULO;
    wl_integer rest = left % right;
    bool down = rest != 0 && (rest < 0) != (right < 0);
    *result = code == CODE_MODULO ? rest + (down ? right : 0) : left / right - down;
    return true;
}

/* False: there is no such value. */
static bool compute(unsigned code, wl_integer left, wl_integer right, wl_integer *result) {
    switch (code) {
    case CODE_ADD:
        return !__builtin_add_overflow(left, right, result);
    case CODE_SUBTRACT:
        return !__builtin_sub_overflow(left, right, result);
    case CODE_MULTIPLY:
        return !__builtin_mul_overflow(left, right, result);
    case CODE_FLOOR_DIVIDE:
    case CODE_MODULO:
        return divide(code, left, right, result);
    case CODE_AND:
        return *result = left & right, true;
    case CODE_OR:
        return *result = left | right, true;
    case CODE_XOR:
        return *result = left ^ right, true;
    case CODE_SHIFT_LEFT:
        return shift_left(left, right, result);
    case CODE_SHIFT_RIGHT:
        return *result = left >> (right < 0 || right > 127 ? 127 : (unsigned)right), right >= 0;
    case CODE_EQUAL:
        return *result = left == right, true;
    case CODE_NOT_EQUAL:
        return *result = left != right, true;
    case CODE_LESS:
        return *result = left < right, true;
    case CODE_LESS_EQUAL:
        return *result = left <= right, true;
    case CODE_GREATER:
        return *result = left > right, true;
    default: /* CODE_GREATER_EQUAL */
        return *result = left >= right, true;
    }
}

static operand two(unsigned code, operand left, operand right) {
    operand result = {0, left.failed};
    if (code == CODE_BOOLEAN_AND || code == CODE_BOOLEAN_OR) {
        if (left.failed)
            return result;
        if ((left.value != 0) == (code == CODE_BOOLEAN_OR))
            return (operand){code == CODE_BOOLEAN_OR, false};
        return (operand){right.value != 0, right.failed};
    }
    result.failed = left.failed || right.failed || !compute(code, left.value, right.value, &result.value);
    if (result.failed)
        result.value = 0;
    return result;
}

static operand one(unsigned code, operand value) {
    if (value.failed)
        return value;
    switch (code) {
    case CODE_NEGATE:
        value.failed = __builtin_sub_overflow((wl_integer)0, value.value, &value.value);
        return value;
    case CODE_INVERT:
        return (operand){~value.value, false};
    default: /* CODE_BOOLEAN_NOT */
        return (operand){value.value == 0, false};
    }
}

/* -1, 0 or 1: whether the bytes of a span are less than, equal to or greater than others, as bytes are ordered. */
static wl_integer order(wl_span span, const uint8_t *other, size_t size) {
    size_t common = span.size < size ? span.size : size;
    int found = common ? memcmp(span.at, other, common) : 0;
    return found ? (found > 0) - (found < 0) : (span.size > size) - (span.size < size);
}

static operand leaf(const wl_run *run, unsigned code, const uint8_t *follows) {
    switch (code) {
    case CODE_CONSTANT:
        return (operand){(int64_t)wl_load_le8(follows), false};
    case CODE_CONSTANT_UNSIGNED:
        return (operand){wl_load_le8(follows), false};
    case CODE_REGISTER:
        return (operand){run->registers[*follows], run->poisoned && (run->poison[*follows / 64] >> *follows % 64 & 1)};
    case CODE_SPAN_ORDER:
        return (operand){order(run->spans[follows[0]], follows + 2, follows[1]), false};
    default: /* CODE_SPAN_SIZE */
        return (operand){(wl_integer)run->spans[*follows].size, false};
    }
}

wl_integer wl_expression(wl_run *run, const wl_instruction *instruction, bool *failed) {
    operand stack[WL_DEEPEST_STACK];
    operand *top = stack; /* after the last value */
    const uint8_t *code = instruction->constant;
    const uint8_t *end = code + instruction->d;
    while (code < end) {
        unsigned each = *code++;
        switch (code_takes(each)) {
        case 0:
            *top++ = leaf(run, each, code);
            code += code_bytes(each, code);
            break;
        case 1:
            top[-1] = one(each, top[-1]);
            break;
        case 2:
            top--;
            top[-1] = two(each, top[-1], top[0]);
            break;
        default: /* condition, then, otherwise */
            top -= 2;
            if (!top[-1].failed)
                top[-1] = top[-1].value ? top[0] : top[1];
            break;
        }
    }
    *failed = stack[0].failed;
    return stack[0].value;
}
