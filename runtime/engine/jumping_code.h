/* Expressions as jumping code: a plan has one for each expression that it has computed. */
#ifndef WIRELOOM_JUMPING_CODE_H
#define WIRELOOM_JUMPING_CODE_H

#include "internal.h"

/* Translates codes that wl_expression_check() accepts; to be released with free(). NULL: out of memory. */
wl_jumping_code *wl_jumping_code_make(const uint8_t *code, size_t size);
/* Sets `result` to the value; false if that takes the stack machine. */
bool wl_jumping_code_run(const wl_run *run, const wl_jumping_code *code, wl_integer *result);

/* The value of an expression; `code`: the same, or NULL. */
static inline wl_integer wl_expression_value(wl_run *run, const wl_jumping_code *code, const wl_instruction *expression,
                                             bool *failed) {
    wl_integer value;
    *failed = false;
    return WL_LIKELY(code && wl_jumping_code_run(run, code, &value)) ? value : wl_expression(run, expression, failed);
}

#endif
