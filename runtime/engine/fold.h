/* The simplification of expressions. */
#ifndef WIRELOOM_FOLD_H
#define WIRELOOM_FOLD_H

#include "internal.h"

/* What is known about a register: that it contains `value`, or the same as `source`, which may be itself. */
typedef struct {
    bool constant;
    int64_t value;
    uint32_t source;
} wl_register_fact;

typedef struct {
    wl_register_fact (*content)(const void *facts, uint32_t number);
    const void *facts;
    uint8_t *codes; /* room of wl_folded_size() for each expression */
    size_t used;
} wl_folding;

/* Maximum size of what remains of an expression of that size: constants take three times as many bytes as registers. */
static inline size_t wl_folded_size(size_t size) { return 3 * size; }

/* Appends the simplified expression to the codes. Returns whether it is a constant, which is then `*value`. */
bool wl_fold_codes(wl_folding *fold, const uint8_t *code, size_t size, int64_t *value);

#endif
