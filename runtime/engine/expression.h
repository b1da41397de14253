/* The codes of expressions and their results: for the machine (expression.c), for the handlers of short expressions
 * (row_expressions.c), and for row blocks (row_block_expressions.c). */
#ifndef WIRELOOM_EXPRESSION_H
#define WIRELOOM_EXPRESSION_H

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
    CODE_CAST,
    CODE_SERIES_ITEM,
    CODE_SERIES_SIZE,
    CODE_SERIES_LEAST,
    CODE_SERIES_GREATEST,
    CODE_SPAN_BYTE,
    CODE_SPAN_NUMBER,
    CODE_SPAN_COMPARE,
    CODE_SPAN_LENGTH,
    CODE_NULL,
    CODE_OPTIONAL,
    CODE_FLOAT_ADD,
    CODE_FLOAT_SUBTRACT,
    CODE_FLOAT_MULTIPLY,
    CODE_FLOAT_DIVIDE,
    CODE_FLOAT_MODULO,
    CODE_FLOAT_EQUAL,
    CODE_FLOAT_NOT_EQUAL,
    CODE_FLOAT_LESS,
    CODE_FLOAT_LESS_EQUAL,
    CODE_FLOAT_GREATER,
    CODE_FLOAT_GREATER_EQUAL,
    CODE_FLOAT_ORDER,
    CODE_INTEGER_ORDER,
    CODE_FLOAT_NEGATE,
    CODE_FLOAT_OF_INTEGER,
    CODE_FLOAT_OF_SINGLE,
    CODE_FLOAT_TO_SINGLE,
    CODE_FLOAT_TO_INTEGER,
    CODE_COUNT,
};

__extension__ typedef unsigned __int128 wl_natural;

/* The range of results of products and shifts excludes this value. */
#define WL_LEAST ((wl_integer)((wl_natural)1 << 127))

/* Bound of the integers that floats are converted to, as in the generated classes. */
#define WL_FLOAT_BOUND 0x1p100

/* A float in a register: the bits of a double, as a signed integer of 64 bits. All bits are a float, so codes of integers
 * on floats and of floats on integers compute nothing useful, but are safe. */
static inline double wl_double(int64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What is not a number has the same bits, whatever it was computed from: processors and compilers take those of any
 * operand. */
static inline int64_t wl_double_bits(double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value == value ? bits : INT64_C(0x7FF8000000000000);
}

static inline int64_t wl_double_of_single(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return wl_double_bits((double)value);
}

static inline int64_t wl_single_of_double(int64_t bits) {
    const float value = (float)wl_double(wl_double_bits(wl_double(bits)));
    uint32_t single;
    memcpy(&single, &value, sizeof single);
    return single;
}

static inline bool wl_code_is_series(unsigned code) { return code >= CODE_SERIES_ITEM && code <= CODE_SERIES_GREATEST; }
static inline bool wl_code_is_span(unsigned code) {
    return code == CODE_SPAN_SIZE || code == CODE_SPAN_ORDER || (code >= CODE_SPAN_BYTE && code <= CODE_SPAN_LENGTH);
}

/* Minimum number of bytes that follow a code. */
static inline unsigned wl_least_bytes(unsigned code) {
    if (code == CODE_CONSTANT || code == CODE_CONSTANT_UNSIGNED)
        return 8;
    if (code == CODE_SPAN_COMPARE)
        return 4;
    if (code == CODE_SPAN_ORDER || code == CODE_SPAN_NUMBER)
        return 3;
    if (code == CODE_REGISTER || code == CODE_SPAN_SIZE || code == CODE_SPAN_BYTE || code == CODE_SPAN_LENGTH ||
        wl_code_is_series(code))
        return 2;
    return code == CODE_CAST ? 1 : 0;
}

/* The number of the register or span that follows a code. */
static inline unsigned wl_code_number(const uint8_t *follows) { return wl_load_le2(follows); }

/* Number of bytes that follow the code, of which the minimum number is available. */
static inline unsigned wl_code_bytes(unsigned code, const uint8_t *follows) {
    return wl_least_bytes(code) + (code == CODE_SPAN_ORDER ? follows[2] : 0);
}

/* Number of operands of a code; every code has one result. */
static inline unsigned wl_code_takes(unsigned code) {
    switch (code) {
    case CODE_CONSTANT:
    case CODE_CONSTANT_UNSIGNED:
    case CODE_REGISTER:
    case CODE_SPAN_SIZE:
    case CODE_SPAN_ORDER:
    case CODE_SERIES_SIZE:
    case CODE_SERIES_LEAST:
    case CODE_SERIES_GREATEST:
    case CODE_SPAN_NUMBER:
    case CODE_SPAN_COMPARE:
    case CODE_SPAN_LENGTH:
    case CODE_NULL:
        return 0;
    case CODE_NEGATE:
    case CODE_INVERT:
    case CODE_BOOLEAN_NOT:
    case CODE_CAST:
    case CODE_SERIES_ITEM:
    case CODE_SPAN_BYTE:
    case CODE_OPTIONAL:
    case CODE_FLOAT_NEGATE:
    case CODE_FLOAT_OF_INTEGER:
    case CODE_FLOAT_OF_SINGLE:
    case CODE_FLOAT_TO_SINGLE:
    case CODE_FLOAT_TO_INTEGER:
        return 1;
    default:
        return code == CODE_SELECT ? 3 : 2;
    }
}

/* Whether an integer of that kind can represent the value. */
__attribute__((always_inline)) static inline bool wl_kind_holds(unsigned kind, wl_integer value) {
    const unsigned unused = 64 - 8 * wl_kind_size(kind);
    if (wl_kind_is_signed(kind))
        return value >= INT64_MIN >> unused && value <= INT64_MAX >> unused;
    return value >= 0 && value <= (wl_integer)(UINT64_MAX >> unused);
}

static inline bool wl_shift_left(wl_integer left, wl_integer right, wl_integer *result) {
    if (right < 0)
        return false;
    *result = 0;
    if (left == 0)
        return true;
    if (right > 127)
        return false;
    *result = (wl_integer)((wl_natural)left << (unsigned)right);
    return *result >> (unsigned)right == left && *result != WL_LEAST;
}

/* Rounds down, and the remainder has the divisor's sign, like Python's // and %. The remainder is not computed from the
 * quotient, whose product with the smallest divisor exceeds 128 bits. */
static inline bool wl_divide(unsigned code, wl_integer left, wl_integer right, wl_integer *result) {
    *result = 0;
    if (right == 0 || (right == -1 && left == WL_LEAST))
        return right != 0 && code == CODE_MODULO;
    wl_integer rest = left % right;
    bool down = rest != 0 && (rest < 0) != (right < 0);
    *result = code == CODE_MODULO ? rest + (down ? right : 0) : left / right - down;
    return true;
}

/* The remainder with the divisor's sign, like Python's %; the divisor is not zero. */
double wl_float_modulo(double left, double right);
/* The sign of `left - right` as a float, compared exactly; NaN if `right` is. */
double wl_float_order(wl_integer left, double right);

/* The result of a code of floats with two operands; false if it does not exist. */
__attribute__((always_inline)) static inline bool wl_compute_floats(unsigned code, double left, double right, wl_integer *result) {
    switch (code) {
    case CODE_FLOAT_ADD:
        return *result = wl_double_bits(left + right), true;
    case CODE_FLOAT_SUBTRACT:
        return *result = wl_double_bits(left - right), true;
    case CODE_FLOAT_MULTIPLY:
        return *result = wl_double_bits(left * right), true;
    case CODE_FLOAT_DIVIDE:
        return *result = wl_double_bits(left / right), right != 0;
    case CODE_FLOAT_MODULO:
        return *result = wl_double_bits(wl_float_modulo(left, right)), right != 0;
    case CODE_FLOAT_EQUAL:
        return *result = left == right, true;
    case CODE_FLOAT_NOT_EQUAL:
        return *result = left != right, true;
    case CODE_FLOAT_LESS:
        return *result = left < right, true;
    case CODE_FLOAT_LESS_EQUAL:
        return *result = left <= right, true;
    case CODE_FLOAT_GREATER:
        return *result = left > right, true;
    default: /* CODE_FLOAT_GREATER_EQUAL */
        return *result = left >= right, true;
    }
}

/* The result of a conversion, a code with one operand; false if it does not exist. */
__attribute__((always_inline)) static inline bool wl_convert(unsigned code, wl_integer value, wl_integer *result) {
    const double number = wl_double((int64_t)value);
    switch (code) {
    case CODE_FLOAT_NEGATE:
        return *result = (int64_t)((uint64_t)value ^ UINT64_C(1) << 63), true;
    case CODE_FLOAT_OF_INTEGER:
        return *result = wl_double_bits((double)value), true;
    case CODE_FLOAT_OF_SINGLE:
        return *result = wl_double_of_single((uint32_t)value), true;
    case CODE_FLOAT_TO_SINGLE:
        return *result = wl_single_of_double((int64_t)value), true;
    default: /* CODE_FLOAT_TO_INTEGER */
        if (!(number > -WL_FLOAT_BOUND && number < WL_FLOAT_BOUND))
            return false;
        return *result = (wl_integer)number, true;
    }
}

static inline bool wl_code_converts(unsigned code) { return code >= CODE_FLOAT_NEGATE && code <= CODE_FLOAT_TO_INTEGER; }

/* The result of a code with two operands; false if it does not exist. */
__attribute__((always_inline)) static inline bool wl_compute(unsigned code, wl_integer left, wl_integer right, wl_integer *result) {
    switch (code) {
    case CODE_ADD:
        return !__builtin_add_overflow(left, right, result);
    case CODE_SUBTRACT:
        return !__builtin_sub_overflow(left, right, result);
    case CODE_MULTIPLY:
        return !__builtin_mul_overflow(left, right, result) && *result != WL_LEAST;
    case CODE_FLOOR_DIVIDE:
    case CODE_MODULO:
        return wl_divide(code, left, right, result);
    case CODE_AND:
        return *result = left & right, true;
    case CODE_OR:
        return *result = left | right, true;
    case CODE_XOR:
        return *result = left ^ right, true;
    case CODE_SHIFT_LEFT:
        return wl_shift_left(left, right, result);
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
    case CODE_GREATER_EQUAL:
        return *result = left >= right, true;
    case CODE_FLOAT_ORDER:
        return *result = wl_double_bits(0 - wl_float_order(right, wl_double((int64_t)left))), true;
    case CODE_INTEGER_ORDER:
        return *result = wl_double_bits(wl_float_order(left, wl_double((int64_t)right))), true;
    default:
        return wl_compute_floats(code, wl_double((int64_t)left), wl_double((int64_t)right), result);
    }
}

/* -1, 0 or 1: whether the bytes of a span are less than, equal to or greater than others, in byte order. */
static inline wl_integer wl_span_order(wl_span span, const uint8_t *other, size_t size) {
    size_t common = span.size < size ? span.size : size;
    int found = common ? memcmp(span.at, other, common) : 0;
    return found ? (found > 0) - (found < 0) : (span.size > size) - (span.size < size);
}

static inline bool wl_span_byte(wl_span span, wl_integer number, wl_integer *value) {
    bool there = number >= 0 && number < (wl_integer)span.size;
    *value = there ? span.at[(size_t)number] : 0;
    return there;
}

/* The integer that text represents in the digits of that radix; false if it is not an integer. text_numbers.c. */
bool wl_text_number(wl_span text, unsigned radix, wl_integer *value);

#endif
