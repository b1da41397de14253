/* Handlers for checks, checksums and jumps. */
#include "handlers.h"
#include "computed_text.h"

WL_HANDLER(wl_check_range) {
    wl_integer value = run->registers[step->a];
    wl_integer most = step->b & 0x80 ? (wl_integer)(uint64_t)step->d : (wl_integer)step->d;
    if (WL_UNLIKELY(value < step->c || value > most || wl_is_missing(run, step->a)) && !wl_check_failed(run, step->b))
        return WL_ROW_LOST;
    GO_ON;
}

WL_HANDLER(wl_check_true) {
    if (WL_UNLIKELY(run->registers[step->a] == 0 || wl_is_missing(run, step->a)) && !wl_check_failed(run, step->b))
        return WL_ROW_LOST;
    GO_ON;
}

WL_HANDLER(wl_check_constant) {
    if (step->d && memcmp(base + step->c, step->constant, (size_t)step->d) != 0 && !wl_check_failed(run, step->b))
        return WL_ROW_LOST;
    GO_ON;
}

/* During a search for rows, the number of bytes that may be processed is limited. */
bool wl_text_may_be_checked(wl_run *run, size_t size) {
    bool may = !run->index || size <= run->summed;
    if (run->index)
        run->summed -= may ? size : run->summed;
    return may;
}

WL_HANDLER(wl_check_utf8) {
    wl_span text = run->spans[step->a];
    bool good;
    if (step->c >= WL_UTF16LE)
        good = wl_text_may_be_checked(run, text.size) && wl_text_is_encoded(text, (unsigned)step->c, step->constant);
    else if (WL_UNLIKELY(run->index != NULL))
        good = wl_index_is_text(run->index, step->c, text.at, text.size);
    else
        good = step->c ? wl_text_is_ascii(text.at, text.size) : wl_text_is_utf8(text.at, text.size);
    if (WL_UNLIKELY(!good))
        wl_refuse(run, WL_REASON_ENCODING);
    GO_ON;
}

WL_HANDLER(wl_set_mark) {
    if (WL_UNLIKELY(step->b == 2 && wl_is_cut(run)))
        return wl_wait(run, limit);
    if (step->b < 3)
        run->marks[step->a] = step->b == 2 ? limit : step->b ? cursor : base + step->c;
    else
        run->marks[step->a] = run->spans[step->c].at + (step->b == 3 ? 0 : run->spans[step->c].size);
    GO_ON;
}

WL_HANDLER(wl_check_sum) {
    const wl_checksum *checksum = run->checksums + step->a;
    const uint8_t *from = run->marks[step->c], *to = run->marks[step->d];
    /* A range that ends before it begins has no bytes, nor has one from the input to the content of a block. */
    if (WL_UNLIKELY(to < from || (run->content_count && !wl_contents_same(run, from, to))))
        to = from;
    bool holds;
    if (WL_UNLIKELY(checksum->rule->place != WL_SUM_IN_REGISTER))
        holds = wl_checksum_in_span(run, checksum, from, to, run->spans[step->b]);
    else
        holds = wl_checksum_holds(run, checksum, wl_checksum_state(run, checksum, from, to), run->registers[step->b]);
    if (WL_UNLIKELY(!holds)) {
        run->sum_failed |= !run->in_row && run->unit_depth == 1;
        /* It shows that bytes that could not be decompressed were damaged. */
        if (run->refused & WL_BY_CODEC)
            run->refused = WL_REASON_NONE;
        wl_refuse(run, checksum->algorithm->digest ? WL_REASON_DIGEST : WL_REASON_CHECKSUM);
    }
    GO_ON;
}

/* Jumps ------------------------------------------------------------------------------------------------------------ */

WL_HANDLER(wl_skip_if_zero) {
    const bool none = wl_is_missing(run, step->a);
    if (none && !step->b)
        return wl_lost(run, WL_REASON_VALUE);
    if (none || run->registers[step->a] == 0)
        GO_ON_AT(step + step->c);
    GO_ON;
}

WL_HANDLER(wl_skip_unless) {
    if (wl_is_missing(run, step->a))
        return wl_lost(run, WL_REASON_VALUE);
    if (run->registers[step->a] != step->d)
        GO_ON_AT(step + step->c);
    GO_ON;
}

WL_HANDLER(wl_jump) { GO_ON_AT(step + step->c); }
