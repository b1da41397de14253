/* The stack machine of EXPRESSION steps, over signed 128-bit integers and floats, for what jumping code does not compute.
 *
 * An operand without a value (WL_FAILED, WL_NULL or WL_ABSENT, see run.h) is passed on, the first one of several, so
 * that it does no harm if it is not used: in the other branch of a SELECT, or after an AND or OR that is already
 * decided. This matches the language, which does not evaluate such operands. Only EQUAL and NOT_EQUAL take WL_NULL for a
 * value; any other code that uses it is WL_ABSENT, which OPTIONAL, at the end of an attribute's expression, makes
 * WL_NULL. */
#include "expression.h"

#include "handlers.h"
#include "computed_text.h"

bool wl_expression_check(const wl_program *program, const uint8_t *code, size_t size, const char **problem) {
    unsigned depth = 0;
    *problem = NULL;
    for (size_t at = 0; at < size && !*problem;) {
        unsigned each = code[at++];
        size_t follow = wl_least_bytes(each);
        if (each < CODE_COUNT && follow <= size - at)
            follow = wl_code_bytes(each, code + at);
        if (each >= CODE_COUNT)
            *problem = "the expression holds an unknown code";
        else if (follow > size - at)
            *problem = "the expression ends inside a code";
        else if (each == CODE_REGISTER && wl_code_number(code + at) >= program->register_count)
            *problem = "the expression reads a register that does not exist";
        else if ((wl_code_is_span(each) && wl_code_number(code + at) >= program->span_count) ||
                 (each == CODE_SPAN_COMPARE && wl_code_number(code + at + 2) >= program->span_count))
            *problem = "the expression reads a span that does not exist";
        else if (wl_code_is_series(each) && wl_code_number(code + at) >= program->series_count)
            *problem = "the expression reads a series that does not exist";
        else if (each == CODE_SPAN_NUMBER && (code[at + 2] < 2 || code[at + 2] > 36))
            *problem = "the expression reads digits of no radix";
        else if (each == CODE_CAST && (code[at] >= WL_KIND_COUNT || wl_kind_is_float(code[at])))
            *problem = "the expression casts to no kind of integer";
        else if (depth < wl_code_takes(each))
            *problem = "the expression takes a value that is not there";
        else if ((depth = depth - wl_code_takes(each) + 1) > WL_DEEPEST_STACK)
            *problem = "the expression is too deep";
        at += follow;
    }
    if (!*problem && depth != 1)
        *problem = "the expression does not leave exactly one value";
    return !*problem;
}

void wl_expression_uses(const uint8_t *code, size_t size, bool *registers, bool *spans) {
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1)) {
        if (code[at] == CODE_REGISTER)
            registers[wl_code_number(code + at + 1)] = true;
        else if (wl_code_is_span(code[at]))
            spans[wl_code_number(code + at + 1)] = true;
        if (code[at] == CODE_SPAN_COMPARE)
            spans[wl_code_number(code + at + 3)] = true;
    }
}

bool wl_expression_has_series(const uint8_t *code, size_t size) {
    bool found = false;
    for (size_t at = 0; at < size; at += 1 + wl_code_bytes(code[at], code + at + 1))
        found |= wl_code_is_series(code[at]);
    return found;
}

/* One bit per value of the stack, starting at the first: whether it has none, but the reason for that in its place. */
static uint64_t bit(size_t place) { return UINT64_C(1) << place; }

/* Why there is no result if an operand has none. */
static wl_integer passed_on(wl_integer reason) { return reason == WL_NULL ? WL_ABSENT : reason; }

#define TWO(code)                                                                                                      \
    case code:                                                                                                         \
        holds = wl_compute(code, values[top - 1], values[top], &values[top - 1]);                                      \
        break

static bool is_order(unsigned code) { return code == CODE_FLOAT_ORDER || code == CODE_INTEGER_ORDER; }

static bool compares_null(unsigned code) {
    return code == CODE_EQUAL || code == CODE_NOT_EQUAL || code == CODE_FLOAT_EQUAL || code == CODE_FLOAT_NOT_EQUAL ||
           is_order(code);
}

/* A code with two operands, of which the second is values[top]. */
static uint64_t two(unsigned code, wl_integer *values, size_t top, uint64_t failed) {
    const wl_integer left = values[top - 1], right = values[top];
    bool first = failed & bit(top - 1), second = failed & bit(top), holds = true;
    failed &= ~(bit(top - 1) | bit(top));
    if (compares_null(code) && (first ? left == WL_NULL : second && right == WL_NULL)) {
        const bool both = first && second && right == WL_NULL, fails = first && second && !both;
        const bool is_null = is_order(code) && !both && !fails;
        values[top - 1] = fails     ? right
                          : is_null ? WL_NULL
                                    : both == (code == CODE_EQUAL || code == CODE_FLOAT_EQUAL);
        return fails || is_null ? failed | bit(top - 1) : failed;
    }
    if (!first && (code == CODE_BOOLEAN_AND || code == CODE_BOOLEAN_OR)) {
        second &= (left != 0) == (code == CODE_BOOLEAN_AND);
        values[top - 1] = second ? passed_on(right) : (left != 0) == (code == CODE_BOOLEAN_OR) ? left != 0 : right != 0;
        return second ? failed | bit(top - 1) : failed;
    }
    if (first || second) {
        values[top - 1] = passed_on(first ? left : right);
        return failed | bit(top - 1);
    }
    switch (code) {
        TWO(CODE_ADD);
        TWO(CODE_SUBTRACT);
        TWO(CODE_MULTIPLY);
        TWO(CODE_AND);
        TWO(CODE_OR);
        TWO(CODE_EQUAL);
        TWO(CODE_NOT_EQUAL);
    default:
        holds = wl_compute(code, values[top - 1], values[top], &values[top - 1]);
    }
    if (holds)
        return failed;
    values[top - 1] = WL_FAILED;
    return failed | bit(top - 1);
}

/* Whether the spans that a code reads have values; if not, `value` is the reason. */
static bool has_spans(const wl_run *run, unsigned code, const uint8_t *follows, wl_integer *value) {
    if (!wl_code_is_span(code))
        return true;
    wl_span span = run->spans[wl_code_number(follows)];
    if (code == CODE_SPAN_COMPARE && !wl_text_missing(span))
        span = run->spans[wl_code_number(follows + 2)];
    if (WL_LIKELY(!wl_text_missing(span)))
        return true;
    *value = wl_text_reason(span);
    /* Texts are compared by their order, of which one that is null has none. */
    if (code != CODE_SPAN_ORDER && code != CODE_SPAN_COMPARE)
        *value = passed_on(*value);
    return false;
}

/* A code with one operand; false for other codes. */
static bool one(const wl_run *run, unsigned code, const uint8_t *follows, wl_integer *value) {
    if (WL_UNLIKELY(!has_spans(run, code, follows, value)))
        return false;
    switch (code) {
    case CODE_SERIES_ITEM:
        return wl_series_item(run->series + wl_code_number(follows), *value, value);
    case CODE_SPAN_BYTE:
        return wl_span_byte(run->spans[wl_code_number(follows)], *value, value);
    case CODE_NEGATE:
        if (!__builtin_sub_overflow((wl_integer)0, *value, value))
            return true;
        *value = WL_FAILED;
        return false;
    case CODE_OPTIONAL:
        return true;
    case CODE_INVERT:
        *value = ~*value;
        return true;
    case CODE_BOOLEAN_NOT:
        *value = *value == 0;
        return true;
    case CODE_CAST:
        if (wl_kind_holds(*follows, *value))
            return true;
        *value = WL_FAILED;
        return false;
    default:
        if (wl_convert(code, *value, value))
            return true;
        *value = WL_FAILED;
        return false;
    }
}

/* The reason why a code with one operand has no value, if the operand has none. */
static wl_integer without(unsigned code, wl_integer reason) {
    if (code == CODE_OPTIONAL)
        return reason == WL_ABSENT ? WL_NULL : reason;
    const bool keeps_null = code == CODE_CAST || (wl_code_converts(code) && code != CODE_FLOAT_NEGATE && code != CODE_FLOAT_TO_INTEGER);
    return keeps_null ? reason : passed_on(reason);
}

/* A code without operands; false for other codes. */
static bool leaf(wl_run *run, unsigned code, const uint8_t *follows, wl_integer *value) {
    wl_span other;
    if (WL_UNLIKELY(!has_spans(run, code, follows, value)))
        return false;
    switch (code) {
    case CODE_NULL:
        return *value = WL_NULL, false;
    case CODE_CONSTANT:
        return *value = (int64_t)wl_load_le8(follows), true;
    case CODE_CONSTANT_UNSIGNED:
        return *value = wl_load_le8(follows), true;
    case CODE_REGISTER:
        return *value = run->registers[wl_code_number(follows)], !wl_is_missing(run, wl_code_number(follows));
    case CODE_SPAN_ORDER:
        return *value = wl_span_order(run->spans[wl_code_number(follows)], follows + 3, follows[2]), true;
    case CODE_SPAN_COMPARE:
        other = run->spans[wl_code_number(follows + 2)];
        return *value = wl_span_order(run->spans[wl_code_number(follows)], other.at, other.size), true;
    case CODE_SPAN_NUMBER:
        if (wl_text_number(run->spans[wl_code_number(follows)], follows[2], value))
            return true;
        *value = WL_FAILED;
        return false;
    case CODE_SPAN_LENGTH:
        other = run->spans[wl_code_number(follows)];
        *value = WL_FAILED;
        if (!wl_text_may_be_checked(run, other.size))
            return false;
        return *value = (wl_integer)wl_text_length(other), true;
    case CODE_SERIES_SIZE:
        return *value = (wl_integer)run->series[wl_code_number(follows)].used, true;
    case CODE_SERIES_LEAST:
    case CODE_SERIES_GREATEST:
        return wl_series_extreme(run->series + wl_code_number(follows), code == CODE_SERIES_GREATEST, value);
    default: /* CODE_SPAN_SIZE */
        return *value = (wl_integer)run->spans[wl_code_number(follows)].size, true;
    }
}

wl_integer wl_expression(wl_run *run, const wl_instruction *instruction, bool *failed_at_last) {
    wl_integer values[WL_DEEPEST_STACK];
    size_t count = 0;
    uint64_t failed = 0;
    const uint8_t *code = instruction->constant;
    const uint8_t *end = code + instruction->d;
    while (code < end) {
        unsigned each = *code++;
        switch (wl_code_takes(each)) {
        case 0:
            values[count] = 0;
            if (!leaf(run, each, code, &values[count]))
                failed |= bit(count);
            count++;
            break;
        case 1:
            if (failed & bit(count - 1))
                values[count - 1] = without(each, values[count - 1]);
            else if (!one(run, each, code, &values[count - 1]))
                failed |= bit(count - 1);
            break;
        case 2:
            count--;
            failed = two(each, values, count, failed);
            break;
        default: /* condition, then, otherwise */
            count -= 2;
            if (!(failed & bit(count - 1))) {
                size_t taken = values[count - 1] ? count : count + 1;
                values[count - 1] = values[taken];
                failed |= failed & bit(taken) ? bit(count - 1) : 0;
            } else {
                values[count - 1] = passed_on(values[count - 1]);
            }
            failed &= bit(count) - 1;
            break;
        }
        code += wl_code_bytes(each, code);
    }
    *failed_at_last = failed & 1;
    return values[0];
}
