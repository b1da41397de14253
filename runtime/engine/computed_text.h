/* Text computed by expressions: steps TEXT_…, whose results are spans.
 *
 * Results that are parts of the input or of the constants are not copied. Others are kept like the content of a block:
 * until the end of the row or the unit. A text that cannot be computed is a span without a value, which does no harm if
 * it is not used, like a value of an expression (expression.c). */
#ifndef WIRELOOM_COMPUTED_TEXT_H
#define WIRELOOM_COMPUTED_TEXT_H

#include "run.h"

/* The addresses of spans without a value, by the reason: WL_FAILED, …, WL_TOO_LONG. */
extern const uint8_t wl_no_text[WL_TOO_LONG + 1];

static inline bool wl_is_no_text(const uint8_t *at) {
    return WL_UNLIKELY((uintptr_t)at - (uintptr_t)wl_no_text <= WL_TOO_LONG);
}
static inline bool wl_text_missing(wl_span span) { return wl_is_no_text(span.at); }
static inline unsigned wl_text_reason(wl_span span) { return (unsigned)(span.at - wl_no_text); }
static inline wl_span wl_text_none(unsigned reason) { return (wl_span){wl_no_text + reason, 0}; }
/* Text that cannot be made since what it is made of has no value, for that reason. */
static inline wl_span wl_text_without(unsigned reason) { return wl_text_none(reason == WL_NULL ? WL_ABSENT : reason); }

/* The number of UTF-8 characters; each invalid piece counts as the one character by which Python replaces it. */
size_t wl_text_length(wl_span text);
/* The number of bytes of the first character, or invalid piece, of text that is not empty. */
size_t wl_text_step(wl_span text);
/* Allocates `size` bytes for text; NULL if out of memory, or if a resync has used up its allowance. */
uint8_t *wl_text_hold(wl_run *run, size_t size);
/* Whether this resync may still process that many bytes; always true otherwise. */
bool wl_text_may_be_checked(wl_run *run, size_t size);

#endif
