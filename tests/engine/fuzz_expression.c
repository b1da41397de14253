/* A fuzz target in libFuzzer's form: expressions of all codes over any registers, some of which have no value.
 *
 * An expression is written as a tree, whose value is known while it is written: by other arithmetic, and only of those
 * branches that the language evaluates. The stack machine has to give the same value, or the same reason why there is none.
 * Expressions of any bytes, which mostly are none, are only checked; what passes must not do harm. */
#include <math.h>

#include "drive.h"
#include "jumping_code.h"

#define REGISTERS 8
#define SPANS 3
#define LONGEST 500
#define DEEPEST 7
#define WHAT_FOLLOWS ((DEEPEST + 1) * 28) /* two leaves of 13 bytes and a code at each depth */

enum { CONSTANT, REGISTER, SPAN_SIZE, ADD, FIRST_OF_TWO = ADD, SHIFT_LEFT = 11, SHIFT_RIGHT, NEGATE, INVERT, EQUAL };
enum { BOOLEAN_NOT = 21, BOOLEAN_AND, BOOLEAN_OR, SELECT, CONSTANT_UNSIGNED, SPAN_ORDER, CAST };
enum { NOTHING = 36, OPTIONAL, FLOAT_ADD, FLOAT_EQUAL = FLOAT_ADD + 5, FLOAT_ORDER = FLOAT_EQUAL + 6, INTEGER_ORDER };
enum { FLOAT_NEGATE = INTEGER_ORDER + 1, OF_INTEGER, OF_SINGLE, TO_SINGLE, TO_INTEGER };

__extension__ typedef unsigned __int128 magnitude;

#define LEAST ((wl_integer)((magnitude)1 << 127))
#define MOST (~LEAST)

/* `failed`: there is none; `is`: why. */
typedef struct {
    wl_integer is;
    bool failed;
} value;

typedef struct {
    taker *bytes;
    wl_run *run;
    uint8_t code[LONGEST];
    size_t size;
} author;

static const value none = {WL_FAILED, true};

/* Of what uses an operand without a value. */
static value used(value operand) { return (value){operand.is == WL_NULL ? WL_ABSENT : operand.is, true}; }

static magnitude size_of(wl_integer number) { return number < 0 ? -(magnitude)number : (magnitude)number; }

/* A number of that size and sign, which may be none. */
static value signed_number(magnitude size, bool negative) {
    if (size > (magnitude)MOST + negative)
        return none;
    return (value){(wl_integer)(negative ? -size : size), false};
}

static value plain_sum(wl_integer left, wl_integer right) {
    if (right > 0 ? left > MOST - right : left < LEAST - right)
        return none;
    return (value){left + right, false};
}

static value plain_difference(wl_integer left, wl_integer right) {
    if (right < 0 ? left > MOST + right : left < LEAST + right)
        return none;
    return (value){left - right, false};
}

static value plain_product(wl_integer left, wl_integer right) {
    magnitude one = size_of(left), other = size_of(right);
    if (one && other > ~(magnitude)0 / one)
        return none;
    /* The least integer has one bit too many. */
    return (one * other) >> 127 ? none : signed_number(one * other, (left < 0) != (right < 0));
}

/* The quotient is rounded down, and the rest has the divisor's sign. */
static value plain_quotient(wl_integer left, wl_integer right, bool rest) {
    if (right == 0)
        return none;
    magnitude divisor = size_of(right), whole = size_of(left) / divisor, over = size_of(left) % divisor;
    bool negative = (left < 0) != (right < 0);
    if (negative && over) {
        whole++;
        over = divisor - over;
    }
    return rest ? signed_number(over, right < 0) : signed_number(whole, negative);
}

static value plain_shift(wl_integer left, wl_integer right, bool to_left) {
    if (right < 0)
        return none;
    value result = {left, false};
    for (wl_integer i = 0; i < right && i < 200; i++) {
        if (to_left)
            result = plain_sum(result.is, result.is);
        else
            result = plain_quotient(result.is, 2, false);
        if (result.failed)
            return none;
    }
    /* The least integer has one bit too many. */
    return to_left && size_of(result.is) >> 127 ? none : result;
}

static double double_of(wl_integer bits) {
    const uint64_t low = (uint64_t)bits;
    double number;
    memcpy(&number, &low, sizeof number);
    return number;
}

static value of_double(double number) {
    int64_t bits = 0x7FF8LL << 48;
    if (!isnan(number))
        memcpy(&bits, &number, sizeof bits);
    return (value){bits, false};
}

/* The sign of their difference. */
static double plain_order(wl_integer left, double right) {
    if (isnan(right))
        return right;
    if (fabs(right) > 0x1p127 || right == 0x1p127)
        return right > 0 ? -1 : 1;
    const wl_integer below = (wl_integer)floor(right);
    return left > below ? 1 : left < below || right > floor(right) ? -1 : 0;
}

static value plain_floats(unsigned code, double a, double b) {
    const double rest = code == FLOAT_ADD + 4 && b != 0 ? fmod(a, b) : 0;
    switch (code) {
    case FLOAT_ADD:
        return of_double(a - -b);
    case FLOAT_ADD + 1:
        return of_double(a + -b);
    case FLOAT_ADD + 2:
        return of_double(a * b);
    case FLOAT_ADD + 3:
        return b == 0 ? none : of_double(a / b);
    case FLOAT_ADD + 4:
        return b == 0 ? none : of_double(rest == 0 ? copysign(0, b) : signbit(rest) == signbit(b) ? rest : rest + b);
    default: /* equal, not equal, less, less or equal, greater, greater or equal */
        return (value){code == FLOAT_EQUAL       ? !islessgreater(a, b) && !isunordered(a, b)
                       : code == FLOAT_EQUAL + 1 ? islessgreater(a, b) || isunordered(a, b)
                       : code == FLOAT_EQUAL + 2 ? isless(a, b)
                       : code == FLOAT_EQUAL + 3 ? islessequal(a, b)
                       : code == FLOAT_EQUAL + 4 ? isgreater(a, b)
                                                 : isgreaterequal(a, b),
                       false};
    }
}

static value plain_conversion(unsigned code, value operand) {
    const wl_integer bits = operand.is;
    const double number = double_of(bits);
    const uint32_t low = (uint32_t)bits;
    float single;
    if (operand.failed)
        return code == FLOAT_NEGATE || code == TO_INTEGER ? used(operand) : operand;
    switch (code) {
    case FLOAT_NEGATE:
        return (value){(int64_t)((uint64_t)bits + ((uint64_t)1 << 63)), false};
    case OF_INTEGER:
        return of_double((double)bits);
    case OF_SINGLE:
        memcpy(&single, &low, sizeof single);
        return of_double((double)single);
    case TO_SINGLE:
        single = (float)number;
        uint32_t stored = 0x7FC00000;
        if (!isnan(number))
            memcpy(&stored, &single, sizeof stored);
        return (value){stored, false};
    default: /* TO_INTEGER */
        return fabs(number) < 0x1p100 ? (value){(wl_integer)trunc(number), false} : none;
    }
}

static value plain_two(unsigned code, value left, value right) {
    const bool left_null = left.failed && left.is == WL_NULL, right_null = right.failed && right.is == WL_NULL;
    const bool orders = code == FLOAT_ORDER || code == INTEGER_ORDER;
    if ((code == EQUAL || code == EQUAL + 1 || code == FLOAT_EQUAL || code == FLOAT_EQUAL + 1 || orders) &&
        (left_null || right_null)) {
        if ((left.failed && !left_null) || (right.failed && !right_null))
            return left_null ? right : left;
        if (orders && !(left_null && right_null))
            return (value){WL_NULL, true};
        return (value){(left_null && right_null) == (code == EQUAL || code == FLOAT_EQUAL), false};
    }
    if (left.failed)
        return used(left);
    if (code == BOOLEAN_AND || code == BOOLEAN_OR) {
        if ((left.is != 0) == (code == BOOLEAN_OR))
            return (value){left.is != 0, false};
        return right.failed ? used(right) : (value){right.is != 0, false};
    }
    if (right.failed)
        return used(right);
    wl_integer a = left.is, b = right.is;
    if (orders)
        return of_double(code == FLOAT_ORDER ? 0 - plain_order(b, double_of(a)) : plain_order(a, double_of(b)));
    if (code >= FLOAT_ADD)
        return plain_floats(code, double_of(a), double_of(b));
    switch (code) {
    case ADD:
        return plain_sum(a, b);
    case ADD + 1:
        return plain_difference(a, b);
    case ADD + 2:
        return plain_product(a, b);
    case ADD + 3:
    case ADD + 4:
        return plain_quotient(a, b, code == ADD + 4);
    case ADD + 5:
        return (value){a & b, false};
    case ADD + 6:
        return (value){a | b, false};
    case ADD + 7:
        return (value){(a | b) & ~(a & b), false};
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
        return plain_shift(a, b, code == SHIFT_LEFT);
    default: /* comparisons: equal, not equal, less, less or equal, greater, greater or equal */
        return (value){(code - EQUAL) == 0   ? a == b
                       : (code - EQUAL) == 1 ? !(a == b)
                       : (code - EQUAL) == 2 ? b > a
                       : (code - EQUAL) == 3 ? !(a > b)
                       : (code - EQUAL) == 4 ? b < a
                                             : !(b > a),
                       false};
    }
}

static value plain_one(unsigned code, value operand) {
    if (code == OPTIONAL)
        return operand.failed && operand.is == WL_ABSENT ? (value){WL_NULL, true} : operand;
    if (operand.failed)
        return used(operand);
    if (code == NEGATE)
        return plain_difference(0, operand.is);
    return code == INVERT ? plain_difference(-1, operand.is) : (value){operand.is ? 0 : 1, false};
}

/* An integer of the kind has so many bytes, and is signed or not. */
static value plain_cast(unsigned kind, value operand) {
    static const uint8_t bytes[] = {1, 2, 2, 4, 4, 8, 8};
    magnitude ends = (magnitude)1 << 8 * bytes[kind % 7];
    wl_integer low = kind < 7 ? 0 : -(wl_integer)(ends / 2);
    return operand.failed || (operand.is >= low && operand.is < low + (wl_integer)ends) ? operand : none;
}

/* Small numbers, and those about the ends of what 8, 32, 64 and 128 bits hold. */
static wl_integer number(taker *bytes) {
    static const unsigned widths[] = {0, 7, 8, 31, 32, 63, 64, 126};
    unsigned choice = take(bytes), width = widths[choice & 7];
    wl_integer near = (wl_integer)take_below(bytes, 9) - 4;
    wl_integer end = (wl_integer)((magnitude)1 << width);
    if (choice & 64)
        return choice & 128 ? LEAST + (near < 0 ? 0 : near) : MOST - (near < 0 ? 0 : near);
    return (choice & 128 ? -end : end) + near;
}

static void put(author *by, unsigned code) { by->code[by->size++] = (uint8_t)code; }

/* A code and the number of a register or span. */
static void put_numbered(author *by, unsigned code, unsigned number) {
    put(by, code);
    put(by, number);
    put(by, 0);
}

/* The order of a span relative to a few bytes, byte by byte. */
static value put_order(author *by, unsigned span) {
    const wl_span *bytes = by->run->spans + span;
    unsigned size = take_below(by->bytes, 6);
    wl_integer order = 0;
    put_numbered(by, SPAN_ORDER, span);
    put(by, size);
    for (unsigned i = 0; i < size; i++) {
        unsigned other = take(by->bytes) & 3;
        put(by, other);
        if (!order && i < bytes->size)
            order = bytes->at[i] == other ? 0 : bytes->at[i] < other ? -1 : 1;
        else if (!order)
            order = -1;
    }
    return (value){order ? order : bytes->size > size, false};
}

static value put_constant(author *by, bool is_signed) {
    uint64_t bits = (uint64_t)number(by->bytes);
    put(by, is_signed ? CONSTANT : CONSTANT_UNSIGNED);
    for (unsigned i = 0; i < 8; i++)
        put(by, (uint8_t)(bits >> 8 * i));
    return (value){is_signed ? (wl_integer)(int64_t)bits : (wl_integer)bits, false};
}

/* A register, or its comparison with a constant: what most conditions consist of. */
static value put_register(author *by, unsigned number, unsigned comparison) {
    put_numbered(by, REGISTER, number);
    const value found = {by->run->registers[number], by->run->some_missing && by->run->missing[0] >> number & 1};
    if (comparison >= 6)
        return found;
    const value constant = put_constant(by, true);
    put(by, EQUAL + comparison);
    return plain_two(EQUAL + comparison, found, constant);
}

static value put_leaf(author *by) {
    unsigned choice = take(by->bytes), at = choice >> 2;
    switch (choice & 3) {
    case 0:
        return put_register(by, at % REGISTERS, at / REGISTERS);
    case 1:
        if (at >= 60) {
            put(by, NOTHING);
            return (value){WL_NULL, true};
        }
        if (at >= 32)
            return put_order(by, at % SPANS);
        put_numbered(by, SPAN_SIZE, at % SPANS);
        return (value){(wl_integer)by->run->spans[at % SPANS].size, false};
    default:
        return put_constant(by, choice & 1);
    }
}

static value put_tree(author *by, unsigned depth) {
    static const uint8_t ones[] = {NEGATE,     INVERT,    BOOLEAN_NOT, OPTIONAL, FLOAT_NEGATE,
                                   OF_INTEGER, OF_SINGLE, TO_SINGLE,   TO_INTEGER};
    static const uint8_t twos[] = {3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 15, 16, 17, 18, 19, 20, 22, 23,
                                   38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50};
    unsigned choice = depth == DEEPEST || by->size > LONGEST - WHAT_FOLLOWS ? 0 : take(by->bytes);
    if (choice < 60)
        return put_leaf(by);
    if (choice < 90) {
        value operand = put_tree(by, depth + 1);
        if (choice < 68) {
            unsigned kind = take_below(by->bytes, 14);
            put(by, CAST);
            put(by, kind);
            return plain_cast(kind, operand);
        }
        const unsigned code = ones[choice % sizeof ones];
        put(by, code);
        return code < FLOAT_NEGATE ? plain_one(code, operand) : plain_conversion(code, operand);
    }
    value first = put_tree(by, depth + 1), second = put_tree(by, depth + 1);
    if (choice < 220) {
        unsigned code = twos[choice % sizeof twos];
        put(by, code);
        return plain_two(code, first, second);
    }
    value third = put_tree(by, depth + 1);
    put(by, SELECT);
    return first.failed ? used(first) : first.is ? second : third;
}

static void check_run(author *by, const wl_program *program, const value *expected) {
    const char *problem;
    bool failed, passes = wl_expression_check(program, by->code, by->size, &problem);
    CHECK(passes == !problem && (passes || !expected));
    if (!passes)
        return;
    const uint8_t *code = copy_of(by->code, by->size);
    const wl_instruction instruction = {.d = (int64_t)by->size, .constant = code};
    wl_integer found = wl_expression(by->run, &instruction, &failed);
    CHECK(!expected || (failed == expected->failed && found == expected->is));
    wl_jumping_code *jumping = wl_jumping_code_make(code, by->size);
    wl_integer same;
    CHECK(jumping != NULL);
    CHECK(!wl_jumping_code_run(by->run, jumping, &same) || (!failed && same == found));
    free(jumping);
    free((void *)(uintptr_t)code);
}

static void make_span(wl_span *span, taker *bytes) {
    uint8_t *at;
    span->size = take_below(bytes, 8);
    span->at = at = malloc(span->size + !span->size);
    CHECK(at != NULL);
    for (size_t i = 0; i < span->size; i++)
        at[i] = take(bytes) & 3;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const wl_program program = {.register_count = REGISTERS, .span_count = SPANS};
    taker bytes = {data, data + size};
    author by = {.bytes = &bytes, .run = calloc(1, sizeof *by.run)};
    CHECK(by.run != NULL);
    /* What an earlier row has left there counts for nothing. */
    by.run->missing[0] = take(&bytes);
    by.run->some_missing = take_below(&bytes, 4) == 0;
    for (unsigned i = 0; i < REGISTERS; i++) {
        by.run->registers[i] = number(&bytes);
        if (by.run->missing[0] >> i & 1 && by.run->some_missing)
            by.run->registers[i] = take_below(&bytes, WL_TOO_LONG);
    }
    for (unsigned i = 0; i < SPANS; i++)
        make_span(by.run->spans + i, &bytes);
    value expected = put_tree(&by, 0);
    check_run(&by, &program, &expected);
    /* Some of its bytes changed: what is still an expression has some value, or none. */
    for (unsigned i = 0; i < 2; i++)
        by.code[(take(&bytes) | (size_t)take(&bytes) << 8) % by.size] = (uint8_t)take(&bytes);
    check_run(&by, &program, NULL);
    for (unsigned i = 0; i < SPANS; i++)
        free((void *)(uintptr_t)by.run->spans[i].at);
    free(by.run);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) { return drive(count, arguments, "\0\x40\x50\x7F\xC0\xFF", 6); }
#endif
