/* Tables of the values of expressions that depend on a single byte. A program keeps them, since calls for the next part
 * of an input need the same ones, and computing a table takes as long as reading some hundred rows. */
#ifndef WIRELOOM_BYTE_TABLES_H
#define WIRELOOM_BYTE_TABLES_H

#include "internal.h"

/* Number of times that an expression is computed before it gets a table, which takes as long as 256 of them. */
#ifndef WL_TABLE_AFTER
#define WL_TABLE_AFTER 64
#endif

struct wl_byte_table {
    wl_byte_table *next;
    int64_t values[256];
    bool failed[256]; /* there is no value, or it has more than 64 bits */
    bool holds;       /* no value has failed */
    uint64_t failing[4], true_for[4]; /* one bit per value: it has failed; it is not zero */
    uint32_t kind;    /* of the byte */
    size_t size;      /* of the expression */
    uint8_t code[];
};

/* Sets the number of the first register that an expression reads; false: it reads none, or something else before. */
bool wl_first_register(const uint8_t *code, size_t size, unsigned *number);
/* Whether an expression depends on a single register, whose number it sets. */
bool wl_depends_on_one(const uint8_t *code, size_t size, unsigned *number);

/* Returns the table of an expression for the values of a register that holds a byte of that kind. It belongs to the
 * program or to the run. NULL: the expression depends on anything else, or out of memory. */
const wl_byte_table *wl_byte_table_of(wl_run *run, const uint8_t *code, size_t size, unsigned number, unsigned kind);
/* The same for an expression of several registers: values that depend on the others have failed. NULL: it
 * depends on anything else, or out of memory. */
const wl_byte_table *wl_partial_table_of(wl_run *run, const uint8_t *code, size_t size, unsigned number, unsigned kind);

#endif
