/* Floats as decimal text. */
#ifndef WIRELOOM_DECIMAL_H
#define WIRELOOM_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#define WL_MOST_DECIMAL 32

/* The shortest text that is parsed as the same float, in the form of Python's repr(): "1.5", "1e+16", "-0.0". `single`:
 * the value has 32 bits. The value must be finite. Returns the size of the text, at most WL_MOST_DECIMAL. */
size_t wl_decimal(double value, bool single, char *text);

#endif
