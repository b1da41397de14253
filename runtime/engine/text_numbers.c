/* Integers written as text, as Python's int() reads them: white space around, a sign, digits with single underscores
 * between them. */
#include "expression.h"

/* Python does not accept more digits either. */
enum { MOST_DIGITS = 4300 };

/* Larger numbers are clamped to this one, with their sign: no size, count or column can represent either. */
#define LARGEST ((wl_integer)1 << 100)

static bool is_space(uint8_t byte) { return byte == ' ' || (byte >= 9 && byte <= 13); }

/* 36 and more: no digit. */
static unsigned digit_of(uint8_t byte) {
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    unsigned letter = (byte | 32u) - 'a';
    return letter < 26 ? letter + 10 : 36;
}

bool wl_text_number(wl_span text, unsigned radix, wl_integer *value) {
    const uint8_t *at = text.at, *end = at + text.size;
    while (at < end && is_space(*at))
        at++;
    while (at < end && is_space(end[-1]))
        end--;
    bool negative = at < end && *at == '-', after_digit = false;
    at += at < end && (*at == '-' || *at == '+');
    /* A prefix of the radix. */
    const char *prefixes = radix == 2 ? "bB" : radix == 8 ? "oO" : radix == 16 ? "xX" : "\0\0";
    if (end - at > 2 && at[0] == '0' && (at[1] == prefixes[0] || at[1] == prefixes[1]) && at[1]) {
        at += 2;
        at += *at == '_';
    }
    size_t digits = 0;
    wl_integer found = 0;
    for (; at < end; at++) {
        if (*at == '_' && after_digit) {
            after_digit = false;
            continue;
        }
        unsigned digit = digit_of(*at);
        if (digit >= radix)
            return false;
        found = found < LARGEST ? found * (wl_integer)radix + (wl_integer)digit : LARGEST;
        after_digit = true;
        digits++;
    }
    found = found < LARGEST ? found : LARGEST;
    *value = negative ? -found : found;
    bool is_power = (radix & (radix - 1)) == 0;
    return after_digit && (is_power || digits <= MOST_DIGITS);
}
