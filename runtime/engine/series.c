/* Series: the values of the items of a list, for expressions that use an item by its index: integers, or the positions
 * of bytes and text.
 *
 * A series grows by one value per loop iteration. An iteration takes bytes of the input or counts as an item, so the
 * memory is limited by both. It is kept for the next list, and released when the call ends. */
#include <stdlib.h>

#include "handlers.h"

enum { FIRST_ROOM = 64 };

static bool has_room(wl_series *series) {
    if (WL_LIKELY(series->used < series->room))
        return true;
    size_t room = series->room ? 2 * series->room : FIRST_ROOM;
    wl_integer *values = room < SIZE_MAX / sizeof *values ? realloc(series->values, room * sizeof *values) : NULL;
    if (!values)
        return false;
    series->values = values;
    bool *failed = realloc(series->failed, room * sizeof *failed);
    if (!failed)
        return false;
    series->failed = failed;
    series->room = room;
    return true;
}

void wl_series_free(wl_run *run) {
    for (uint32_t i = 0; i < run->program->series_count; i++) {
        free(run->series[i].values);
        free(run->series[i].failed);
        free(run->series[i].texts);
    }
}

void wl_series_forget(wl_run *run, const wl_content *content) {
    for (uint32_t i = 0; i < run->program->series_count; i++) {
        wl_series *series = run->series + i;
        for (size_t item = 0; item < series->texts_used; item++) {
            if (wl_content_holds(content, series->texts[item].at))
                series->texts[item] = wl_text_none(WL_FAILED);
        }
    }
}

bool wl_series_item(const wl_series *series, wl_integer number, wl_integer *value) {
    *value = WL_FAILED;
    if (number < 0 || number >= (wl_integer)series->used)
        return false;
    *value = series->values[(size_t)number];
    return !series->failed[(size_t)number];
}

bool wl_series_extreme(const wl_series *series, bool greatest, wl_integer *value) {
    for (size_t i = 0; i < series->used; i++) {
        if (series->failed[i])
            return *value = WL_FAILED, false;
        if (i == 0 || (greatest ? series->values[i] > *value : series->values[i] < *value))
            *value = series->values[i];
    }
    return series->used != 0;
}

static bool has_room_for_text(wl_series *series) {
    if (WL_LIKELY(series->texts_used < series->texts_room))
        return true;
    size_t room = series->texts_room ? 2 * series->texts_room : FIRST_ROOM;
    wl_span *texts = room < SIZE_MAX / sizeof *texts ? realloc(series->texts, room * sizeof *texts) : NULL;
    if (!texts)
        return false;
    series->texts = texts;
    series->texts_room = room;
    return true;
}

bool wl_series_add_number(wl_series *series, bool failed, wl_integer value) {
    if (WL_UNLIKELY(!has_room(series)))
        return false;
    series->values[series->used] = value;
    series->failed[series->used++] = failed;
    return true;
}

bool wl_series_add_span(wl_series *series, wl_span span) {
    if (WL_UNLIKELY(!has_room_for_text(series)))
        return false;
    series->texts[series->texts_used++] = span;
    return true;
}

WL_HANDLER(wl_series_begin) {
    run->series[step->a].used = run->series[step->a].texts_used = 0;
    GO_ON;
}

WL_HANDLER(wl_series_add) {
    const bool failed = wl_is_missing(run, step->b);
    const wl_integer value = failed ? (wl_integer)wl_missing_reason(run, step->b) : run->registers[step->b];
    if (WL_UNLIKELY(!wl_series_add_number(run->series + step->a, failed, value)))
        return wl_lost(run, WL_REASON_LIMIT);
    GO_ON;
}

WL_HANDLER(wl_series_add_text) {
    wl_span text = run->spans[step->b];
    if (step->c >= 0 && wl_is_missing(run, (size_t)step->c))
        text = wl_text_none(wl_missing_reason(run, (size_t)step->c));
    else if (step->c >= 0 && run->registers[step->c] == 0)
        text = wl_text_none(WL_NULL);
    if (WL_UNLIKELY(!wl_series_add_span(run->series + step->a, text)))
        return wl_lost(run, WL_REASON_LIMIT);
    run->series_of_contents |= run->content_count != 0;
    GO_ON;
}

WL_HANDLER(wl_text_item) {
    const wl_series *series = run->series + step->b;
    wl_integer number = run->registers[step->c];
    if (WL_UNLIKELY(wl_is_missing(run, (size_t)step->c)))
        run->spans[step->a] = wl_text_without(wl_missing_reason(run, (size_t)step->c));
    else if (number >= 0 && number < (wl_integer)series->texts_used)
        run->spans[step->a] = series->texts[(size_t)number];
    else
        run->spans[step->a] = wl_text_none(WL_FAILED);
    GO_ON;
}
