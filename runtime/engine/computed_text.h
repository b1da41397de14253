/* Text computed by expressions: steps TEXT_…, whose results are spans.
 *
 * Results that are parts of the input or of the constants are not copied. Others are kept like the content of a block:
 * until the end of the row or the unit. A text that cannot be computed is a span without a value, which does no harm if
 * it is not used, like a value of an expression (expression.c). */
#ifndef WIRELOOM_COMPUTED_TEXT_H
#define WIRELOOM_COMPUTED_TEXT_H

#include "run.h"

/* The addresses of spans without a value: the first for a value that does not exist, the second for one that is too
 * long. */
extern const uint8_t wl_no_text[2];

/* Why a span has no value, or WL_REASON_NONE. */
static inline uint32_t wl_text_missing(wl_span span) {
    if (WL_LIKELY(span.at != wl_no_text && span.at != wl_no_text + 1))
        return WL_REASON_NONE;
    return span.at == wl_no_text ? WL_REASON_VALUE : WL_REASON_LIMIT;
}

static inline wl_span wl_text_none(uint32_t reason) {
    return (wl_span){wl_no_text + (reason == WL_REASON_LIMIT), 0};
}

/* The number of UTF-8 characters; each invalid piece counts as the one character by which Python replaces it. */
size_t wl_text_length(wl_span text);
/* The number of bytes of the first character, or invalid piece, of text that is not empty. */
size_t wl_text_step(wl_span text);
/* Allocates `size` bytes for text; NULL if out of memory, or if a resync has used up its allowance. */
uint8_t *wl_text_hold(wl_run *run, size_t size);
/* Whether this resync may still process that many bytes; always true otherwise. */
bool wl_text_may_be_checked(wl_run *run, size_t size);

#endif
