/* Shortest decimal text of floats. Most values in logs have few digits and are found by trial. The others are computed
 * with exact integers: of 128 bits, or of any size (Steele and White, "How to print floating-point numbers accurately",
 * in the form of Burger and Dybvig). No method depends on the locale. */
#include "decimal.h"

#include <stdint.h>
#include <string.h>

#define MOST_DIGITS 17
#define WORDS 40 /* 2^1131, the largest possible number, has 36 */

typedef struct {
    uint32_t words[WORDS];
    unsigned count;
} big;

static void big_set(big *number, uint64_t value) {
    number->words[0] = (uint32_t)value;
    number->words[1] = (uint32_t)(value >> 32);
    number->count = value >> 32 ? 2 : value != 0;
}

static void big_times(big *number, uint32_t factor) {
    uint64_t carry = 0;
    for (unsigned i = 0; i < number->count; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        number->words[number->count++] = (uint32_t)carry;
}

static void big_times_ten(big *number, unsigned power) {
    for (; power >= 9; power -= 9)
        big_times(number, 1000000000);
    for (; power; power--)
        big_times(number, 10);
}

static void big_shift(big *number, unsigned bits) {
    if (!number->count)
        return;
    unsigned words = bits / 32;
    memmove(number->words + words, number->words, number->count * sizeof *number->words);
    memset(number->words, 0, words * sizeof *number->words);
    number->count += words;
    big_times(number, (uint32_t)1 << bits % 32);
}

static int big_compare(const big *left, const big *right) {
    if (left->count != right->count)
        return left->count < right->count ? -1 : 1;
    for (unsigned i = left->count; i-- > 0;) {
        if (left->words[i] != right->words[i])
            return left->words[i] < right->words[i] ? -1 : 1;
    }
    return 0;
}

static void big_add(big *number, const big *other) {
    uint64_t carry = 0;
    unsigned count = number->count > other->count ? number->count : other->count;
    for (unsigned i = 0; i < count; i++) {
        carry += (uint64_t)(i < number->count ? number->words[i] : 0) + (i < other->count ? other->words[i] : 0);
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    number->count = count;
    if (carry)
        number->words[number->count++] = (uint32_t)carry;
}

/* `other` is not larger. */
static void big_subtract(big *number, const big *other) {
    int64_t borrow = 0;
    for (unsigned i = 0; i < number->count; i++) {
        borrow += (int64_t)number->words[i] - (i < other->count ? other->words[i] : 0);
        number->words[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (number->count && !number->words[number->count - 1])
        number->count--;
}

/* Compares left + right with third. */
static int big_compare_sum(const big *left, const big *right, const big *third) {
    big sum = *left;
    big_add(&sum, right);
    return big_compare(&sum, third);
}

/* The decimal logarithm of mantissa × 2^exponent, rounded up: exact, or one too small. */
static int power_of(uint64_t mantissa, int exponent) {
    double logarithm = (double)(exponent + 63 - __builtin_clzll(mantissa)) * 0.30102999566398114 - 1e-10;
    int power = (int)logarithm;
    return power + (logarithm > power);
}

static unsigned put_whole(uint64_t value, char *digits) {
    char reversed[20];
    unsigned count = 0;
    for (; value; value /= 10)
        reversed[count++] = (char)('0' + value % 10);
    for (unsigned i = 0; i < count; i++)
        digits[i] = reversed[count - 1 - i];
    return count;
}

__extension__ typedef unsigned __int128 wide;

static wide scaled(uint64_t value, int power) {
    static const uint64_t powers[] = {1,      10,      100,      1000,      10000,      100000,
                                      1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000};
    return (wide)value * powers[power < 11 ? power : 11] * powers[power < 11 ? 0 : power - 11];
}

/* The digits of mantissa × 2^exponent, as exact_digits finds them, for values of which 128 bits are enough; 0: they are
 * not. Multiplied by a power of ten, the value has 17 or 18 digits before the point, so that an integer is nearer to it
 * than half the distance to each of its neighbours. */
static unsigned medium_digits(uint64_t mantissa, int exponent, char *digits, int *point) {
    const int shift = 1 - exponent, power = 17 - power_of(mantissa, exponent);
    if (power < 0 || power > 22 || shift < 2 || shift > 120)
        return 0;
    const wide below = scaled(2 * mantissa - 1, power), value = scaled(2 * mantissa, power);
    const wide above = scaled(2 * mantissa + 1, power), fraction = ((wide)1 << shift) - 1;
    const bool even = !(mantissa & 1);
    /* The least and the greatest integer that is read as this float, then those with fewer digits. */
    uint64_t least = (uint64_t)(below >> shift) + ((below & fraction) != 0 || !even);
    uint64_t greatest = (uint64_t)(above >> shift) - ((above & fraction) == 0 && !even), unit = 1;
    int removed = 0;
    for (; greatest / 10 * 10 >= least; removed++, unit *= 10) {
        least = (least + 9) / 10;
        greatest /= 10;
    }
    /* The nearest of them. */
    const uint64_t whole = (uint64_t)(value >> shift);
    const wide rest = ((wide)(whole % unit) << shift) + (value & fraction), half = (wide)unit << (shift - 1);
    uint64_t nearest = whole / unit;
    nearest += rest > half || (rest == half && nearest % 2);
    nearest = nearest < least ? least : nearest > greatest ? greatest : nearest;
    const unsigned count = put_whole(nearest, digits);
    *point = (int)count + removed - power;
    return count;
}

/* The digits of mantissa × 2^exponent, which is 0.DIGITS × 10^point; returns their number. `edge`: the next smaller
 * float is nearer than the next larger one. */
static unsigned exact_digits(uint64_t mantissa, int exponent, bool edge, char *digits, int *point) {
    /* The value is number / scale; half the distances to its neighbours are above / scale and below / scale. */
    big number, scale, above, below;
    bool even = !(mantissa & 1);
    big_set(&number, mantissa);
    big_set(&scale, 1);
    big_set(&below, 1);
    big_shift(&number, (exponent > 0 ? (unsigned)exponent : 0) + 1 + edge);
    big_shift(&scale, (exponent < 0 ? (unsigned)-exponent : 0) + 1 + edge);
    big_shift(&below, exponent > 0 ? (unsigned)exponent : 0);
    above = below;
    if (edge)
        big_shift(&above, 1);
    int power = power_of(mantissa, exponent);
    if (power >= 0) {
        big_times_ten(&scale, (unsigned)power);
    } else {
        big_times_ten(&number, (unsigned)-power);
        big_times_ten(&below, (unsigned)-power);
        big_times_ten(&above, (unsigned)-power);
    }
    int sum = big_compare_sum(&number, &above, &scale);
    if (sum > 0 || (even && sum == 0)) {
        power++;
    } else {
        big_times(&number, 10);
        big_times(&below, 10);
        big_times(&above, 10);
    }
    *point = power;
    for (unsigned count = 0;;) {
        unsigned digit = 0;
        while (big_compare(&number, &scale) >= 0) {
            big_subtract(&number, &scale);
            digit++;
        }
        int low = big_compare(&number, &below), high = big_compare_sum(&number, &above, &scale);
        bool is_low = low < 0 || (even && low == 0), is_high = high > 0 || (even && high == 0);
        if (is_low || is_high || count == MOST_DIGITS - 1) {
            int half = big_compare_sum(&number, &number, &scale);
            if (is_high && (!is_low || half > 0 || (half == 0 && digit % 2)))
                digit++;
            digits[count++] = (char)('0' + digit);
            return count;
        }
        digits[count++] = (char)('0' + digit);
        big_times(&number, 10);
        big_times(&below, 10);
        big_times(&above, 10);
    }
}

/* The same for a value of at most 15 digits: an integer below 10^15 divided by a power of ten, both exact, so that the
 * quotient is the float that the text is parsed as. 0: it has more digits. */
static unsigned few_digits(double value, char *digits, int *point) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    for (int places = 0; places < (int)(sizeof powers / sizeof *powers); places++) {
        double scaled = value * powers[places];
        if (scaled >= 1e15)
            return 0;
        uint64_t whole = (uint64_t)(scaled + 0.5);
        if ((double)whole / powers[places] != value)
            continue;
        unsigned count = put_whole(whole, digits);
        *point = (int)count - places;
        while (count > 1 && digits[count - 1] == '0')
            count--;
        return count;
    }
    return 0;
}

static size_t put(char *text, size_t at, const char *digits, unsigned count) {
    memcpy(text + at, digits, count);
    return at + count;
}

static size_t put_zeros(char *text, size_t at, int count) {
    for (; count > 0; count--)
        text[at++] = '0';
    return at;
}

size_t wl_decimal(double value, bool single, char *text) {
    char digits[MOST_DIGITS + 1];
    size_t at = 0;
    unsigned count = 0;
    int point = 1;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63) {
        text[at++] = '-';
        value = -value;
    }
    if (value == 0) {
        digits[0] = '0';
        count = 1;
    } else if (!single) {
        count = few_digits(value, digits, &point);
    }
    if (!count) {
        float narrow = (float)value;
        uint32_t half;
        memcpy(&half, &narrow, sizeof half);
        unsigned width = single ? 23 : 52, biased = single ? half >> 23 & 0xFF : (unsigned)(bits >> 52 & 0x7FF);
        uint64_t implied = UINT64_C(1) << width, mantissa = (single ? half : bits) & (implied - 1);
        bool edge = mantissa == 0 && biased > 1;
        int exponent = (int)(biased ? biased : 1) - (single ? 150 : 1075);
        mantissa |= biased ? implied : 0;
        count = edge ? 0 : medium_digits(mantissa, exponent, digits, &point);
        if (!count)
            count = exact_digits(mantissa, exponent, edge, digits, &point);
    }
    if (point > 16 || point < -3) {
        at = put(text, at, digits, 1);
        if (count > 1) {
            text[at++] = '.';
            at = put(text, at, digits + 1, count - 1);
        }
        int power = point - 1;
        text[at++] = 'e';
        text[at++] = power < 0 ? '-' : '+';
        power = power < 0 ? -power : power;
        if (power >= 100)
            text[at++] = (char)('0' + power / 100);
        text[at++] = (char)('0' + power / 10 % 10);
        text[at++] = (char)('0' + power % 10);
        return at;
    }
    if (point <= 0) {
        at = put(text, at, "0.", 2);
        at = put_zeros(text, at, -point);
        return put(text, at, digits, count);
    }
    unsigned whole = count < (unsigned)point ? count : (unsigned)point;
    at = put(text, at, digits, whole);
    at = put_zeros(text, at, point - (int)whole);
    text[at++] = '.';
    if (whole == count)
        text[at++] = '0';
    return put(text, at, digits + whole, count - whole);
}
